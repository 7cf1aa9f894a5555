// Limits of readers: files of some kilobytes that say that they hold, or unpack to, far more. Each is read in a process of its
// own, whose most memory is measured, with little memory allowed (MPSLAB_MAX_BYTES).
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { lab } from "../../../lib/index.ts";
import { formatBytes } from "../../../lib/units.ts";
import { hostileFiles, writeHostile } from "../hostile_files.ts";

export const name = "the most memory of each reader per byte of its file";

const ALLOWED_BYTES = 64 * 2 ** 20;
/** A reader may take so many times what is allowed, or what the file has. */
const MOST_TIMES = 4;
const MOST_TIMES_OF_FILE = 60;
const DEADLINE_MS = 120_000;
const READER = path.join(import.meta.dirname, "..", "read_hostile.js");

interface Answer {
  readonly outcome: string;
  readonly bytes: number;
}

export async function run(): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-limits-"));
  const problems: string[] = [];
  try {
    console.log(
      "  | file | bytes | most memory | times the file | outcome |\n  | --- | ---: | ---: | ---: | --- |",
    );
    for (const at of hostileFiles.keys()) problems.push(...measured(folder, at));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return [...problems, ...(await endlessServer())];
}

function measured(folder: string, at: number): string[] {
  const { name: what } = hostileFiles[at]!;
  const { file, bytes } = writeHostile(folder, at);
  const { stdout, signal, status } = spawnSync(process.execPath, [READER, String(at), file], {
    encoding: "utf8",
    env: { ...process.env, MPSLAB_MAX_BYTES: String(ALLOWED_BYTES), CUDA_VISIBLE_DEVICES: "" },
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  rmSync(file);
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) return [`${what}: the process ended with ${signal ?? status}`];
  const answer = JSON.parse(line) as Answer;
  const times = answer.bytes / bytes;
  console.log(
    `  | ${what} | ${bytes} | ${formatBytes(answer.bytes)} | ${times.toFixed(1)} | ${answer.outcome.replaceAll(file, "FILE").slice(0, 150)} |`,
  );
  const max = Math.max(MOST_TIMES * ALLOWED_BYTES, MOST_TIMES_OF_FILE * bytes);
  return answer.bytes <= max ? [] : [`${what}: ${formatBytes(answer.bytes)} of memory for ${bytes} bytes`];
}

/** A server that answers without end: how much it could send before the client went. */
async function endlessServer(): Promise<string[]> {
  let sent = 0;
  const chunk = Buffer.alloc(2 ** 16, "[");
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    const more = (): void => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  let outcome: string;
  try {
    const result = await lab
      .remote({ url, token: "t", name: "endless" })
      .sweep({ setup: "const setup = () => () => {};", batch: [1], journal: null, show: false });
    outcome = result.remotes.map((report) => `${report.status}: ${String(report.reason)}`).join("; ");
  } catch (error) {
    outcome = (error as Error).message;
  } finally {
    server.closeAllConnections();
    server.close();
  }
  console.log(`  a server that answers without end sent ${formatBytes(sent)}: ${outcome}`);
  return sent < 128 * 2 ** 20 ? [] : [`a server that answers without end could send ${formatBytes(sent)}`];
}
