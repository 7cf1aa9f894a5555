// Collects what the library's own JavaScript does while a step is captured, because a replay has to repeat it: an
// optimizer reads its learning rate, a schedule changes it. Knows nothing of how a step is captured.
import { observeCells } from "../../session.ts";
import { rememberFields } from "./captured_fields.ts";
import type { CapturedProgram } from "./captured_program.ts";
import { native } from "./native.ts";

/** Runs before each replay of the step. */
export type Effect = (step: CapturedProgram) => void;

/** What one capture collected. */
export interface Collected {
  readonly effects: Effect[];
  /**
   * Run before a graph's first replay, in place of the effects, because the graph did nothing while it was captured.
   */
  readonly beforeFirst: (() => void)[];
  /** Each returns whether the step would still do what it did when it was captured. */
  readonly guards: (() => boolean)[];
  /** Whether the library created state in this call that later calls find, as an optimizer does for a new gradient. */
  madeState: boolean;
}

interface Collecting extends Collected {
  /** The program with which the step is compared; null if it is not compared. */
  readonly expected: CapturedProgram | null;
  /** Whether the step is captured as a graph of the device. */
  readonly isGraph: boolean;
  /** The objects that the step reads, each with the fields that a replay follows. */
  readonly read: Map<object, readonly string[]>;
}

let collecting: Collecting | null = null;

let occasions = 0;

/** Notes that variables may hold other objects from now on: a cell began, or an optimizer or a parameter was made. */
export const noteOccasion = (): void => void occasions++;
observeCells({ cellStarted: noteOccasion });

/** How many such occasions there were. After each, a step may find other objects in its variables. */
export const occasionsSoFar = (): number => occasions;

/** Whether a step is being captured, or compared with its capture. */
export const isCapturing = (): boolean => collecting !== null;

/**
 * Runs a step and collects its effects. `expected`: the program with which the step is compared. `given`: objects among
 * its arguments, which it reads like a model.
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
    // The objects are remembered as the step leaves them, because the next call finds them in that state, after a
    // replay too.
    collected.guards.push(rememberFields(collected.read));
    return { result, collected };
  } finally {
    collecting = outer;
  }
}

/**
 * Runs a change of JavaScript state, such as a schedule's step, and repeats it before each replay. Effects of what it
 * calls are not collected separately.
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
 * Says that the next operator takes numbers that may change between calls, by their names in the schema. A replay
 * passes the numbers that `read` returns then.
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
 * Prepares the next operator of a step with what JavaScript knows, now and before each replay. `apply` is not part of
 * the step. It is used, for example, to write a learning rate into the tensor from which a graph reads it.
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

/** Lets the step be captured again when `holds` returns false. */
export function guardCapture(holds: () => boolean): void {
  collecting?.guards.push(holds);
}

/**
 * Lets the step be captured again if a field of the object, or of objects that its fields lead to, has changed.
 * `followed`: fields whose new values a replay uses.
 */
export function noteRead(object: object, followed: readonly string[] = []): void {
  collecting?.read.set(object, followed);
}

/**
 * Says that this call creates state that later calls find. Its program would create that state each time, so it is not
 * kept.
 *
 * @throws TypeError while a graph is captured, in which no state can be created
 */
export function noteMadeState(what: () => string): void {
  if (collecting === null) return;
  if (collecting.isGraph) throw new TypeError(`torch.capture: ${what()}`);
  collecting.madeState = true;
}

/** @throws TypeError while a step is captured. `what` says what a replay would not do, and the way out */
export function refuseInCapture(what: () => string): void {
  if (collecting !== null) throw new TypeError(`torch.capture: ${what()}`);
}
