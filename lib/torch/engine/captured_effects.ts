// Collects what the library's own JavaScript does while a step is captured, and a replay has to do again: an optimizer
// reads its learning rate, a schedule moves it on. Knows nothing of how a step is captured.
import { observeCells } from "../../session.ts";
import { rememberFields } from "./captured_fields.ts";
import type { CapturedProgram } from "./captured_program.ts";
import { native } from "./native.ts";

/** Runs before each replay of the step. */
export type Effect = (step: CapturedProgram) => void;

/** What one capture collected. */
export interface Collected {
  readonly effects: Effect[];
  /** A graph does nothing while it is captured. These run before its first replay, in place of the effects. */
  readonly beforeFirst: (() => void)[];
  /** Each says whether the step would still do what it did when it was captured. */
  readonly guards: (() => boolean)[];
  /** Whether the library made state in this call that later calls find, as an optimizer does for a new gradient. */
  madeState: boolean;
}

interface Collecting extends Collected {
  /** The program that the step is compared with, null where it is not. */
  readonly expected: CapturedProgram | null;
  /** Whether a graph of the device is captured. */
  readonly isGraph: boolean;
  /** The objects that the step reads, each with the fields that a replay follows. */
  readonly read: Map<object, readonly string[]>;
}

let collecting: Collecting | null = null;

let occasions = 0;

/** Says that variables may hold other objects from now on: a cell began, an optimizer or a parameter was made. */
export const noteOccasion = (): void => void occasions++;
observeCells({ cellStarted: noteOccasion });

/** How many such occasions there were. A step may find others in its variables after each. */
export const occasionsSoFar = (): number => occasions;

/** Whether a step is being captured, or compared with its capture. */
export const isCapturing = (): boolean => collecting !== null;

/**
 * Runs a step and collects. `expected`: the program that the step is compared with. `given`: objects that it gets, and
 * reads as it reads a model.
 */
export function collectEffects<Result>(
  {
    expected,
    isGraph,
    given,
  }: {
    readonly expected: CapturedProgram | null;
    readonly isGraph: boolean;
    readonly given: readonly object[];
  },
  step: () => Result,
): { result: Result; collected: Collected } {
  const collected: Collecting = {
    effects: [],
    beforeFirst: [],
    guards: [],
    madeState: false,
    expected,
    isGraph,
    read: new Map(given.map((object) => [object, []])),
  };
  const outer = collecting;
  collecting = collected;
  try {
    const result = step();
    // As the step leaves them: the next call finds them so, whether this one was a replay or not.
    collected.guards.push(rememberFields(collected.read));
    return { result, collected };
  } finally {
    collecting = outer;
  }
}

/**
 * Runs a change of JavaScript's state, as a schedule's step is, and repeats it before each replay. What it calls is not
 * collected again.
 */
export function repeatedEffect(run: () => void): void {
  const outer = collecting;
  collecting = null;
  try {
    run();
  } finally {
    collecting = outer;
  }
  outer?.effects.push(run);
}

/**
 * Says that the next operator takes numbers that may change between calls, by the names of its schema. A replay takes
 * those that `read` gives then.
 */
export function numbersReadAtReplay(read: () => Readonly<Record<string, number>>): void {
  if (collecting === null) return;
  const instruction = native.capturedInstructions();
  const set = (step: CapturedProgram) => {
    for (const [name, value] of Object.entries(read())) {
      if (value === last[name]) continue;
      native.setCapturedNumber(step, instruction, name, value);
      last = { ...last, [name]: value };
    }
  };
  let last: Readonly<Record<string, number>> = {};
  if (collecting.expected !== null) set(collecting.expected);
  last = read();
  collecting.effects.push(set);
}

/**
 * Prepares the next operator of a step with what JavaScript knows, now and before each replay. `apply` is no part of the
 * step. A learning rate that a graph reads from a tensor is written so.
 */
export function preparation<Known>(read: () => Known, apply: (known: Known) => void): void {
  const known = read();
  if (collecting === null) return apply(known);
  collecting.effects.push(() => apply(read()));
  if (collecting.isGraph) {
    collecting.beforeFirst.push(() => apply(known));
    return;
  }
  native.pauseCapture(true);
  try {
    apply(known);
  } finally {
    native.pauseCapture(false);
  }
}

/** Lets the step be captured anew where `holds` no longer does. */
export function guardCapture(holds: () => boolean): void {
  collecting?.guards.push(holds);
}

/**
 * Lets the step be captured anew where a field of the object, or of what its fields lead to, is another. `followed`:
 * fields whose new values a replay gets.
 */
export function noteRead(object: object, followed: readonly string[] = []): void {
  collecting?.read.set(object, followed);
}

/**
 * Says that this call makes state that later calls find: its program would make it anew each time, so it is not kept.
 *
 * @throws TypeError where a graph is captured, in which nothing is made
 */
export function noteMadeState(what: () => string): void {
  if (collecting === null) return;
  if (collecting.isGraph) throw new TypeError(`torch.capture: ${what()}`);
  collecting.madeState = true;
}

/** @throws TypeError while a step is captured. `what` says what a replay would not do, and the way out. */
export function refuseInCapture(what: () => string): void {
  if (collecting !== null) throw new TypeError(`torch.capture: ${what()}`);
}
