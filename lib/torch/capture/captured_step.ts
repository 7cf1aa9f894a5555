// One capture of a step: for one pattern and geometry of arguments, the program that replays it.
import { collectEffects, type Collected } from "../engine/captured_effects.ts";
import type { CapturedProgram } from "../engine/captured_program.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { isThenable } from "../vocabulary/arguments.ts";
import { hasPattern, putTensors, takeTensors, type Pattern } from "./arguments.ts";

/** What the first and later eager calls of a step gave. */
interface Recorded {
  /** Results that later calls of the step give too: without graph. */
  readonly value: unknown;
  readonly result: Pattern;
  readonly program: CapturedProgram;
  readonly device: string;
  readonly difference: { readonly text: string; readonly place: string } | null;
  readonly collected: Collected;
}

type Step = (...args: never[]) => unknown;

/** Runs the step as ever, and writes down what it does. */
export function record(step: Step, args: readonly unknown[], expected: CapturedProgram | null): Recorded {
  const inputs: Tensor[] = [];
  takeTensors(args, inputs);
  native.beginCapture(inputs, expected);
  try {
    const { result: value, collected } = collectEffects(expected, () => step(...(args as never[])));
    if (isThenable(value)) {
      throw new TypeError(
        "torch.capture: the step returned a promise, and a replay waits for nothing: await outside of the step, and pass what came as an argument.",
      );
    }
    const tensors: Tensor[] = [];
    const result = takeTensors(value, tensors);
    const { step: program, device, difference } = native.endCapture(tensors);
    const detached = tensors.map((tensor) => (native.requiresGrad(tensor) ? tensor.detach() : tensor));
    return { value: putTensors(result, detached.values()), result, program, device, difference, collected };
  } finally {
    native.abandonCapture();
  }
}

/** A step as it was captured once. */
export class CapturedStep {
  readonly #pattern: Pattern;
  readonly #program: CapturedProgram;
  readonly #result: Pattern;
  #collected: Collected;
  #calls = 0;

  constructor(args: readonly unknown[], recorded: Recorded) {
    this.#pattern = takeTensors(args, []);
    this.#program = recorded.program;
    this.#result = recorded.result;
    this.#collected = recorded.collected;
  }

  /** Replays since the capture. */
  get calls(): number {
    return this.#calls;
  }

  /** The results, or null where the arguments, or what the step depends on, are not those of this capture. */
  replay(args: readonly unknown[]): { readonly value: unknown } | null {
    const inputs: Tensor[] = [];
    if (!hasPattern(this.#pattern, args, inputs)) return null;
    const { guards, effects } = this.#collected;
    for (const holds of guards) if (!holds()) return null;
    if (!native.fitsCapture(this.#program, inputs)) return null;
    for (const effect of effects) effect(this.#program);
    this.#calls++;
    const results = native.replay(this.#program, inputs);
    return { value: putTensors(this.#result, results.values()) };
  }

  /** Runs the step as ever where its arguments are those of this capture, and throws where it does something else. */
  check(step: Step, args: readonly unknown[]): { readonly value: unknown } | null {
    const inputs: Tensor[] = [];
    if (!hasPattern(this.#pattern, args, inputs) || !this.#collected.guards.every((holds) => holds())) return null;
    if (!native.fitsCapture(this.#program, inputs)) return null;
    const { value, difference, collected } = record(step, args, this.#program);
    if (difference !== null) {
      const place = difference.place === "" ? "" : ` (${difference.place})`;
      throw new Error(
        `torch.capture: after ${this.#calls} replays the step ${difference.text}${place}. A replay repeats the numbers and tensors of its capture: pass what changes as an argument, numbers as tensors, or call capture() again.`,
      );
    }
    this.#collected = collected;
    this.#calls++;
    return { value };
  }
}
