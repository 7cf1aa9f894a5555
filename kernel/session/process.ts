// Runs one session process: its pipes, its messages, its end. The supervisor restarts it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { bundledProgram } from "../../lib/installation/package.ts";
import { type System, thisSystem } from "../../lib/platform/system.ts";
import { CapturedStream } from "./capture.ts";
import { FlightRecord, type LastOperator } from "./flight_record.ts";
import { CrashStderrFilter } from "./crash_stderr_filter.ts";
import {
  DEBUGGER_FD,
  encodeFrame,
  FrameDecoder,
  type FromSession,
  REPORT_FD,
  REQUEST_FD,
  type ToSession,
} from "./channel.ts";

/**
 * The environment variables that set up the session's libraries on a system, unless the user has set them.
 *
 * GOMP_SPINCOUNT: OpenMP's threads spin before they sleep, but the kernel, the compiler's server and the collector need
 * the same cores. A training step on 2 cores, with one of them taken: 15 ms; with libgomp's default of 300,000 turns up
 * to 42 ms on average. On quiet cores it takes 5.9 ms with either setting (6.8 ms when the threads never spin).
 *
 * GLIBC_TUNABLES: the collector frees small objects of libtorch a thousand at a time, and malloc's quick lists keep
 * seven of a size. With a thousand, an `add` of small tensors takes 1.42 us instead of 1.65. They are each thread's own
 * and of every size up to 1,032 bytes, 34 MB of each thread that frees what another made: 1.8 MB more after each
 * thousand cells. Objects of libtorch have up to 320 bytes, and the others gain nothing. By default each thread makes
 * an arena of its own, which keeps 4 to 7 MB free for this thread only; four arenas are enough for the threads that
 * allocate at the same time.
 *
 * KMP_BLOCKTIME: PyTorch's wheel for Macs brings LLVM's OpenMP, whose threads spin for 200 ms unless this says fewer.
 * One millisecond is the least that still covers the time between two operators. This has not been measured on a Mac.
 * macOS's malloc has no settings like glibc's.
 */
export function sessionEnvironment(
  { name }: Pick<System, "name">,
  user: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const spins = user["OMP_WAIT_POLICY"] === undefined;
  if (name === "darwin") return spins ? { KMP_BLOCKTIME: "1" } : {};
  return {
    ...(spins && { GOMP_SPINCOUNT: "4000" }),
    GLIBC_TUNABLES: "glibc.malloc.tcache_count=1000:glibc.malloc.tcache_max=320:glibc.malloc.arena_max=4",
  };
}

export const SESSION_ENVIRONMENT = sessionEnvironment(thisSystem, process.env);

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the kernel ended the process; null if it ended by itself. */
  readonly cause: "close" | "interrupted" | null;
  /** Why the process did not start; null if it did. */
  readonly failure: string | null;
  /** Whether V8 reported that its heap is full. */
  readonly heapFull: boolean;
  /** Whether the system has killed a process for lack of memory since this one began. */
  readonly memoryShort: boolean;
  /** Null if no operator has run. */
  readonly lastOperator: LastOperator | null;
}

export interface SessionProcessEvents {
  message(message: FromSession): void;
  /** Text on the process's own stdout or stderr. */
  captured(name: "stdout" | "stderr", text: string): void;
  /** Called once, after the last message. */
  exited(exit: Exit): void;
}

/** A child that outlives the session may keep its stdout open for ever, so its end is not awaited longer than this. */
const DRAIN_MS = 500;
const CLOSE_GRACE_MS = 2_000;

export class SessionProcess {
  readonly #child: ChildProcess;
  readonly #requests: Writable;
  readonly #captured: readonly CapturedStream[];
  readonly #outputs: readonly Readable[];
  readonly #gone: Promise<void>;
  readonly #flightRecord = new FlightRecord();
  readonly #killsBefore = outOfMemoryKills();
  readonly #crashStderrFilter: CrashStderrFilter;
  #cause: Exit["cause"] = null;

