// Main program of the session process: connects the evaluation of cells, their output, and the requests that the worker
// thread passes on.
import { MessageChannel, Worker } from "node:worker_threads";
import { RUNTIME } from "../cell/names.ts";
import { IdleHeap } from "../process/idle_heap.ts";
import { installSession, observeCells } from "../../lib/session.ts";
import { FLIGHT_RECORD_FD } from "../session/channel.ts";
import { deliverComms } from "../../lib/comms/comms.ts";
import { listed } from "../../lib/words.ts";
import { Deadline, DeadlineError, expiredDeadlineError } from "../../lib/deadlines.ts";
import { interruptible, interruptibleEach, onAwait } from "./interrupt/awaits.ts";
import { createSharedText } from "./output/output_buffer.ts";
import { CellRunner } from "./cell_runner.ts";
import { type Cell, onGone, outputCell, owningCell, runningCells } from "./cells.ts";
import { followChildren } from "./commands/children.ts";
import { Comms } from "./comms.ts";
import { installConsole } from "./output/console.ts";
import { createControlWords, PAUSED_MS, STOP } from "./control.ts";
import { forgetThrow, keepFrame, keepThrow } from "./debugger/kept_throw.ts";
import { Expressions } from "./debugger/expressions.ts";
import { deno } from "./deno.ts";
import { heldValues } from "./debugger/held_values.ts";
import { debuggerValues } from "./debugger/shown_values.ts";
import { Deadlines } from "./interrupt/deadline_watch.ts";
import { installSink } from "./output/display.ts";
import { installJsx } from "./output/jsx.ts";
import { Evaluator } from "./evaluate.ts";
import { formatStacks } from "./errors/frames.ts";
import { keepOwnTextsInMessages, ownTextOf } from "./errors/own_text.ts";
import { printFunctionsAs } from "./function_text.ts";
import { defineGlobal, installGlobals } from "./globals.ts";
import { CellHistory } from "./history.ts";
import { Notebook } from "./modules/imports.ts";
import { inspectValue } from "./inspect.ts";
import { Interrupts, KeyboardInterrupt } from "./interrupt/interrupt.ts";
import { hideAsyncMarks } from "./output/promise_text.ts";
import { Magics, printTo } from "./magics.ts";
import { Program } from "./program.ts";
import { Prompter } from "./prompt.ts";
import { gatherText, report } from "./output/report.ts";
import { showWarnings } from "./output/warnings.ts";
import type { Forwarded, Posted, RequestThreadData } from "./requests.ts";
import { installStandardInput } from "./standard_input.ts";
import { Snapshots } from "./snapshots/snapshots.ts";
import { describeError } from "./errors/stack.ts";
import { isError, thrown } from "./errors/thrown.ts";
import { installCompilerHelpers } from "./modules/compiler_helpers.ts";

const words = createControlWords();
const { port1: inputReplies, port2 } = new MessageChannel();
const commMessages = new MessageChannel();
const text = createSharedText();
const workerData: RequestThreadData = { words, text, inputReplies: port2, comms: commMessages.port2 };
const requests = new Worker(new URL("./requests.js", import.meta.url), {
  workerData,
  transferList: [port2, commMessages.port2],
});

const post = (posted: Posted): void => requests.postMessage(posted);
gatherText(text, () => post({ type: "text" }));

const deadlines = new Deadlines(words, (notice) => post({ type: "deadline", ...notice }));
const interrupts = new Interrupts(words, deadlines, {
  answered: (interrupt, cell) => report({ type: "interrupted", interrupt, cell: cell?.id ?? null }),
  unwoundLate: (cell, error) => report({ type: "lateError", cell: cell.id, error: describeError(error) }),
});
const evaluator = new Evaluator(interrupts.unwound);
const history = new CellHistory();
const notebook = new Notebook(process.cwd());
const prompter = new Prompter(words, inputReplies, interrupts.throwNow);
const [fenceToken = ""] = process.argv.slice(2);
const program = Program.take(requests);
const snapshots = new Snapshots(evaluator, notebook.directory, (message) => printTo("stderr", message));
const magics = new Magics({ evaluator, history, prompter, snapshots, directory: notebook.directory });
const runner = new CellRunner({
  evaluator,
  interrupts,
  history,
  notebook,
  magics,
  snapshots,
  program,
  fenceToken,
});

