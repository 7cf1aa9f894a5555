// Schedules the handlers of comms. A message is read as soon as code asks, also inside a loop. Its handlers wait in
// this queue for the next await, the end of an epoch or the end of the cell, and so never interrupt synchronous code.
import { AsyncResource } from "node:async_hooks";
import { commTransport } from "./transport.ts";

const waiting: (() => void)[] = [];
let running = false;
/** Whether code waits for the handlers that are running now. */
let synchronously = false;
/** The message that is being handled: messages sent meanwhile are caused by it. */
let cause: unknown;

/** See `CommPacket.cause`. */
export function currentCause(): unknown {
  return cause;
}

export function causedBy(message: unknown, work: () => void): void {
  const before = cause;
  cause = message;
  try {
    work();
  } finally {
    cause = before;
  }
}

/**
 * Runs `handler` in the async context in which it was registered, as if it were called there; an error that it throws
 * is reported as that cell's.
 */
export function bindHandler<Arguments extends unknown[]>(
  handler: (...values: Arguments) => unknown,
): (...values: Arguments) => void {
  const guarded = (...values: Arguments): void => {
    try {
      commTransport().call(() => void handler(...values));
    } catch (error) {
      commTransport().failed(error, synchronously);
    }
  };
  return AsyncResource.bind(guarded) as typeof guarded;
}

/** Puts a call of bound handlers into the queue. */
export function later(work: () => void): void {
  const handled = cause;
  waiting.push(() => causedBy(handled, work));
  // The microtask is needed for a cell whose awaits never reach the event loop: the message itself does not wake it.
  if (waiting.length === 1) queueMicrotask(runHandlers);
}

/**
 * @param options.synchronous code waits for the handlers, so that an interrupt of a handler stops that code as well
 */
export function runHandlers({ synchronous = false } = {}): void {
  // A handler may train a model with epochs of its own. The handlers after it still wait until it returns.
  if (running) return;
  running = true;
  synchronously = synchronous;
  try {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
  } finally {
    running = false;
  }
}
