// Runs the fuzzer's calls of a range of numbers in child processes: a call that ends its process, or does not end, is
// told, and the run goes on behind it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Watched } from "./fuzz_child.ts";

export interface Found {
  readonly number: number;
  /** `add.Tensor`; the process may have ended before it was known. */
  readonly text: string;
  readonly python: string;
  /** `SIGSEGV`, `status 7`, `does not end`. */
  readonly failure: string;
  /** The last line that the process wrote to its standard error, which may say why. */
  readonly crashStderrFilter: string;
}

export interface Range {
  readonly from: number;
  readonly end: number;
}

/** @param program takes the range's numbers as arguments, and writes `NUMBER TEXT PYTHON` before each call */
export async function* failuresOf(program: string, { from, end }: Range): AsyncGenerator<Found> {
  for (let next = from; next < end;) {
    const found = await runUntilFailure(program, { from: next, end });
    if (found === null) return;
    yield found;
    next = found.number + 1;
  }
}

/** Null where every call ended. */
async function runUntilFailure(program: string, { from, end }: Range): Promise<Found | null> {
  const child = spawn(process.execPath, [program, String(from), String(end)], {
    stdio: ["ignore", "pipe", "pipe"],
    // One that has begun with a GPU reserves more addresses than the limit of memory leaves.
    env: { ...process.env, CUDA_VISIBLE_DEVICES: "", MPSLAB_DEVICE: "cpu" },
  });
  const watched = new Watched(child);
  let crashStderrFilter = "";
  child.stderr.on("data", (chunk: Buffer) => {
    const lines = String(chunk).split("\n");
    crashStderrFilter =
      lines.findLast((line) => line.trim() !== "" && !line.startsWith("Warning")) ?? crashStderrFilter;
  });
  let last = { number: from, text: "(not yet known)", python: "" };
  for await (const line of createInterface({ input: child.stdout })) {
    watched.heard();
    const [, number, text = last.text, python = ""] = /^(\d+)(?: (\S+) (.*))?$/.exec(line) ?? [];
    if (number !== undefined) last = { number: Number(number), text, python };
  }
  const ending = await watched.ending();
  if (ending === 0) return null;
  return { ...last, failure: typeof ending === "string" ? ending : `status ${ending}`, crashStderrFilter };
}
