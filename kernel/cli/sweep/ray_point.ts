// `mpslab ray-point`: the command that a sweep runs on a node of a Ray cluster. Reads one request from stdin, runs its
// notebook as on any machine, and writes one answer. The sender keeps stdin open; when stdin ends, nobody waits for the
// answer any more.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { packageManifest } from "../../../lib/installation/package.ts";
import type { PointAnswer, PointRequest } from "../../../lib/lab/ray/point_messages.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { notebookPieces, parseNotebook } from "../notebook/file.ts";
import { CommandError } from "../project.ts";
import { runPoint } from "./point_run.ts";

/** Resolves with the exit status: 0 where there is an answer. */
export async function rayPoint(): Promise<number> {
  const lines = createInterface({ input: process.stdin });
  const text = await new Promise<string | null>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(null));
  });
  const request = text === null ? null : requestIn(text);
  if (request === null) {
    // The sender may leave the pipe open. Without this the process would wait for the pipe's end.
    process.stdin.destroy();
    throw new CommandError("ray-point takes a request on stdin: mpslab papermill --engine ray sends it.");
  }
  // Handled as a signal, so that the run ends in order.
  const leave = () => process.kill(process.pid, "SIGTERM");
  lines.once("close", leave);
  try {
    const answer = await answerTo(request);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UnfinishedRun) return error.exitStatus;
    throw error;
  } finally {
    lines.off("close", leave);
    process.stdin.destroy();
  }
}

function requestIn(text: string): PointRequest | null {
  try {
    const request = JSON.parse(text) as Partial<PointRequest> | null;
    return typeof request?.version === "string" ? (request as PointRequest) : null;
  } catch {
    return null;
  }
}

async function answerTo(request: PointRequest): Promise<PointAnswer> {
  const { version } = packageManifest();
  if (request.version !== version)
    return {
      refused: `it has mpslab ${version}, not ${request.version}: install one version on all machines`,
    };
  const notebook = parseNotebook(request.notebook);
  if (notebook === null) throw new CommandError("The request holds no notebook.");
  const isShared = existsSync(request.folder);
  const folder = isShared ? request.folder : mkdtempSync(join(tmpdir(), "mpslab-point-"));
  try {
    const outcome = await runPoint(notebook, request.papermill, {
      folder,
      session: request.session,
      timeout: request.timeoutSeconds ?? undefined,
      // A run on a cluster's node belongs in no user's history.
      environment: { MPSLAB_HISTORY: "off" },
      save: () => {},
    });
    return { ...outcome, notebook: [...notebookPieces(notebook)].join("") };
  } catch (error) {
    // The kernel does not start on this node; it may start on another one.
    if (error instanceof CommandError) return { refused: error.message.replace(/\.$/, "") };
    throw error;
  } finally {
    if (!isShared) rmSync(folder, { recursive: true, force: true });
  }
}
