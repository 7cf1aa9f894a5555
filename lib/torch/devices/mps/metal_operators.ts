// Reports what the installed PyTorch can do on Metal, by its list of operators, and what had to run on the CPU
// instead. The list is the same on every machine, so no Mac is needed.
import { METAL_KERNELS, WITHOUT_METAL } from "../../engine/metal_kernels.generated.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { ALWAYS_ON_CPU, COMPOSED_OF_MISSING, COMPUTED_IN_FLOAT64 } from "./metal_composed.ts";
import { native } from "../../engine/native.ts";

let kernels: ReadonlySet<string> | null = null;
let missing: ReadonlySet<string> | null = null;

/** Operators with a kernel of their own for Metal, overloads included: `add.out`. */
export function metalKernels(): ReadonlySet<string> {
  return (kernels ??= new Set(METAL_KERNELS.split(" ")));
}

/** Operators that PyTorch has for the CPU and neither has nor composes on Metal. */
export function operatorsWithoutMetal(): ReadonlySet<string> {
  return (missing ??= new Set(WITHOUT_METAL.split(" ")));
}

/**
 * Whether an operator of the installed PyTorch runs on Metal without falling back to the CPU, by a kernel of its own or
 * composed of others that have one. An operator without an overload stands for the unnamed one, or for all of them.
 *
 * @param operator with or without `aten::` and overload: `aten::linalg_eig`, `max.unary_out`
 * @throws RangeError for an operator that PyTorch does not have
 */
export function supports(operator: string): boolean {
  const name = String(operator).replace(/^aten::/, "");
  const [base = "", overload = ""] = name.split(".");
  if (native.overload(base, overload) < 0 && native.operator(base) < 0) {
    throw new RangeError(`mps.supports: PyTorch ${native.version} has no operator ${describe(operator)}.`);
  }
  return (
    !operatorsWithoutMetal().has(name) &&
    !ALWAYS_ON_CPU.has(name) &&
    COMPOSED_OF_MISSING[base] === undefined &&
    COMPOSED_OF_MISSING[name] === undefined &&
    !COMPUTED_IN_FLOAT64.has(base)
  );
}
