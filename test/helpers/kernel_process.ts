// Starts the built kernel as Jupyter does: a connection file, a process, a client. For tests of the whole.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KERNEL_MAIN } from "../../kernel/cli/project.ts";
import { readConnection } from "../../kernel/protocol/connection.ts";
import { KernelClient } from "./kernel_client.ts";

export { KERNEL_MAIN };

export interface StartOptions {
  /** The notebook's folder. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The connection file of an earlier kernel, as for a restart. Default: a new one. */
  readonly connectionFile?: string;
}

export class KernelProcess {
  readonly client: KernelClient;
  readonly process: ChildProcess;
  readonly connectionFile: string;
  readonly #folder: string;
  #log = "";

  private constructor(client: KernelClient, child: ChildProcess, connectionFile: string, folder: string) {
    this.client = client;
    this.process = child;
    this.connectionFile = connectionFile;
    this.#folder = folder;
    child.stderr?.on("data", (chunk: Buffer) => (this.#log += chunk.toString()));
  }

  static async start(options: StartOptions = {}): Promise<KernelProcess> {
    const folder = mkdtempSync(join(tmpdir(), "mpslab-kernel-"));
    const connectionFile = options.connectionFile ?? (await writeConnectionFile(folder));
    const connection = readConnection(connectionFile);
    const child = spawn(process.execPath, [KERNEL_MAIN, connectionFile], {
      cwd: options.directory ?? folder,
      env: { ...process.env, ...options.environment },
      stdio: ["ignore", "inherit", "pipe"],
    });
    const died = new Promise<never>((_, reject) =>
      child.once("exit", (code) => reject(new Error(`the kernel exited with ${code} before it answered`))),
    );
    const client = await Promise.race([KernelClient.connect(connection), died]);
    return new KernelProcess(client, child, connectionFile, folder);
  }

  /** The text that the kernel wrote to its own stderr. */
  get log(): string {
    return this.#log;
  }

  /** Resolves with the exit code, or the signal's name. */
  exited(): Promise<number | string | null> {
    const { exitCode, signalCode } = this.process;
    if (exitCode !== null || signalCode !== null) return Promise.resolve(exitCode ?? signalCode);
    return new Promise((resolve) => this.process.once("exit", (code, signal) => resolve(code ?? signal)));
  }

  /** Ends the kernel as Jupyter does. */
  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      await this.client.request("shutdown_request", { restart: false }, "control");
      await this.exited();
    }
    this.client.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function writeConnectionFile(folder: string): Promise<string> {
  const path = join(folder, "connection.json");
  writeFileSync(path, JSON.stringify(await newConnection()));
  return path;
}

/** Fields of a connection file, with ports that are free now. */
export async function newConnection(): Promise<Record<string, string | number>> {
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = (await freePorts(5)) as number[] as [
    number,
    number,
    number,
    number,
    number,
  ];
  const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
  return { ...ports, transport: "tcp", ip: "127.0.0.1", key: randomUUID(), signature_scheme: "hmac-sha256" };
}

/**
 * Below the system's own range, and apart for each of vitest's workers: a port that was free a moment ago is still free when
 * the kernel binds it.
 */
const FIRST_PORT = 10_000 + 2_500 * (Number(process.env["VITEST_POOL_ID"] ?? 0) % 8);
let nextPort = process.pid % 2_500;

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = FIRST_PORT + (nextPort++ % 2_500);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