  /** @param environment variables that this process has in addition to the kernel's */
  constructor(
    directory: string,
    events: SessionProcessEvents,
    environment: Readonly<Record<string, string>> = {},
  ) {
    const token = randomBytes(16).toString("hex");
    // The child is in the same process group: Jupyter kills the group, and a session outside of it would keep its
    // tensors.
    this.#child = spawn(
      process.execPath,
      [...NODE_OPTIONS, bundledProgram("kernel/runtime/host.js"), token],
      {
        cwd: directory,
        env: { ...SESSION_ENVIRONMENT, ...process.env, ...environment },
        stdio: [
          // A program that `mpslab run` runs reads the stdin of that command.
          process.env["MPSLAB_PROGRAM"] === undefined ? "ignore" : "inherit",
          ...(["pipe", "pipe", "pipe", "pipe"] as const),
          this.#flightRecord.file ?? "ignore",
          "pipe",
        ],
      },
    );
    const { stdout, stderr, stdio } = this.#child;
    this.#requests = stdio[REQUEST_FD] as Writable;
    // The process may die while a request is being sent; its exit is reported.
    this.#requests.on("error", () => {});
    this.#crashStderrFilter = new CrashStderrFilter((text) => events.captured("stderr", text));
    this.#captured = [
      capture(stdout as Readable, token, (text) => events.captured("stdout", text)),
      capture(stderr as Readable, token, (text) => this.#crashStderrFilter.push(text)),
    ];
    const reports = stdio[REPORT_FD] as Readable;
    for (const pipe of [reports, (stdio as readonly unknown[])[DEBUGGER_FD] as Readable]) {
      const decoder = new FrameDecoder<FromSession>();
      pipe.on("data", (chunk: Buffer) => {
        for (const message of decoder.push(chunk)) events.message(message);
      });
    }
    this.#outputs = [reports, stdout as Readable, stderr as Readable];
    this.#gone = this.#end(events);
  }

  send(message: ToSession): void {
    if (this.#requests.writable) this.#requests.write(encodeFrame(message));
  }

  /** Resolves when all that was written to stdout and stderr before the cell's end has been reported. */
  async drained(cell: string): Promise<void> {
    await Promise.all(this.#captured.map((stream) => stream.passed(cell)));
    this.#crashStderrFilter.release();
  }

  /** Whether to stop reading the output for now, which makes the process wait when it writes. */
  hold(held: boolean): void {
    for (const output of this.#outputs) {
      if (held) output.pause();
      else output.resume();
    }
  }

  kill(cause: "interrupted"): void {
    this.#cause = cause;
    this.#child.kill("SIGKILL");
  }

  async close(): Promise<void> {
    this.#cause = "close";
    this.send({ type: "shutdown" });
    this.#requests.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), CLOSE_GRACE_MS);
    await this.#gone;
    clearTimeout(timer);
  }

  async #end(events: SessionProcessEvents): Promise<void> {
    const exit = await new Promise<Pick<Exit, "code" | "signal" | "failure">>((resolve) => {
      this.#child.once("exit", (code, signal) => resolve({ code, signal, failure: null }));
      // Starting may fail: no such folder, no memory or no file descriptor.
      this.#child.once("error", ({ message }) => resolve({ code: null, signal: null, failure: message }));
    });
    this.hold(false);
    await Promise.race([
      Promise.all(this.#outputs.map(ended)),
      new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref()),
    ]);
    for (const output of this.#outputs) output.destroy();
    const lastOperator = this.#flightRecord.read();
    this.#flightRecord.close();
    const { heapFull } = this.#crashStderrFilter;
    const memoryShort = outOfMemoryKills() > this.#killsBefore;
    events.exited({ ...exit, cause: this.#cause, heapFull, memoryShort, lastOperator });
  }
}

/**
 * `gc` is needed to flush epochs, and `import.meta.resolve` must resolve from the notebook's folder. Node's warnings
 * about its own experimental features are hidden. The inspector's port must not give away the token in its path,
 * because any user of this machine could ask for it.
 */
const NODE_OPTIONS = [
  "--expose-gc",
  "--experimental-import-meta-resolve",
  "--disable-warning=ExperimentalWarning",
  "--inspect-publish-uid=stderr",
];

function capture(stream: Readable, token: string, text: (text: string) => void): CapturedStream {
  const captured = new CapturedStream(token, text);
  stream.on("data", (chunk: Buffer) => captured.push(chunk));
  stream.once("close", () => captured.end());
  return captured;
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once("close", () => resolve());
  });
}

/** How often the system has killed a process for lack of memory since it booted; 0 if it does not count. */
function outOfMemoryKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
