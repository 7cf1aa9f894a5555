// Starts the built kernel as Jupyter does, with everything that it writes on a disk that can become full.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { KERNEL_ENVIRONMENT } from "../../kernel/process/allocator_environment.ts";
import { type Connection, readConnection } from "../../kernel/protocol/connection.ts";
import { KernelClient } from "../helpers/kernel_client.ts";
import { writeConnectionFile } from "../helpers/kernel_process.ts";
import { type Disk, makeDisk } from "./disk.ts";
import { FOLDER_VARIABLE } from "./processes.ts";
import { within } from "./violation.ts";

/** Files and folders on the disk. */
export const HISTORY = "history.sqlite";
export const LOG = "kernel.log";
export const TEMPORARY = "tmp";

const START_MS = 120_000;

const isBuilt = import.meta.dirname.includes("/dist/");
const KERNEL = path.resolve(
  import.meta.dirname,
  isBuilt ? "../../.." : "../..",
  "dist/bundle/kernel/main.js",
);
/** Only built: Node loads no TypeScript. */
const PROBE = path.join(import.meta.dirname, "probe.js");

export interface StartedKernel {
  readonly child: ChildProcess;
  readonly client: KernelClient;
  readonly connection: Connection;
  readonly disk: Disk;
  /** Of the soak itself. */
  readonly folder: string;
  /** Whether its processes can tell their heaps. */
  readonly isProbed: boolean;
}

export async function startKernel(): Promise<StartedKernel> {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-soak-"));
  const disk = makeDisk(path.join(folder, "disk"));
  mkdirSync(path.join(disk.folder, TEMPORARY));
  const connectionFile = await writeConnectionFile(folder);
  const isProbed = existsSync(PROBE);
  // The log is on the disk too, as where Jupyter's is sent to a file.
  const log = openSync(path.join(disk.folder, LOG), "a");
  const child = spawn(process.execPath, [KERNEL, connectionFile], {
    cwd: disk.folder,
    // Ctrl-C is for the soak only.
    detached: true,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      ...KERNEL_ENVIRONMENT,
      MPSLAB_HISTORY: path.join(disk.folder, HISTORY),
      TMPDIR: path.join(disk.folder, TEMPORARY),
      [FOLDER_VARIABLE]: folder,
      ...(isProbed && { NODE_OPTIONS: `--import ${pathToFileURL(PROBE).href}` }),
    },
  });
  closeSync(log);
  const connection = readConnection(connectionFile);
  const client = await within(START_MS, "The kernel's welcome", KernelClient.connect(connection));
  return { child, client, connection, disk, folder, isProbed };
}
