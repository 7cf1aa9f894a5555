// A kernel that is soaked, with the model of what it has acknowledged: every cell that goes through here is compared with
// the model. Faults do not know how; they run cells.
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "../../kernel/history/sqlite.ts";
import type { Connection } from "../../kernel/protocol/connection.ts";
import type { Message } from "../../kernel/protocol/messages.ts";
import { type Execution, KernelClient } from "../helpers/kernel_client.ts";
import { treeOf } from "../helpers/process_tree.ts";
import { PREPARATION } from "./cells.ts";
import type { Disk } from "./disk.ts";
import { Answers } from "./model/answers.ts";
import { AcknowledgedCells, type HistoryRow } from "./model/history.ts";
import { Variables } from "./model/variables.ts";
import { findProcesses, straysOf } from "./processes.ts";
import { HISTORY, LOG, type StartedKernel, TEMPORARY } from "./start_kernel.ts";
import { eventually, holds, within } from "./violation.ts";

/** Generous, because the machine may be busy: they find what hangs. */
const CELL_MS = 120_000;
const INFO_MS = 20_000;
const SETTLE_MS = 20_000;
/** Messages that a violation shows. */
const RECENT = 40;
const RECENT_LENGTH = 300;

/** How long and how much a fault is. */
export interface Scale {
  /** The longest pause of a process, a client or a debugger. */
  readonly pauseMs: number;
  readonly printedMegabytes: number;
}

export class SoakedKernel {
  readonly scale: Scale;
  /** Of the soak itself; the kernel's files lie on the disk. */
  readonly folder: string;
  readonly disk: Disk;
  readonly connection: Connection;
  readonly variables = new Variables();
  /** Whether its processes can tell their heaps. */
  readonly isProbed: boolean;
  readonly #recent: string[] = [];
  readonly #process: ChildProcess;
  readonly #cells = new AcknowledgedCells();
  #answers = new Answers();
  #client: KernelClient;

