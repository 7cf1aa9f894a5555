// Layout of the memory that the session's main thread shares with its worker.
//
// An interrupt is a number that grows. The worker writes it to REQUESTED and sets STOP; whoever stops the user's code
// for it writes it to ANSWERED. The same number also travels as a message: when the main thread reads that message,
// no user code is on its stack, and a STOP that nobody saw can be cleared.

/** Read by every loop of a compiled cell as element 0 of `__mpslab_stop`, and by the tensor dispatcher. */
export const STOP = 0;
export const REQUESTED = 1;
export const ANSWERED = 2;
/** Counts up when an input reply or an interrupt has arrived; a blocking `prompt` waits on it. */
export const ARRIVED = 3;
/** Counts the comm messages that wait on their port; a loop that reads a widget looks here first. */
export const COMMS = 4;
/** 1 after the worker has unwound code because of a deadline, until the main thread has read it. */
export const UNWOUND = 5;
/** Milliseconds for which the debugger has held the main thread paused since the session began. */
export const PAUSED_MS = 6;
/** The last interrupt that found the code paused by the debugger. */
export const STOPPED_IN_PAUSE = 7;

/** The number of the debugger's expression that is running; negative while the signal that ends it is on its way. */
export const EXPRESSION = 8;
/** The last interrupt that came while the code was paused and an expression ran: it ends only the expression. */
export const FOR_EXPRESSION = 9;

export function createControlWords(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(10 * Int32Array.BYTES_PER_ELEMENT));
}

export function isAnswered(words: Int32Array, interrupt: number): boolean {
  return Atomics.load(words, ANSWERED) >= interrupt;
}

/** Whether an interrupt has come that is not answered yet. */
export function interruptWaits(words: Int32Array): boolean {
  return !isAnswered(words, Atomics.load(words, REQUESTED));
}

/** Whether the last interrupt found the code paused by the debugger. */
export function stoppedInPause(words: Int32Array): boolean {
  return (
    Atomics.load(words, STOPPED_IN_PAUSE) === Atomics.load(words, REQUESTED) &&
    Atomics.load(words, REQUESTED) > 0
  );
}

/** Whether the last interrupt is for the debugger's expression only. */
export function endsExpression(words: Int32Array): boolean {
  return Atomics.load(words, FOR_EXPRESSION) === Atomics.load(words, REQUESTED);
}

/** Answers every interrupt up to now. @returns the last one's number */
export function answer(words: Int32Array): number {
  const interrupt = Atomics.load(words, REQUESTED);
  Atomics.store(words, STOP, 0);
  Atomics.store(words, ANSWERED, interrupt);
  return interrupt;
}
