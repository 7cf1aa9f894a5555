// Lets users define functions with their own derivative: a class with `forward` and `backward`, as PyTorch's
// `autograd.Function`.
import { checkOptionalTensor, checkTensors } from "../tensor/tensor_arguments.ts";
import { checkBoolean, describe, isThenable } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** Passes data from the forward of one call to its backward. Values that are no tensors may be set on it as fields. */
export class FunctionContext {
  /** Which inputs are tensors that require gradients. Gradients of the others need not be computed. */
  readonly needsInputGrad: readonly boolean[];
  #saved: (Tensor | null)[] = [];
  #nonDifferentiable: Tensor[] = [];
  #dirty: Tensor[] = [];
  #materializeGrads = true;

  constructor(needsInputGrad: readonly boolean[]) {
    this.needsInputGrad = needsInputGrad;
  }

  /**
   * Keeps tensors for backward, which finds them as `savedTensors`. They are freed after a backward that keeps no graph,
   * and one that was changed in place meanwhile is refused. Inputs and outputs kept as fields would hold the graph.
   */
  saveForBackward(...tensors: (Tensor | null)[]): void {
    for (const [at, tensor] of tensors.entries()) {
      if (tensor !== null && !native.isTensor(tensor))
        throw new TypeError(
          `saveForBackward() keeps tensors, and argument ${at} is ${describe(tensor)}: set it on ctx as a field.`,
        );
      checkOptionalTensor("saveForBackward()", `argument ${at}`, tensor);
    }
    this.#saved = tensors;
  }

  /** The tensors that `saveForBackward` kept, with their history, so that backward's own operations can be differentiated. */
  get savedTensors(): Tensor[] {
    return this.#saved as Tensor[];
  }

  /** Marks outputs that get no gradient. Integer outputs never do. */
  markNonDifferentiable(...outputs: Tensor[]): void {
    this.#nonDifferentiable = checkTensors("markNonDifferentiable()", "the outputs", outputs);
  }

  /** Marks inputs that were changed in place, and are returned as outputs. */
  markDirty(...inputs: Tensor[]): void {
    this.#dirty = checkTensors("markDirty()", "the inputs", inputs);
  }

  /** Sets whether `backward` gets zeros for an output that was not used, the default, or null. */
  setMaterializeGrads(value: boolean): void {
    this.#materializeGrads = checkBoolean("setMaterializeGrads()", "the value", value);
  }

  /** @internal Hands over what was marked; the addon holds it from now on. */
  static take(context: FunctionContext) {
    const taken = {
      saved: context.#saved,
      nonDifferentiable: context.#nonDifferentiable,
      dirty: context.#dirty,
      materializeGrads: context.#materializeGrads,
    };
    context.#saved = [];
    context.#nonDifferentiable = [];
    context.#dirty = [];
    return taken;
  }

  /**
   * @internal Sets the saved tensors for the duration of one backward. If the context held them afterwards, they would
   *   be freed one collection later.
   */
  static during<Result>(context: FunctionContext, saved: (Tensor | null)[], run: () => Result): Result {
    const before = context.#saved;
    context.#saved = saved;
    try {
      return run();
    } finally {
      context.#saved = before;
    }
  }
}

/**
 * A class with a forward function and its derivative. These are declared as methods, so that a subclass may narrow the
 * type of its context.
 */
interface FunctionClass<Inputs extends readonly unknown[], Output> {
  readonly name: string;
  forward(ctx: FunctionContext, ...inputs: Inputs): Output;
  backward(ctx: FunctionContext, ...gradients: never[]): unknown;
}

/**
 * A function with a derivative of its own:
 *
 *     class Exp extends torch.autograd.Function {
 *       static forward(ctx: FunctionContext, x: Tensor): Tensor {
 *         const y = x.exp();
 *         ctx.saveForBackward(y);
 *         return y;
 *       }
 *       static backward(ctx: FunctionContext, grad: Tensor): Tensor {
 *         const [y] = ctx.savedTensors;
 *         return grad.mul(y);
 *       }
 *     }
 *     Exp.apply(x).sum().backward();
 *
 * `forward` is not recorded. `backward` gets one gradient for each output and returns one for each input: a tensor, or
 * null where there is none; an input alone may go without the array. It runs on the JavaScript thread, wherever the
 * tensors are, and is recorded under `createGraph`. What it throws comes out of `loss.backward()`.
 */
