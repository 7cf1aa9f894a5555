// The session's worker thread: reads requests while the main thread runs a cell. Interrupts act at once, through shared
// memory; everything else is passed on. If the kernel process disappears, it ends this one.
//
// The worker reads the pipe in its event loop and not with a blocking read, because the same event loop drives the
// inspector, which stops endless loops in packages.
import { write } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { IdleHeap } from "../process/idle_heap.ts";
import {
  type CommMessage,
  DEBUGGER_FD,
  type DebuggerCommand,
  encodeFrame,
  FrameDecoder,
  type FromSession,
  REPORT_FD,
  REQUEST_FD,
  type ToSession,
} from "../session/channel.ts";
import { OutputBufferDrain, type SharedText, type TextReport } from "./output/output_buffer.ts";
import {
  ARRIVED,
  COMMS,
  FOR_EXPRESSION,
  interruptWaits,
  isAnswered,
  PAUSED_MS,
  REQUESTED,
  STOP,
  STOPPED_IN_PAUSE,
} from "./control.ts";
import { BlockedThread } from "./commands/blocked_thread.ts";
import { DebuggerCommands } from "./debugger/debugger_commands.ts";
import { ExpressionStopper } from "./debugger/expression_stopper.ts";
import { MainThreadInspector } from "./debugger/main_thread_inspector.ts";
import { type DeadlineNotice, DeadlineTimer } from "./interrupt/deadline_watch.ts";
import { PackageStopper, type StopRequest } from "./interrupt/pause.ts";

export interface RequestThreadData {
  readonly words: Int32Array;
  /** Text that the main thread prints faster than it can write. It posts a message when there is some. */
  readonly text: SharedText;
  /** The port that `prompt` reads while it blocks the main thread. */
  readonly inputReplies: MessagePort;
  /** The port that loops of the main thread read for widgets. */
  readonly comms: MessagePort;
}

/**
 * The messages from the main thread: text was printed, a notice about a deadline, a call begins or ceases to wait for a
 * child.
 */
export type Posted =
  | { readonly type: "text" }
  | ({ readonly type: "deadline" } & DeadlineNotice)
  | { readonly type: "blocked"; readonly others: readonly number[] | null };

/** The messages to the main thread: requests in their order, and interrupts by number. */
export type Forwarded =
  | Exclude<ToSession, CommMessage | DebuggerCommand | { type: "interrupt" | "inputReply" }>
  /** A comm message waits on its port, unless a loop has read it meanwhile. */
  | { readonly type: "commArrived" }
  | { readonly type: "interrupt"; readonly interrupt: number };

const { words, text, inputReplies, comms } = workerData as RequestThreadData;
const main = parentPort as MessagePort;
const inspector = new MainThreadInspector((pausedMs) => Atomics.add(words, PAUSED_MS, Math.floor(pausedMs)));
const stopper = new PackageStopper(inspector);
const blockedThread = new BlockedThread(() => interruptWaits(words));
const deadlines = new DeadlineTimer(words, {
  expired: wakePrompt,
  // An interrupt that is being watched stops at least as much as a deadline would.
  watch: (request) => stopper.watches || stopper.watch(request),
});
const debuggerCommands = new DebuggerCommands(inspector, {
  report: reportOfDebugger,
  interruptWaits: () => interruptWaits(words),
  pauses: (paused) => (paused ? deadlines.suspend() : deadlines.resume()),
});
const expressions = new ExpressionStopper(words);
const decoder = new FrameDecoder<ToSession>();
const EXIT_GRACE_MS = 1000;
/** How long printed text waits for more text. */
const TEXT_WAIT_MS = 3;
const RETRY_MS = 1;
const writeSome = promisify(write);

function forward(message: Forwarded): void {
  main.postMessage(message);
}

