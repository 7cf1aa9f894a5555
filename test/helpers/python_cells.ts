// Runs Python cells through `%%python` in a kernel: the TypeScript that comes back, and what it does when it runs.
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { convertPython } from "../../kernel/python/convert.ts";
import type { KernelClient } from "./kernel_client.ts";

export interface ConvertedCell {
  readonly typescript: string;
  /** What `%%python` printed below the number of lines. */
  readonly marks: readonly string[];
}

/** The cells of a file, which lines that begin with `# %%` part. */
export function pythonCells(file: URL): string[] {
  return readFileSync(file, "utf8")
    .split(/^# %%.*\n/m)
    .slice(1);
}

/** Converts a program that follows no other cell. */
export function convertAlone(python: string): ConvertedCell {
  const { typescript, marks } = convertPython(python);
  return { typescript, marks: marks.map(({ line, message }) => `line ${line}: ${message}`) };
}

/** Sends a cell with `%%python` and takes what it puts into the next one. */
export async function convertCell(client: KernelClient, python: string): Promise<ConvertedCell> {
  const { reply, stdout } = await client.execute(`%%python\n${python}`);
  if (reply["status"] !== "ok") throw new Error(`%%python failed: ${String(reply["evalue"])}`);
  const [payload] = reply["payload"] as [{ readonly text: string }];
  return {
    typescript: payload.text,
    marks: stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.trim()),
  };
}

/** What a cell printed, or how it failed. */
export async function outcome(client: KernelClient, typescript: string): Promise<string> {
  const { reply, stdout, stderr, errors } = await client.execute(typescript);
  if (reply["status"] === "ok") return stripVTControlCharacters(stdout);
  const trace = (errors[0]?.["traceback"] as string[] | undefined)?.join("\n") ?? String(reply["evalue"]);
  return `FAILED ${stripVTControlCharacters(trace)}${stderr}\n${typescript}`;
}

/** Converts and runs the cells of a new notebook in their order. */
export async function runNotebook(
  client: KernelClient,
  cells: readonly string[],
): Promise<{ readonly printed: string; readonly marks: string[] }> {
  await client.execute("%reset -f");
  const marks: string[] = [];
  let printed = "";
  for (const python of cells) {
    const converted = await convertCell(client, python);
    marks.push(...converted.marks);
    printed += await outcome(client, converted.typescript);
  }
  return { printed, marks };
}
