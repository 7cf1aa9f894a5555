// One sample against ours: results, gradients, and the in-place, `out` and method forms that PyTorch has of it.
import { torch, type Tensor } from "../../lib/index.ts";
import { native } from "../../lib/torch/engine/native.ts";
import type { DType } from "../../lib/torch/vocabulary/dtype.ts";
import { type Arguments, call, findInPlace, findMethod, findTarget, layouts, type Target } from "./calls.ts";
import { lackingOn } from "./metal.ts";
import { reviveTensor, reviveValue, type Sample, type Stored, type StoredTensor } from "./samples.ts";

const SEED = 7;
// The tolerance for float32 on another processor than the one that made the fixture.
const RELATIVE = 1e-4;
const ABSOLUTE = 1e-5;

export type Verdict =
  | { readonly public: false }
  /** `problem` is null for a sample that passes. */
  | { readonly public: true; readonly problem: string | null };

/** Calls what the sample calls and compares. Never throws. */
export function check(sample: Sample): Verdict {
  const target = findTarget(sample.name);
  if (target === undefined) return { public: false };
  try {
    return { public: true, problem: problemOf(sample, target) };
  } catch (error) {
    return {
      public: true,
      problem: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}

function problemOf(sample: Sample, target: Target): string | null {
  return torch.tidy(() => {
    const tensors = inputs(sample);
    const [result, layout] = run(sample, target, tensors);
    const problem = difference(result, sample) ?? gradientDifference(result, sample, tensors);
    if (problem !== null) return problem;
    for (const variant of sample.variants) {
      const found = variantDifference(variant, sample, target, layout);
      if (found !== null) return `${variant}: ${found}`;
    }
    return null;
  });
}

function inputs({ tensors }: Sample): Tensor[] {
  return tensors.map((stored) => {
    const tensor = reviveTensor(stored);
    // A leaf that requires a gradient and is a view of its memory could not be changed in place by an operator.
    return stored.grad === "made"
      ? tensor.requiresGrad_().clone()
      : tensor.requiresGrad_(stored.grad === "leaf");
  });
}

/** The result, and the number of the layout that was accepted. */
function run(sample: Sample, target: Target, tensors: readonly Tensor[]): [result: unknown, layout: number] {
  let refused: unknown;
  for (const [number, layout] of layouts(sample, tensors, target.composed).entries()) {
    try {
      torch.manualSeed(SEED);
      return [call(target, layout), number];
    } catch (error) {
      // Another layout would leave out what Metal lacks, and be accepted.
      if (lackingOn(String(error)) !== null) throw error;
      refused ??= error;
    }
  }
  throw refused;
}

function variantDifference(
  variant: Sample["variants"][number],
  sample: Sample,
  target: Target,
  layout: number,
): string | null {
  const prepare = (other: Target): Arguments => {
    const tensors = sample.tensors.map(reviveTensor);
    return layouts(sample, tensors, other.composed)[other.composed === target.composed ? layout : 0]!;
  };
  torch.manualSeed(SEED);
  switch (variant) {
    case "method": {
      if (sample.name.startsWith("torch.Tensor.")) return null;
      const method = findMethod(sample.name.split(".").at(-1)!);
      return method === undefined ? null : difference(call(method, prepare(method)), sample);
    }
    case "inplace": {
      const inPlace = findInPlace(sample.name);
      if (inPlace === undefined) return null;
      const given = prepare(inPlace);
      const result = call(inPlace, given);
      if (result !== given.places[0]) return "another tensor came back";
      return difference(result, sample);
    }
    case "out": {
      // Functions of `functional` that are written by hand have no `out`.
      if (target.composed) return null;
      // No element is right before.
      const outs = sample.results.map((stored) => reviveTensor(stored).eq(0).to(stored.dtype));
      const result = call(target, prepare(target), outOptions(sample, outs));
      return (
        difference(result, sample) ?? difference(Array.isArray(sample.expected) ? outs : outs[0], sample)
      );
    }
  }
}

/** Python's one `out=` of several tensors has a name for each of them in the schemas. */
function outOptions(sample: Sample, outs: readonly Tensor[]): Record<string, unknown> {
  if (!Array.isArray(sample.expected)) return { out: outs[0] };
  const name = sample.name.replace(/^torch\.(functional\.)?/, "").replace(".", "_");
  const schema = native
    .schemas(native.operator(name))
    .map((text) => /\*, (.*)\) ->/.exec(text)?.[1] ?? "")
    .map((options) => [...options.matchAll(/Tensor\(\w!\) (\w+)/g)].map(([, out]) => out!))
    .find((names) => names.length === outs.length);
  if (schema === undefined)
    throw new TypeError(`no overload of ${name} takes ${outs.length} results to write to`);
  return Object.fromEntries(schema.map((out, at) => [out, outs[at]]));
}

function difference(result: unknown, sample: Sample): string | null {
  return compare(result, sample.expected, sample, "the result");
}

function compare(actual: unknown, expected: Stored, sample: Sample, what: string): string | null {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${what} is ${kindOf(actual)}, not an array`;
    if (actual.length !== expected.length)
      return `${what} has ${actual.length} parts, not ${expected.length}`;
    for (const [at, part] of expected.entries()) {
      const problem = compare(actual[at], part as Stored, sample, `${what}[${at}]`);
      if (problem !== null) return problem;
    }
    return null;
  }
  if (typeof expected === "object" && expected !== null && "tensor" in expected)
    return compareTensor(actual, sample.results[expected.tensor]!, what, sample.undefined === true);
  const value = reviveValue(expected, []);
  return Object.is(actual, value) || close(actual, value)
    ? null
    : `${what} is ${String(actual)}, not ${String(value)}`;
}

const close = (a: unknown, b: unknown) =>
  typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= ABSOLUTE + RELATIVE * Math.abs(b);

const kindOf = (value: unknown) =>
  torch.isTensor(value) ? "a tensor" : value === null ? "null" : typeof value;

function compareTensor(
  actual: unknown,
  stored: StoredTensor,
  what: string,
  anyElements: boolean,
): string | null {
  if (!torch.isTensor(actual)) return `${what} is ${kindOf(actual)}, not a tensor`;
  if (actual.dtype !== stored.dtype) return `${what} is ${actual.dtype}, not ${stored.dtype}`;
  if (actual.shape.join() !== stored.shape.join())
    return `${what} has shape [${actual.shape.join(", ")}], not [${stored.shape.join(", ")}]`;
  if (anyElements || actual.numel() === 0) return null;
  const wide = widest(stored.dtype);
  // On the CPU: Metal has no float64.
  const found = actual.detach().cpu().to(wide);
  const wanted = reviveTensor(stored).cpu().to(wide);
  const equal =
    wide === "int64" ? torch.equal(found, wanted) : torch.allclose(found, wanted, RELATIVE, ABSOLUTE, true);
  return equal ? null : `${what} has other elements`;
}

function widest(dtype: DType): DType {
  if (dtype.startsWith("complex")) return "complex128";
  return dtype.startsWith("float") || dtype.startsWith("bfloat") ? "float64" : "int64";
}

function flat(result: unknown): Tensor[] {
  if (torch.isTensor(result)) return [result];
  return Array.isArray(result) ? result.flatMap(flat) : [];
}

/** Returns the gradient that backward starts from. `samples.py` has the same. */
function weights(tensor: Tensor): Tensor {
  const steps = torch
    .arange(tensor.numel(), { dtype: "float64", device: "cpu" })
    .mul(7)
    .remainder(11)
    .sub(5)
    .div(5);
  return steps.reshape(tensor.shape).to(tensor.dtype).to(tensor.device);
}

function gradientDifference(result: unknown, sample: Sample, tensors: readonly Tensor[]): string | null {
  if (sample.gradients === null) return null;
  const outputs = flat(result).filter((tensor) => tensor.requiresGrad);
  if (outputs.length === 0) return "no result requires a gradient";
  const found = torch.grad(
    outputs,
    sample.gradients.map(({ of }) => tensors[of]!),
    { gradOutputs: outputs.map(weights), allowUnused: true },
  );
  for (const [at, { is }] of sample.gradients.entries()) {
    const gradient = found[at] ?? null;
    if (is === null ? gradient !== null : gradient === null)
      return `gradient ${at} is ${kindOf(gradient)}, not ${is === null ? "null" : "a tensor"}`;
    const problem = is === null ? null : compareTensor(gradient, is, `gradient ${at}`, false);
    if (problem !== null) return problem;
  }
  return null;
}