formatStacks();
printFunctionsAs(ownTextOf);
keepOwnTextsInMessages();
const handling = {
  call: (handler: () => void) => evaluator.contain(handler),
  failed: handlerFailed,
};
onAwait(new Comms(words, commMessages.port1, handling).atAwait);
onGone((cell) => report({ type: "gone", cell }));
hideAsyncMarks();
const restoreConsole = installConsole();
followChildren({
  blocks: (others) => post({ type: "blocked", others }),
  returned: () => {
    post({ type: "blocked", others: null });
    if (Atomics.load(words, STOP) !== 0) interrupts.throwNow();
  },
  asUnderNode: program !== null,
});
// A program that `mpslab run` runs reads the stdin that the command gets.
if (program === null) installStandardInput(prompter.prompt);
installSink();
showWarnings((message) => printTo("stderr", message));
installSession({
  stopFlag: words,
  interrupted: interrupts.throwOnce,
  stopAfter: (deadlineMs) => deadlines.arm(deadlineMs, owningCell()?.signal),
  contain: (work) => evaluator.contain(work),
  cellSignal: () => (owningCell() ?? runningCells().at(-1))?.signal,
  // A plain read, because a cell may replace `Atomics.load`. The worker writes while this thread is paused.
  pausedMs: () => words[PAUSED_MS] as number,
  variables: () => snapshots.variables(),
  cells: () => Object.entries(history.inputs).map(([count, text]) => [Number(count), text] as const),
  importedFiles: () => notebook.importedFiles(),
  flightRecorderFile: FLIGHT_RECORD_FD,
  importModule: async (specifier) => notebook.import(specifier),
  moduleHooks: () => notebook.moduleHooks(),
});
observeCells({ epochEnded: () => snapshots.saveIfDue() });
installGlobals(history, prompter, notebook);
defineGlobal(RUNTIME.stop, words);
defineGlobal(RUNTIME.interrupted, interrupts.throwNow);
defineGlobal(RUNTIME.cleanup, interrupts.cleanup);
defineGlobal(RUNTIME.forceUnwind, interrupts.forceUnwind);
defineGlobal(RUNTIME.standsHere, interrupts.standsHere);
defineGlobal(RUNTIME.overdue, () => expiredDeadlineError() !== null);
defineGlobal(RUNTIME.await, interruptible);
defineGlobal(RUNTIME.awaitEach, interruptibleEach);
defineGlobal(RUNTIME.import, notebook.import);
defineGlobal(RUNTIME.imported, notebook.imported);
defineGlobal(RUNTIME.loadLate, notebook.loadLate);
defineGlobal(RUNTIME.magic, magics.run);
defineGlobal(RUNTIME.magicEnd, magics.end);
defineGlobal(RUNTIME.restore, (names: string[]) =>
  snapshots.restore(names, (message) => printTo("stdout", message)),
);
defineGlobal(RUNTIME.deno, deno);
defineGlobal(RUNTIME.meta, notebook.meta);
defineGlobal(RUNTIME.thrown, thrown);
const expressions = new Expressions(words, (interrupt) =>
  report({ type: "interrupted", interrupt, cell: null }),
);
defineGlobal(RUNTIME.debugger, {
  ...expressions.each({ ...debuggerValues, ...heldValues }),
  holds: expressions.holds,
  keepFrame,
  keepThrow,
  forgetThrow,
});
installCompilerHelpers();
installJsx(notebook.requireImported);

const idleHeap = new IdleHeap(() => runningCells().length === 0);
requests.on("message", receive);