// A class of static methods is what PyTorch has, and what a cell writes: `class Exp extends autograd.Function`.
// oxlint-disable-next-line typescript/no-extraneous-class
export abstract class CustomFunction {
  static apply<Inputs extends readonly unknown[], Output>(
    this: FunctionClass<Inputs, Output>,
    ...inputs: Inputs
  ): Output {
    requireClass(this);
    for (const method of ["forward", "backward"] as const) {
      if (typeof this[method] !== "function")
        throw new TypeError(
          `${this.name}.apply: the class has no static ${method}(ctx, ...), which a function of one's own needs.`,
        );
    }
    return applyFunction(this, inputs);
  }
}

/** Bound, because `gradcheck(Exp.apply)` calls it without its class, as in Python. */
function requireClass(ownClass: unknown): void {
  if (typeof ownClass !== "function")
    throw new TypeError(
      "apply was taken off its class, which it needs: pass (x) => Exp.apply(x) in place of Exp.apply.",
    );
}

function applyFunction<Inputs extends readonly unknown[], Output>(
  ownClass: FunctionClass<Inputs, Output>,
  inputs: Inputs,
): Output {
  const { name } = ownClass;
  const isInput = inputs.map((input) => native.isTensor(input));
  const tensors = inputs.filter((input) => native.isTensor(input));
  const context = new FunctionContext(
    inputs.map((input) => native.isTensor(input) && native.requiresGrad(input)),
  );
  let single = false;
  const forward = () => {
    const result: unknown = ownClass.forward(context, ...inputs);
    single = !Array.isArray(result);
    const outputs = outputsOf(name, result);
    return { outputs, ...FunctionContext.take(context) };
  };
  const outputs = native.customFunction(
    `${name}Backward`,
    tensors,
    forward,
    backwardOf(ownClass, context, isInput),
  );
  return (single ? outputs[0] : outputs) as Output;
}

/**
 * Makes the closure in a function of its own, so that it does not keep the call's inputs and, with them, the graph
 * alive.
 */
function backwardOf(
  ownClass: FunctionClass<readonly unknown[], unknown>,
  context: FunctionContext,
  isInput: readonly boolean[],
) {
  return (gradients: (Tensor | null)[], saved: (Tensor | null)[]): (Tensor | null)[] => {
    const given: unknown = FunctionContext.during(context, saved, () =>
      ownClass.backward(context, ...(gradients as never[])),
    );
    return gradientsOf(ownClass.name, given, isInput);
  };
}

function outputsOf(name: string, result: unknown): (Tensor | null)[] {
  if (isThenable(result)) {
    result.then(undefined, () => {}); // Its failure has no reader any more.
    throw new TypeError(
      `${name}.forward is asynchronous; autograd needs its outputs at once: await what it needs before apply().`,
    );
  }
  const outputs: unknown[] = Array.isArray(result) ? result : [result];
  for (const [at, output] of outputs.entries()) {
    if (output !== null && !native.isTensor(output))
      throw new TypeError(
        `${name}.forward returns a tensor or an array of tensors, and output ${at} is ${describe(output)}.`,
      );
  }
  return outputs as (Tensor | null)[];
}

/**
 * Returns the gradients of the tensors among the inputs. As in PyTorch, `given` may have more gradients than inputs if
 * the rest are null.
 */
function gradientsOf(name: string, given: unknown, isInput: readonly boolean[]): (Tensor | null)[] {
  if (isThenable(given)) {
    given.then(undefined, () => {}); // Its failure has no reader any more.
    throw new TypeError(`${name}.backward is asynchronous, and backward cannot wait for it.`);
  }
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const extra = list.slice(isInput.length).some((gradient) => gradient !== null && gradient !== undefined);
  if (list.length < isInput.length || extra) {
    throw new RangeError(
      `${name}.backward returned ${list.length} gradients for the ${isInput.length} inputs of forward: return one for each, null where an input has none.`,
    );
  }
  return isInput.flatMap((isTensor, at): (Tensor | null)[] => {
    const gradient = list[at] ?? null;
    if (gradient !== null && !native.isTensor(gradient))
      throw new TypeError(
        `${name}.backward returns a tensor or null for each input, and gradient ${at} is ${describe(gradient)}.`,
      );
    if (isTensor) return [gradient];
    if (gradient === null) return [];
    throw new TypeError(
      `${name}.backward returned a gradient for input ${at}, which is no tensor: return null.`,
    );
  });
}
