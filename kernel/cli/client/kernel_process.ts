// A kernel of this project in a process of its own, as Jupyter starts one: a connection file, a client, and an end that
// leaves no process behind. Knows nothing of cells.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { socketFolder } from "../../../lib/platform/folders.ts";
import { KERNEL_ENVIRONMENT } from "../../process/allocator_environment.ts";
import { readConnection } from "../../protocol/connection.ts";
import type { Json, Message } from "../../protocol/messages.ts";
import { CommandError, KERNEL_MAIN } from "../project.ts";
import { interrupted } from "./interruption.ts";
import { KernelClient, type RequestOptions } from "./kernel_client.ts";
import { UnfinishedRun } from "./unfinished_run.ts";

/** nbclient waits as long. */
const START_MS = 60_000;
/** How long a kernel may take to end its cell and itself before it is killed. */
const SHUTDOWN_MS = 5_000;
/** The longest delay that Node's timers accept: one with a longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class KernelProcess {
  readonly #client: KernelClient;
  readonly #process: ChildProcess;
  readonly #connectionFolder: string;
  readonly #exited: Promise<void>;

  private constructor(client: KernelClient, child: ChildProcess, connectionFolder: string) {
    this.#client = client;
    this.#process = child;
    this.#connectionFolder = connectionFolder;
    this.#exited = new Promise((resolve) => child.once("exit", () => resolve()));
  }

  /**
   * @param folder the notebook's, in which its cells run
   * @param options `input`: whether its cells read the standard input of this command
   * @throws CommandError where the kernel does not start, UnfinishedRun after a signal
   */
  static async start(
    folder: string,
    environment: Readonly<NodeJS.ProcessEnv> = {},
    { input = false } = {},
  ): Promise<KernelProcess> {
    // Unix sockets in a folder of this user: there is no port that another process could take.
    const connectionFolder = mkdtempSync(join(socketFolder("mpslab-XXXXXX/kernel-5"), "mpslab-"));
    const file = join(connectionFolder, "connection.json");
    writeFileSync(file, JSON.stringify(newConnection(connectionFolder)), { mode: 0o600 });
    const child = spawn(process.execPath, [KERNEL_MAIN, file], {
      cwd: folder,
      // Ctrl-C in a terminal must reach only the command, which then ends the kernel in order.
      detached: true,
      stdio: [input ? "inherit" : "ignore", "inherit", "inherit"],
      env: { ...process.env, ...KERNEL_ENVIRONMENT, ...environment, JPY_PARENT_PID: String(process.pid) },
    });
    const kernel = new KernelProcess(new KernelClient(readConnection(file)), child, connectionFolder);
    try {
      await kernel.#untilReady();
    } catch (error) {
      await kernel.stop();
      throw error;
    }
    return kernel;
  }

  async #untilReady(): Promise<void> {
    const waiting = new AbortController();
    const late = delay(START_MS, `did not answer within ${START_MS / 1000} s`, { signal: waiting.signal });
    const failure = new Promise<string>((resolve) => {
      this.#process.once("error", ({ message }) => resolve(`cannot be started (${message})`));
      this.#process.once("exit", (code, signal) =>
        resolve(`ended at its start (${signal ?? `status ${code}`})`),
      );
    });
    try {
      const ready = this.#client.welcomed.then(() => null);
      const problem = await Promise.race([ready, failure, late, interrupted()]);
      if (problem !== null) throw new CommandError(`The kernel ${problem}: run mpslab doctor.`);
    } finally {
      waiting.abort();
      late.catch(() => {});
    }
  }

  /**
   * Resolves with the reply when everything that the request published has come.
   *
   * @param timeoutSeconds no limit if undefined
   * @throws UnfinishedRun where the kernel ends, the time is up, or a signal ends this command
   */
  async request(
    type: string,
    content: Json,
    { timeoutSeconds, ...options }: RequestOptions & { readonly timeoutSeconds?: number | undefined } = {},
  ): Promise<Message> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      if (timeoutSeconds === undefined) return;
      timer = setTimeout(
        () => reject(new UnfinishedRun("timeout")),
        Math.min(timeoutSeconds * 1000, LONGEST_TIMER_MS),
      );
    });
    const dead = this.#exited.then(() => Promise.reject(new UnfinishedRun("died")));
    try {
      return await Promise.race([this.#client.request(type, content, options), dead, late, interrupted()]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the kernel and what its cells run, in order if it can. Never throws. */
  async stop(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#process;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      this.#client.request("shutdown_request", { restart: false }, { channel: "control" }).catch(() => {});
      const waiting = new AbortController();
      await Promise.race([this.#exited, delay(SHUTDOWN_MS, null, waiting).catch(() => {})]);
      waiting.abort();
    }
    if (pid !== undefined) killGroup(pid);
    this.#client.close();
    rmSync(this.#connectionFolder, { recursive: true, force: true });
  }
}

/** Kills the kernel's process group, which includes its session. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function newConnection(folder: string): Record<string, string | number> {
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = [1, 2, 3, 4, 5] as const;
  const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
  return {
    ...ports,
    transport: "ipc",
    ip: join(folder, "kernel"),
    key: randomUUID(),
    signature_scheme: "hmac-sha256",
  };
}
