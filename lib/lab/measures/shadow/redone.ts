// Repeats a wrong call with drawn arguments, as its reproduction would. A fault that depends on layouts and sizes shows
// again; one that depends on certain values may not.
import type { NativeFinding, ShadowTensor, ShadowValue } from "../../../torch/engine/native_shadow.ts";
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { isComplexDType, isIntegralDType } from "../../../torch/vocabulary/dtype.ts";
import { noGrad } from "../../../torch/autograd/autograd.ts";
import { native } from "../../../torch/engine/native.ts";
import { getRngState, manualSeed, setRngState } from "../../../torch/random/random.ts";
import { tensor } from "../../../torch/tensor/creation.ts";
import { torchFunctions } from "../../../torch/tensor/operators.ts";
import { tidy } from "../../../torch/tensor/scope.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { type Recipe, recipeOf } from "./memory_recipe.ts";
import { isTensorValue } from "./program_text.ts";
import { memoriesOf, widestOf, wrongResultOf } from "./reproduction.ts";

/** Whether the device is also wrong with drawn arguments. The states of the generators are restored afterwards. */
export function showsAgain(finding: NativeFinding, device: DeviceName): boolean {
  if (finding.shapes !== "") return false;
  const states = (["cpu", device] as const).map((name) => ({ name, state: getRngState(name) }));
  try {
    manualSeed(0);
    return noGrad(() =>
      tidy(() => {
        const memories = new Map(
          memoriesOf(finding).map(({ number, elements }) => [number, made(recipeOf(elements))]),
        );
        const widest = widestOf(finding);
        const found = run(finding, memories, device).cpu().to(widest);
        const expected = run(finding, memories, "cpu").to(widest);
        const apart = Number(found.sub(expected).abs().max().item());
        // Written with `!`, because a comparison with NaN is false, and NaN is wrong as well.
        return !(apart <= 10 * finding.allowed);
      }),
    );
  } catch {
    // An operator may refuse drawn arguments, for example a matrix without an inverse.
    return false;
  } finally {
    for (const { name, state } of states) setRngState(state, name);
  }
}

function made(recipe: Recipe): Tensor {
  const { dtype } = recipe;
  if (recipe.kind === "elements") return tensor([...recipe.values], { dtype });
  const { count, min, max } = recipe;
  if (isIntegralDType(dtype)) return torchFunctions.randint(min, max + 1, [count], { dtype });
  if (dtype === "bool") return torchFunctions.rand([count]).gt(0.5);
  if (isComplexDType(dtype)) return torchFunctions.randn([count], { dtype });
  return torchFunctions
    .rand([count])
    .mul(max - min)
    .add(min)
    .to(dtype);
}

function run(finding: NativeFinding, memories: ReadonlyMap<number, Tensor>, device: DeviceName): Tensor {
  const tensorOf = (value: ShadowTensor): Tensor | number => {
    const memory = memories.get(value.memory);
    if (memory === undefined) return native.item(value.tensor) as number;
    const copy = memory.clone();
    return (value.onDevice ? copy.to(device) : copy).asStrided(
      [...value.shape],
      [...value.strides],
      value.offset - value.start,
    );
  };
  const given = (value: ShadowValue): unknown => {
    if (Array.isArray(value)) return (value as readonly ShadowValue[]).map(given);
    if (typeof value !== "object" || value === null) return value;
    if (isTensorValue(value)) return tensorOf(value);
    if ("named" in value) return value.named;
    return "device" in value ? device : value;
  };
  const values = finding.arguments.map(({ value }) => given(value));
  const options: Record<string, unknown> = {};
  const positional: unknown[] = [];
  for (const [at, { name, keywordOnly }] of finding.arguments.entries()) {
    if (!keywordOnly) positional.push(values[at]);
    else if (values[at] !== null) options[name] = values[at];
  }
  const overload = native.overload(finding.operator, finding.overload);
  const returned = native.call(
    overload,
    ...positional,
    ...(Object.keys(options).length > 0 ? [options] : []),
  );
  const { argument, place } = wrongResultOf(finding);
  const looked = argument === null ? returned : values[argument];
  return (place === null ? looked : (looked as Tensor[])[place]) as Tensor;
}
