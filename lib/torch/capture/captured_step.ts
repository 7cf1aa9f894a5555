// One capture of a step: the program that replays it, for one pattern and geometry of arguments.
import { occasionsSoFar, collectEffects, type Collected } from "../engine/captured_effects.ts";
import type { CapturedProgram } from "../engine/captured_program.ts";
import { placeOf } from "../engine/call_site.ts";
import { defaultDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { hasPattern, objectsIn, putTensors, takeTensors, type Pattern } from "./arguments.ts";

/** The record of an ordinary run of the step. */
export interface Recorded {
  /** The step's result in the form in which replays return it: without a graph. */
  readonly value: unknown;
  readonly result: Pattern;
  readonly program: CapturedProgram;
  readonly device: DeviceName;
  readonly difference: { readonly text: string; readonly place: string } | null;
  readonly collected: Collected;
}

export type Step = (...args: never[]) => unknown;

interface RecordOptions {
  /** Whether this is the first call with such arguments, which may create state that later calls find. */
  readonly isFirst?: boolean;
  /** The program to compare with. */
  readonly expected?: CapturedProgram;
  /** The device on whose side stream the step runs. */
  readonly stream?: DeviceName;
}

/** Runs the step in the ordinary way, and records what it does. */
export function record(step: Step, args: readonly unknown[], options: RecordOptions = {}): Recorded {
  const { expected = null, ...where } = options;
  const inputs: Tensor[] = [];
  takeTensors(args, inputs);
  return recorded(step, args, inputs, expected, where);
}

/**
 * Records the step as a graph of the device; its operators do not run yet. The graph's inputs are copies of the
 * arguments, which are kept.
 */
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

/** One capture of a step. */
export class CapturedStep {
  readonly #pattern: Pattern;
  readonly #program: CapturedProgram;
  readonly #result: Pattern;
  /** The device on which the step makes tensors that name none. */
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
   * Whether this call runs the step in the ordinary way, as a check. Checks come at every `every` calls and, because
   * early changes should be found early, at the second, fourth, eighth... call. The first call after variables may have
   * been set anew is also a check.
   */
  isDue(every: number): boolean {
    if (every === 0) return false;
    const calls = this.#calls;
    const isEarly = calls > 1 && calls < every && (calls & (calls - 1)) === 0;
    return isEarly || calls % every === 0 || this.#occasions !== occasionsSoFar();
  }

  /**
   * The tensors among the arguments. Null if the arguments do not fit this capture, or if something has changed on
   * which the step depends.
   */
  inputsOf(args: readonly unknown[]): Tensor[] | null {
    const inputs: Tensor[] = [];
    if (!hasPattern(this.#pattern, args, inputs) || defaultDevice() !== this.#factoryDevice) return null;
    for (const holds of this.#collected.guards) if (!holds()) return null;
    return native.fitsCapture(this.#program, inputs) ? inputs : null;
  }

  /** The first replay of a graph, whose operators did not run when it was recorded. */
  replayFirst(inputs: readonly Tensor[]): unknown {
    for (const prepare of this.#collected.beforeFirst) prepare();
    return this.#run(inputs);
  }

  /** Repeats what the library's JavaScript does in the step, then replays the step's operators. */
  replay(inputs: readonly Tensor[]): unknown {
    for (const effect of this.#collected.effects) effect(this.#program);
    return this.#run(inputs);
  }

  #run(inputs: readonly Tensor[]): unknown {
    this.#calls++;
    return putTensors(this.#result, native.replay(this.#program, inputs).values());
  }

  /** Runs the step in the ordinary way, and reports in what it differs from its capture. */
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
