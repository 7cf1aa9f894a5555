// Starts a loader's worker threads, sends tasks and receives results in any order. The session waits for them on
// shared memory, not in the event loop, so a plain synchronous `for` loop can wait. `worker_pass.ts` chooses the
// tasks and orders the results.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { bundledProgram } from "../../../installation/package.ts";
import { installedSession } from "../../../session.ts";
import { native } from "../../engine/native.ts";
import { callText, WORDS_PER_WORKER } from "./running_call.ts";
import type { WorkerUsage } from "./usage.ts";
import { type Answer, READY, type Task, type WorkerData, type WorkerError } from "./worker_protocol.ts";
import type { WorkerSource } from "./worker_dataset.ts";

/** How often a wait looks at the user's interrupt. */
const SLICE_MS = 20;

/** The least time to load libtorch and the dataset's module, which `timeout` does not cover. */
const STARTUP_SECONDS = 60;

const ERROR_CLASSES: Readonly<Record<string, ErrorConstructor>> = { TypeError, RangeError, SyntaxError };

function errorOf(worker: number, { name, message, stack, call }: WorkerError): Error {
  const ErrorClass = ERROR_CLASSES[name] ?? Error;
  const cause = new ErrorClass(message);
  Object.assign(cause, { name, stack });
  const where = call === "" ? `worker ${worker}` : `worker ${worker}, in ${call}`;
  return new ErrorClass(`DataLoader ${where}: ${message}`, { cause });
}

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
}

export interface WorkerOptions {
  /** Threads. */
  readonly numWorkers: number;
  /** A worker's seed is the sum of this and its number. */
  readonly baseSeed: bigint;
  /** Leaves out a last batch that is not full. */
  readonly dropLast: boolean;
  /** How long the session waits for an answer; 0 for ever. */
  readonly timeoutSeconds: number;
}

const abandoned = new FinalizationRegistry<readonly Thread[]>((threads) => {
  for (const { worker } of threads) void worker.terminate();
});

export interface Received {
  readonly worker: number;
  readonly answer: Exclude<Answer, { readonly exitCode: number }>;
}

export class Workers {
  readonly #threads: readonly Thread[];
  readonly #answers = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #timeoutSeconds: number;
  readonly #ready = new Set<number>();
  readonly #running: readonly Int32Array[];
  readonly #usage: (WorkerUsage | null)[];
  #closed = false;

  constructor(source: WorkerSource, options: WorkerOptions) {
    const { numWorkers, baseSeed, dropLast } = options;
    this.#timeoutSeconds = options.timeoutSeconds;
    // libtorch settles the number of threads when it is first asked for it. This must be before a worker calls
    // setNumThreads(1), or 1 would become the default.
    native.getNumThreads();
    const hooks = installedSession()?.moduleHooks() ?? null;
    const bytes = WORDS_PER_WORKER * Int32Array.BYTES_PER_ELEMENT;
    this.#running = Array.from({ length: numWorkers }, () => new Int32Array(new SharedArrayBuffer(bytes)));
    this.#usage = this.#running.map(() => null);
    const threads = Array.from({ length: numWorkers }, (_, id): Thread => {
      const { port1, port2 } = new MessageChannel();
      const workerData: WorkerData = {
        id,
        numWorkers,
        seed: BigInt.asUintN(64, baseSeed + BigInt(id)),
        origin: source.origin,
        dropLast,
        hooks,
        answers: this.#answers,
        running: this.#running[id]!,
        port: port2,
      };
      const worker = new Worker(bundledProgram("lib/torch/data/workers/worker_main.js"), {
        workerData,
        // The session's own options (a program given by -e, say) must not reach workers.
        execArgv: [],
        transferList: [port2],
        name: `DataLoader worker ${id}`,
      });
      // No action is needed, because failures arrive as answers. `unref` lets the program end while a loader is left
      // open.
      worker.on("error", () => {});
      worker.unref();
      port1.unref();
      return { worker, port: port1 };
    });
    this.#threads = threads;
    abandoned.register(this, threads, this);
  }

  get count(): number {
    return this.#threads.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Memory of each when it last answered, null for one that has not yet. */
  get usage(): readonly (WorkerUsage | null)[] {
    return this.#usage;
  }

  post(worker: number, task: Task): void {
    this.#threads[worker]!.worker.postMessage(task);
  }

  /**
   * Waits for the next answer of any worker. Throws the error with which a worker could not start, the interruption, or
   * the error of the deadline.
   */
  receive(waitingFor: number): Received {
    const session = installedSession();
    const timeoutSeconds = this.#ready.has(waitingFor)
      ? this.#timeoutSeconds
      : Math.max(this.#timeoutSeconds, STARTUP_SECONDS);
    const deadline = this.#timeoutSeconds === 0 ? Infinity : performance.now() + timeoutSeconds * 1000;
    for (;;) {
      const seen = Atomics.load(this.#answers, 0);
      const received = this.#poll();
      if (received) return received;
      if (session && Atomics.load(session.stopFlag, 0) !== 0) session.interrupted();
      const left = deadline - performance.now();
      if (left <= 0) {
        const call = callText(this.#running[waitingFor]!);
        throw new Error(
          `DataLoader worker ${waitingFor} has not answered within ${timeoutSeconds} s${call && `: it is in ${call}`}; ` +
            `raise timeout (seconds, 0 for none), or look for what hangs with numWorkers: 0.`,
        );
      }
      Atomics.wait(this.#answers, 0, seen, Math.min(SLICE_MS, left));
    }
  }

  #poll(): Received | undefined {
    for (const [worker, { port }] of this.#threads.entries()) {
      const message = receiveMessageOnPort(port) as { message: Answer } | undefined;
      if (message === undefined) continue;
      const answer = message.message;
      if ("exitCode" in answer) {
        throw new Error(
          `DataLoader worker ${worker} ended of itself with exit code ${answer.exitCode}; the dataset's module must not end the process.`,
        );
      }
      if (answer.number === -1 && "error" in answer) throw errorOf(worker, answer.error);
      if (answer.number === READY) this.#ready.add(worker);
      else if ("usage" in answer) this.#usage[worker] = answer.usage;
      return { worker, answer };
    }
    return undefined;
  }

  /** Ends the threads. Safe to call again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    abandoned.unregister(this);
    for (const { worker, port } of this.#threads) {
      port.close();
      void worker.terminate();
    }
    // Restores the default for threads that libtorch starts later, because each worker called setNumThreads(1).
    native.setNumThreads(native.getNumThreads());
  }
}

export { errorOf };
