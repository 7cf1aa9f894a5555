// Starts the processes of a group, and runs functions on them. A function is sent as text: it sees its parameter only.
import { fork, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import type * as mpslab from "../../../../lib/index.ts";

/** What a function sees on a rank. */
export interface RankScope<Argument> extends Readonly<typeof mpslab> {
  readonly rank: number;
  readonly size: number;
  /** The port of the store. */
  readonly port: number;
  readonly argument: Argument;
  /** The message of what a function throws; empty where it throws nothing. */
  readonly messageOf: (run: () => unknown) => string;
}

export interface RankError {
  readonly name: string;
  readonly message: string;
  readonly rank?: number;
  readonly silentRanks?: readonly number[];
  readonly cause?: string;
}

/** What became of a function on one rank. `ended`: the process ended meanwhile. */
export interface Outcome<Value> {
  readonly value?: Value;
  readonly error?: RankError;
  readonly ended?: NodeJS.Signals | number;
  readonly ms?: number;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * For processes that connect to a store of c10d, which asks the name service for the name of each address: where none
 * answers that takes ten seconds a connection, and this ends it at once. A Mac's resolver does not read it.
 */
export const NO_NAME_SERVICE = { RES_OPTIONS: "attempts:0" };

const MAIN = path.join(import.meta.dirname, "rank_main.mjs");

export class Ranks {
  readonly processes: readonly ChildProcess[];
  readonly port: number;
  /** What the ranks printed. */
  output = "";

  private constructor(processes: readonly ChildProcess[], port: number) {
    this.processes = processes;
    this.port = port;
    for (const child of processes) {
      child.stdout?.on("data", (text) => (this.output += String(text)));
      child.stderr?.on("data", (text) => (this.output += String(text)));
    }
  }

  /** Starts the processes, which are in no group yet. */
  static async start(size: number, env: Readonly<Record<string, string>> = {}): Promise<Ranks> {
    const port = await freePort();
    const processes = Array.from({ length: size }, (_, rank) =>
      fork(MAIN, [], {
        silent: true,
        env: {
          ...process.env,
          RANK: String(rank),
          WORLD_SIZE: String(size),
          MASTER_ADDR: "127.0.0.1",
          MASTER_PORT: String(port),
          OMP_NUM_THREADS: "1",
          ...NO_NAME_SERVICE,
          ...env,
        },
      }),
    );
    const ranks = new Ranks(processes, port);
    await Promise.all(processes.map((child) => new Promise((resolve) => child.once("message", resolve))));
    return ranks;
  }

  /** Starts the processes, and makes them a group. */
  static async connect(
    size: number,
    timeoutMs = 60_000,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ranks> {
    const ranks = await Ranks.start(size, env);
    await ranks.values(
      ({ distributed, argument }) => distributed.initProcessGroup({ timeoutMs: argument }),
      timeoutMs,
    );
    return ranks;
  }

  /** Runs a function on every rank, or on some. */
  run<Value, Argument = undefined>(
    program: (scope: RankScope<Argument>) => Value | Promise<Value>,
    argument?: Argument,
    on: readonly number[] = [...this.processes.keys()],
  ): Promise<Outcome<Value>[]> {
    return Promise.all(on.map((rank) => this.#ask<Value>(rank, program.toString(), argument)));
  }

  /** What the function returns on every rank. Throws where one throws. */
  async values<Value, Argument = undefined>(
    program: (scope: RankScope<Argument>) => Value | Promise<Value>,
    argument?: Argument,
  ): Promise<Value[]> {
    const outcomes = await this.run<Value, Argument>(program, argument);
    return outcomes.map((outcome, rank) => {
      if (outcome.error || outcome.ended !== undefined)
        throw new Error(
          `rank ${rank}: ${outcome.error?.message ?? `ended by ${outcome.ended}`}\n${this.output}`,
        );
      return outcome.value as Value;
    });
  }

  #ask<Value>(rank: number, source: string, argument: unknown): Promise<Outcome<Value>> {
    const child = this.processes[rank]!;
    return new Promise((resolve) => {
      const answered = (answer: Outcome<Value>) => {
        child.off("exit", exited);
        resolve(answer);
      };
      const exited = (code: number | null, signal: NodeJS.Signals | null) => {
        child.off("message", answered);
        resolve({ ended: signal ?? code ?? 0 });
      };
      child.once("message", answered);
      child.once("exit", exited);
      child.send({ source, argument });
    });
  }

  /** Ends the processes, and waits until they are gone. */
  async stop(): Promise<void> {
    await Promise.all(
      this.processes.map((child) => {
        if (child.exitCode !== null || child.signalCode !== null) return undefined;
        const gone = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        return gone;
      }),
    );
  }
}
