// One capture of a step: for one pattern and geometry of arguments, the program that replays it.
import { occasionsSoFar, collectEffects, type Collected } from "../engine/captured_effects.ts";
import type { CapturedProgram } from "../engine/captured_program.ts";
import { placeOf } from "../engine/call_site.ts";
import { defaultDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { hasPattern, objectsIn, putTensors, takeTensors, type Pattern } from "./arguments.ts";

/** A run of the step as ever, and what it did. */
export interface Recorded {
  /** What the step returned, as later calls return it: without graph. */
  readonly value: unknown;
  readonly result: Pattern;
  readonly program: CapturedProgram;
  readonly device: DeviceName;
  readonly difference: { readonly text: string; readonly place: string } | null;
  readonly collected: Collected;
}

export type Step = (...args: never[]) => unknown;

interface RecordOptions {
  /** Whether this is the first call of such arguments, which may make state that later ones find. */
  readonly isFirst?: boolean;
  /** The program to compare with. */
  readonly expected?: CapturedProgram;
  /** The device on whose side stream the step runs. */
  readonly stream?: DeviceName;
}

/** Runs the step as ever, and writes down what it does. */
export function record(step: Step, args: readonly unknown[], options: RecordOptions = {}): Recorded {
  const { expected = null, ...where } = options;
  const inputs: Tensor[] = [];
  takeTensors(args, inputs);
  return recorded(step, args, inputs, expected, where);
}

/** Captures the step as a graph of the device, which does nothing yet. Its arguments are copies that stay. */
export function recordGraph(step: Step, args: readonly unknown[], stream: DeviceName): Recorded {
  const given: Tensor[] = [];
  const pattern = takeTensors(args, given);
  const inputs = given.map((tensor) => {
    const copy = tensor.detach().clone().requiresGrad_(native.requiresGrad(tensor));
    native.keep(copy);
    return copy;
  });
  const copies = putTensors(pattern, inputs.values()) as unknown[];
  return recorded(step, copies, inputs, null, { stream, graph: true });
}

function recorded(
  step: Step,
  args: readonly unknown[],
  inputs: readonly Tensor[],
  expected: CapturedProgram | null,
  where: { readonly stream?: DeviceName; readonly graph?: boolean; readonly isFirst?: boolean },
): Recorded {
  native.beginCapture(inputs, expected, where);
  try {
    const { result: value, collected } = collectEffects(
      { expected, isGraph: where.graph === true, given: objectsIn(args) },
      () => step(...(args as never[])),
    );
    requireFinished(
      "torch.capture",
      value,
      "a replay waits for nothing: await outside of the step, and pass what came as an argument.",
    );
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
  /** Where the step makes tensors without naming a device. */
  readonly #factoryDevice = defaultDevice();
  #collected: Collected;
  #calls = 0;
  #occasions = occasionsSoFar();

  constructor(args: readonly unknown[], { program, result, collected }: Recorded) {
    this.#pattern = takeTensors(args, []);
    this.#program = program;
    this.#result = result;
    this.#collected = collected;
  }

  /**
   * Whether this call is to be a check: every so many calls, and before that at the second, fourth, eighth..., for what
   * changes soon is found soon. So is the first call after an occasion to set a variable that the step finds.
   */
  isDue(every: number): boolean {
    if (every === 0) return false;
    const calls = this.#calls;
    const isEarly = calls > 1 && calls < every && (calls & (calls - 1)) === 0;
    return isEarly || calls % every === 0 || this.#occasions !== occasionsSoFar();
  }

  /** The tensors among the arguments; null where the arguments, or what the step depends on, are not of this capture. */
  inputsOf(args: readonly unknown[]): Tensor[] | null {
    const inputs: Tensor[] = [];
    if (!hasPattern(this.#pattern, args, inputs) || defaultDevice() !== this.#factoryDevice) return null;
    for (const holds of this.#collected.guards) if (!holds()) return null;
    return native.fitsCapture(this.#program, inputs) ? inputs : null;
  }

  /** The first replay of a graph, whose step ran without doing anything. */
  replayFirst(inputs: readonly Tensor[]): unknown {
    for (const prepare of this.#collected.beforeFirst) prepare();
    return this.#run(inputs);
  }

  /** Repeats what the library's JavaScript does in the step, and then the step. */
  replay(inputs: readonly Tensor[]): unknown {
    for (const effect of this.#collected.effects) effect(this.#program);
    return this.#run(inputs);
  }

  #run(inputs: readonly Tensor[]): unknown {
    this.#calls++;
    return putTensors(this.#result, native.replay(this.#program, inputs).values());
  }

  /** Runs the step as ever, and says what it did otherwise than its capture. */
  check(
    step: Step,
    args: readonly unknown[],
  ): { readonly value: unknown; readonly difference: string | null } {
    const { value, difference, collected } = record(step, args, { expected: this.#program });
    if (difference !== null) {
      const line = placeOf(difference.place);
      const place = line === null ? "" : `, at ${line}`;
      return {
        value,
        difference: `torch.capture: ${this.#calls} calls after its capture the step ${difference.text}${place}. A replay repeats the numbers and the tensors of its capture: pass what changes as an argument of the step, a number as a tensor.`,
      };
    }
    this.#collected = collected;
    this.#occasions = occasionsSoFar();
    this.#calls++;
    return { value, difference: null };
  }
}