function receive(message: ToSession): void {
  if (message.type === "interrupt") {
    interruptMain();
  } else if (message.type === "inputReply") {
    inputReplies.postMessage(message.value);
    wakePrompt();
  } else if (message.type === "comm") {
    passComm(message);
  } else if (message.type === "debuggerCommand") {
    void debuggerCommands.run(message);
  } else {
    if (message.type === "run") debuggerCommands.configure(message.typescript);
    if (message.type === "shutdown") debuggerCommands.detach();
    forward(message);
  }
}

function interruptMain(): void {
  const interrupt = Atomics.load(words, REQUESTED) + 1;
  // If the code is paused and the debugger evaluates an expression, only the expression ends.
  const isForExpression = debuggerCommands.pause !== null && expressions.runs;
  if (isForExpression) Atomics.store(words, FOR_EXPRESSION, interrupt);
  Atomics.store(words, REQUESTED, interrupt);
  Atomics.store(words, STOP, 1);
  if (!isForExpression) stopCells(interrupt);
  wakePrompt();
  blockedThread.stop();
  if (isForExpression) expressions.stop(interrupt, () => stopCells(interrupt));
}

function stopCells(interrupt: number): void {
  Atomics.store(words, FOR_EXPRESSION, 0);
  forward({ type: "interrupt", interrupt });
  const { pause } = debuggerCommands;
  if (pause === null) {
    // Errors in a breakpoint's condition are swallowed. So the interrupt is thrown at the cell's end, if no check
    // throws it earlier.
    if (expressions.runs) {
      Atomics.store(words, STOPPED_IN_PAUSE, interrupt);
      expressions.stop(interrupt, () => {});
    }
    stopper.watch(stopForInterrupt(interrupt));
  } else {
    Atomics.store(words, STOPPED_IN_PAUSE, interrupt);
    stopper.stopPaused(stopForInterrupt(interrupt), pause);
  }
}

function stopForInterrupt(interrupt: number): StopRequest {
  return {
    isAnswered: () => isAnswered(words, interrupt),
    concernsAll: true,
    restarts() {},
    unwinds() {},
  };
}

/** Posts the message before it raises the count, so that a reader that sees the count finds the message. */
function passComm(message: CommMessage): void {
  comms.postMessage(
    message,
    message.buffers.map(({ buffer }) => buffer as ArrayBuffer),
  );
  Atomics.add(words, COMMS, 1);
  forward({ type: "commArrived" });
}

function wakePrompt(): void {
  Atomics.add(words, ARRIVED, 1);
  Atomics.notify(words, ARRIVED);
}

/** The kernel process closed the pipe or is gone: ends this process, even if the main thread is in an endless loop. */
function leave(): void {
  debuggerCommands.detach();
  forward({ type: "shutdown" });
  setTimeout(() => process.kill(process.pid, "SIGKILL"), EXIT_GRACE_MS);
}

const idleHeap = new IdleHeap();
const pipe = new Socket({ fd: REQUEST_FD, readable: true, writable: false });
pipe.on("data", (chunk: Buffer) => {
  idleHeap.busy();
  decoder.push(chunk).forEach(receive);
});
pipe.once("close", leave);
pipe.on("error", () => {});

const writeReport = (report: TextReport): Promise<void> => writeFrame(REPORT_FD, report);

let debuggerReports: Promise<void> = Promise.resolve();

function reportOfDebugger(message: FromSession): void {
  debuggerReports = debuggerReports.then(() => writeFrame(DEBUGGER_FD, message));
}

/** Writes in a thread of Node's pool, because writing may block and this thread must read interrupts. */
async function writeFrame(fd: number, report: FromSession): Promise<void> {
  const frame = encodeFrame(report);
  for (let written = 0; written < frame.length;) {
    try {
      written += (await writeSome(fd, frame, written)).bytesWritten;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") return; // The kernel process is gone, and `leave` ends this one.
      await sleep(RETRY_MS);
    }
  }
}

const tail = new OutputBufferDrain(text, writeReport);
main.on("message", (posted: Posted) => {
  if (posted.type === "text") setTimeout(() => void tail.flush(), TEXT_WAIT_MS);
  else if (posted.type === "blocked") blockedThread.waits(posted.others);
  else deadlines.watch(posted);
});