  constructor({ child, client, connection, disk, folder, isProbed }: StartedKernel, scale: Scale) {
    this.#process = child;
    this.#client = client;
    this.connection = connection;
    this.disk = disk;
    this.folder = folder;
    this.isProbed = isProbed;
    this.scale = scale;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get client(): KernelClient {
    return this.#client;
  }

  get cells(): number {
    return this.#cells.count;
  }

  /** Null where none runs: the next cell starts one. */
  get session(): number | null {
    return findProcesses(this.pid).session ?? null;
  }

  get tree(): number[] {
    return treeOf(this.pid);
  }

  /** The newest last. */
  lastMessages(): readonly string[] {
    this.#remember();
    return this.#recent;
  }

  get log(): string {
    return readFileSync(path.join(this.disk.folder, LOG), "utf8");
  }

  /** Runs a cell and compares its answer with the model. @throws Violation, also where it ends otherwise than expected */
  async run(code: string, status: "ok" | "error" = "ok"): Promise<Execution> {
    const execution = await this.finished(code, this.#client.execute(code));
    holds(
      execution.reply["status"] === status,
      `The cell ${JSON.stringify(code)} ended as ${String(execution.reply["status"])}: ${JSON.stringify(execution.errors)}`,
    );
    return execution;
  }

  /** The end of a cell that this client, or another one, has begun. */
  async finished(code: string, running: Promise<Execution>, client = this.#client): Promise<Execution> {
    const execution = await within(CELL_MS, `The cell ${JSON.stringify(code)}`, running);
    this.acknowledged(code, Number(execution.reply["execution_count"]));
    this.#drain();
    if (client === this.#client) this.#answers.settled(execution.messages[0]!.parent_header.msg_id!);
    return execution;
  }

  /** A cell whose client went away has ended. */
  acknowledged(code: string, count = this.#cells.count + 1): void {
    this.#cells.acknowledged(count, code);
  }

  /** @throws Violation if the kernel does not say soon that it is there */
  async answers(): Promise<void> {
    await within(INFO_MS, "kernel_info", this.#client.request("kernel_info_request", {}, "control"));
    await within(INFO_MS, "The heartbeat", this.#client.beat());
  }

  /** Resolves with the milliseconds until the first cell has run. */
  async recovers(sinceMs: number): Promise<number> {
    const { result } = await this.run("1 + 1");
    holds(result === "2", `1 + 1 is ${result}.`);
    return performance.now() - sinceMs;
  }

  /** The page is loaded again: from now on another client sends the cells. */
  async reload(): Promise<void> {
    this.#drain();
    this.#client.close();
    this.#client = await this.connect();
    this.#answers = new Answers();
  }

  async connect(): Promise<KernelClient> {
    return await within(INFO_MS, "A client's welcome", KernelClient.connect(this.connection));
  }

  /** Runs what a notebook's first cells do. */
  async prepare(): Promise<void> {
    for (const code of PREPARATION) await this.run(code);
  }

  async compareVariables(): Promise<void> {
    this.variables.compare((await this.run(this.variables.question)).stdout);
  }

  /** Everything that must hold between two cells. @throws Violation */
  async compare(): Promise<void> {
    await this.answers();
    await this.compareVariables();
    await this.compareHistory();
    const left = () => readdirSync(path.join(this.disk.folder, TEMPORARY));
    await eventually(
      SETTLE_MS,
      () => `Temporary files were left: ${left().join(", ")}.`,
      () => left().length === 0,
    );
    const strays = () => straysOf(this.pid, this.folder);
    await eventually(
      SETTLE_MS,
      () => `Processes were left: ${strays().join(", ")}.`,
      () => strays().length === 0,
    );
  }

  async compareHistory(): Promise<void> {
    // It is written a moment after the reply.
    let rows: HistoryRow[] = [];
    const endMs = performance.now() + SETTLE_MS;
    while (!this.#cells.areComplete((rows = [...this.#history(this.#cells.seenUpTo)]))) {
      if (performance.now() > endMs) break;
      await delay(20);
    }
    this.#cells.compare(rows);
  }

  /** Shuts it down, and compares what it leaves behind. @throws Violation */
  async stop(): Promise<void> {
    const tree = this.tree;
    const exited = new Promise((resolve) => this.#process.once("exit", resolve));
    await within(
      INFO_MS,
      "shutdown_reply",
      this.#client.request("shutdown_request", { restart: false }, "control"),
    );
    await within(INFO_MS, "The kernel's end", exited);
    const alive = () => tree.filter((pid) => existsSync(`/proc/${pid}`));
    await eventually(
      SETTLE_MS,
      () => `Processes outlive the kernel: ${alive().join(", ")}.`,
      () => alive().length === 0,
    );
    this.#cells.compareWhole(this.#history(0));
  }

  /** However it went. */
  close(): void {
    this.#client.close();
    this.#process.kill("SIGKILL");
    this.disk.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  *#history(after: number): Generator<HistoryRow> {
    const database = openDatabase(path.join(this.disk.folder, HISTORY));
    try {
      const query = "SELECT line, source_raw AS text FROM history WHERE line > ? ORDER BY session, line";
      yield* database.prepare(query).iterate(after) as Iterable<HistoryRow>;
    } finally {
      database.close();
    }
  }

  #drain(): void {
    for (const message of this.#remember()) this.#answers.take(message);
  }

  /** Takes what has come since the last time. */
  #remember(): readonly Message[] {
    const { published, replied } = this.#client;
    const messages = [...published.splice(0), ...replied.splice(0)];
    for (const { header, parent_header, content } of messages.slice(-RECENT)) {
      const text = JSON.stringify(content).slice(0, RECENT_LENGTH);
      this.#recent.push(`${header.date} ${header.msg_type} of ${parent_header.msg_id ?? "nothing"}: ${text}`);
    }
    this.#recent.splice(0, this.#recent.length - RECENT);
    return messages;
  }
}
