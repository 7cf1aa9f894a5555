// Starts the remote agent, matches its answers to requests, and ends it. The agent has a process group of its own: a
// signal that kills the session must leave it time to shut kernels down.
import { type ChildProcess, fork } from "node:child_process";
import { bundledProgram } from "../../installation/package.ts";
import type {
  AgentAnswer,
  AgentOutput,
  AgentRequest,
  CellEnd,
  Greeting,
  ServerAddress,
} from "./agent_messages.ts";
import { LostError, RefusedError } from "./errors.ts";

type Answered = Greeting | CellEnd | null;

interface Waiting {
  resolve(value: Answered): void;
  reject(reason: Error): void;
}

/** Longer than the time that the agent gives a kernel to end. */
const CLOSE_MS = 12_000;

export class RemoteAgent {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;
  #closed: Promise<void> | null = null;

  /**
   * @param onOutput called with what the cells on remotes print
   */
  constructor(onOutput: (output: AgentOutput) => void) {
    // The process gets the session's environment as it is now. Node reads NODE_EXTRA_CA_CERTS when a process starts.
    this.#process = fork(bundledProgram("lib/lab/remote/agent.js"), [], {
      detached: true,
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // A session does not end detached processes when it ends. The channel keeps this process alive for as long as the
    // agent runs.
    this.#process.unref();
    this.#process.on("message", (message: AgentAnswer | AgentOutput) => {
      if ("remote" in message) onOutput(message);
      else this.#settle(message);
    });
    const ended = () => this.#abandon("the remote agent ended");
    this.#process.once("exit", ended);
    this.#process.once("error", ended);
  }

  /** @throws RefusedError, LostError */
  connect(remote: number, address: ServerAddress): Promise<Greeting> {
    return this.#ask<Greeting>({ type: "connect", remote, address });
  }

  /** @throws LostError */
  run(remote: number, code: string): Promise<CellEnd> {
    return this.#ask<CellEnd>({ type: "run", remote, code });
  }

  /** @throws RefusedError, LostError */
  async interrupt(remote: number): Promise<void> {
    await this.#ask({ type: "interrupt", remote });
  }

  /** @throws RefusedError, LostError */
  async restart(remote: number): Promise<void> {
    await this.#ask({ type: "restart", remote });
  }

  /** Shuts all kernels down. Requests without an answer fail as lost. Never throws, and settles within seconds. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#abandon("the sweep ended");
    const exited = new Promise<void>((resolve) => {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) resolve();
      this.#process.once("exit", () => resolve());
    });
    void this.#ask({ type: "close" }).catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([exited, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))]);
    clearTimeout(timer);
    // An agent that still waits for a server continues alone, and ends by itself.
    if (this.#process.connected) this.#process.disconnect();
  }

  #ask<Value extends Answered>(request: AgentRequest): Promise<Value> {
    const id = ++this.#requests;
    return new Promise<Value>((resolve, reject) => {
      if (!this.#process.connected) return reject(new LostError("the remote agent ended"));
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.#process.send({ id, ...request }, (error) => {
        if (error !== null) this.#settle({ id, kind: "lost", message: "the remote agent ended" });
      });
    });
  }

  #settle(answer: AgentAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (!("kind" in answer)) return waiting?.resolve(answer.value);
    waiting?.reject(
      answer.kind === "lost" ? new LostError(answer.message) : new RefusedError(answer.message),
    );
  }

  #abandon(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new LostError(why));
    this.#waiting.clear();
  }
}
