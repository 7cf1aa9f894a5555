// `mpslab run`: runs a TypeScript file as one cell, without a notebook: types are checked before it runs, epochs are
// flushed, and what it prints goes to the terminal at once. As under node, it ends when nothing that the file started
// is left, with the file's exit code. torchrun starts it once for each rank.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Json, Message } from "../../protocol/messages.ts";
import { KernelProcess } from "../client/kernel_process.ts";
import type { CellReply } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { CommandError } from "../project.ts";
import { PrintedOutputs } from "./printed_outputs.ts";

export interface RunOptions {
  /** Whether the file waits for a Node debugger before it runs. */
  readonly inspect: boolean;
  /** The program's own: its `process.argv.slice(2)`. */
  readonly arguments: readonly string[];
}

/** Resolves with the exit status: the file's own, or 1 where its types or its run failed. */
export async function runFile(file: string, { inspect, ...program }: RunOptions): Promise<number> {
  const code = readSource(file);
  const outputs = new PrintedOutputs();
  let kernel: KernelProcess | null = null;
  try {
    // Imports and paths start from the file's folder, as they do from the notebook's folder in a cell.
    kernel = await KernelProcess.start(
      dirname(file),
      {
        JPY_SESSION_NAME: file,
        MPSLAB_HISTORY: "off",
        MPSLAB_PROGRAM: JSON.stringify([file, ...program.arguments]),
      },
      { input: true },
    );
    if (inspect) await run(kernel, "%inspect wait", outputs);
    const reply = await run(kernel, code, outputs);
    outputs.end();
    return statusOf(reply);
  } catch (error) {
    if (!(error instanceof UnfinishedRun)) throw error;
    process.stderr.write(`${error.sentence(undefined, null)}\n`);
    return error.exitStatus;
  } finally {
    await kernel?.stop();
  }
}

async function run(kernel: KernelProcess, code: string, outputs: PrintedOutputs): Promise<CellReply> {
  const user_expressions = { exitCode: "Number(process.exitCode ?? 0)" };
  const content: Json = {
    code,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions,
  };
  const reply = await kernel.request("execute_request", content, {
    onPublished: (message: Message) => outputs.take(message),
  });
  return reply.content as unknown as CellReply;
}

function readSource(file: string): string {
  try {
    // As in node, the `#!` line that names the interpreter is a comment.
    return readFileSync(file, "utf8").replace(/^#!/, "//");
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${(cause as Error).message}.`);
  }
}

function statusOf({ status, traceback = [], evalue = "", exitCode, user_expressions }: CellReply): number {
  if (exitCode !== undefined) return exitCode;
  if (status === "ok") return Number(user_expressions?.["exitCode"]?.data?.["text/plain"] ?? 0);
  const text = traceback.length > 0 ? traceback.join("\n") : evalue;
  process.stderr.write(`${process.stderr.isTTY ? text : stripVTControlCharacters(text)}\n`);
  return 1;
}