function receive(message: Forwarded): void {
  idleHeap.busy();
  switch (message.type) {
    case "run":
      if (message.imports.length > 0) idleHeap.loaded();
      listen();
      if (runningCells().length === 0) beginsAnew(message.cell);
      runner.run(message);
      break;
    case "interrupt":
      interrupts.messageArrived(message.interrupt);
      break;
    case "commArrived":
      deliverComms();
      break;
    case "inspect":
      report({ type: "inspected", id: message.id, inspection: inspectValue(evaluator, message) });
      break;
    case "shutdown":
      process.exit(0);
  }
}

const HANDLED_LATE = "A rejected promise, reported above as an error, has been handled after all.\n";

/**
 * Node 24 reports outside of any cell's context that a rejection was handled, so the cell is remembered when the
 * rejection is reported.
 */
const cellsOfRejections = new WeakMap<WeakKey, Cell>();

function rejected(error: unknown, promise: unknown): void {
  const cell = outputCell();
  if (cell !== null) cellsOfRejections.set(promise as Promise<unknown>, cell);
  escapedFromCell(error, promise);
}

function handledLate(promise: unknown): void {
  const cell = cellsOfRejections.get(promise as Promise<unknown>);
  const untold = cell?.leftErrors?.findIndex((left) => left.promise === promise) ?? -1;
  if (untold >= 0) return void cell?.leftErrors?.splice(untold, 1);
  if (cell !== undefined) report({ type: "stream", cell: cell.id, name: "stderr", text: HANDLED_LATE });
}

function escapedFromCell(error: unknown, promise: unknown = null): void {
  // The deadline's error escaped in a promise or a timer of the work. The code that set the deadline reports it.
  if (isError(error) && error instanceof DeadlineError) return;
  Deadline.current()?.escapes(error);
  const cell = outputCell();
  const told = isError(error) && error instanceof KeyboardInterrupt && interrupts.escaped(error);
  if (cell === null || told || program?.escaped(error)) return;
  if (cell.leftErrors !== null) cell.leftErrors.push({ error, promise });
  else report({ type: "lateError", cell: cell.id, error: runner.describe(error) });
}

/** If a handler is interrupted at the end of an epoch, the loop that waits for it must stop too. */
function handlerFailed(error: unknown, synchronous: boolean): void {
  if (synchronous && error instanceof KeyboardInterrupt) throw error;
  escapedFromCell(error);
}

const LISTENERS: readonly (readonly [
  event: string,
  listener: (value: unknown, promise?: unknown) => void,
])[] = [
  ["uncaughtException", (error) => escapedFromCell(error)],
  ["unhandledRejection", rejected],
  // Node prints no warning of its own if there is a listener. The error is in the cell's output above already.
  ["rejectionHandled", handledLate],
  // Ctrl-C in the terminal of Jupyter reaches the whole process group; the kernel decides what it means.
  ["SIGINT", () => {}],
];

/** Undoes what an earlier cell has changed in the console and in the listeners for errors. */
function beginsAnew(cell: string): void {
  const replaced = [...restoreConsole(), ...dropListeners()];
  if (replaced.length === 0) return;
  const text = `An earlier cell has changed ${listed(replaced)}: from here on that is the kernel's own again.\n`;
  report({ type: "stream", cell, name: "stderr", text });
}

function dropListeners(): string[] {
  return LISTENERS.filter(([event]) => event !== "SIGINT").flatMap(([event, own]) => {
    const added = process.listeners(event as NodeJS.Signals).filter((listener) => listener !== own);
    for (const listener of added) process.off(event, listener);
    return added.length > 0 ? [`process.on("${event}")`] : [];
  });
}

/**
 * Adds the listeners before each cell. An earlier cell may have removed them all, and Node would end at the next late
 * error.
 */
function listen(): void {
  for (const [event, listener] of LISTENERS) {
    if (!process.listeners(event as NodeJS.Signals).includes(listener)) process.on(event, listener);
  }
}

listen();
report({ type: "ready", pid: process.pid });
