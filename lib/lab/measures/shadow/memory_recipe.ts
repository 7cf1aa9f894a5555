// Describes how a program makes memory like that of an argument: a few elements are written out, many are drawn from
// the same range.
import { type DType, isComplexDType, isIntegralDType } from "../../../torch/vocabulary/dtype.ts";
import { noGrad } from "../../../torch/autograd/autograd.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { tidy } from "../../../torch/tensor/scope.ts";
import { type Language, PYTHON, TYPESCRIPT, written } from "./program_text.ts";

/** How to fill the memory. */
export type Recipe =
  | {
      readonly kind: "elements";
      readonly values: readonly (number | bigint | boolean)[];
      readonly dtype: DType;
    }
  | {
      readonly kind: "range";
      readonly count: number;
      readonly min: number;
      readonly max: number;
      readonly dtype: DType;
    };

const MOST_WRITTEN = 8;

export function recipeOf(memory: Tensor): Recipe {
  const { dtype } = memory;
  const count = memory.numel();
  if (count <= MOST_WRITTEN && !isComplexDType(dtype))
    return { kind: "elements", values: memory.tolist() as (number | bigint | boolean)[], dtype };
  if (dtype === "bool") return { kind: "range", count, min: 0, max: 1, dtype };
  const [min, max] = noGrad(() =>
    tidy(() => {
      const real = isComplexDType(dtype) ? memory.abs() : memory;
      const numbers = real.double().nanToNum(0, 0, 0);
      return [numbers.min().item() as number, numbers.max().item() as number];
    }),
  );
  return { kind: "range", count, min, max, dtype };
}

const short = (value: number): string => String(Number(value.toPrecision(4)));

export function recipeInTypeScript(recipe: Recipe): string {
  const { dtype } = recipe;
  if (recipe.kind === "elements")
    return `torch.tensor(${writtenValues(recipe.values, TYPESCRIPT)}, { dtype: "${dtype}" })`;
  const { count, min, max } = recipe;
  if (isIntegralDType(dtype)) return `torch.randint(${min}, ${max + 1}, [${count}], { dtype: "${dtype}" })`;
  if (dtype === "bool") return `torch.rand([${count}]).gt(0.5)`;
  if (isComplexDType(dtype)) return `torch.randn([${count}], { dtype: "${dtype}" })`;
  const cast = dtype === "float32" ? "" : `.to("${dtype}")`;
  return `torch.rand([${count}]).mul(${short(max - min)}).add(${short(min)})${cast}`;
}

export function recipeInPython(recipe: Recipe): string {
  const { dtype } = recipe;
  if (recipe.kind === "elements")
    return `torch.tensor(${writtenValues(recipe.values, PYTHON)}, dtype=torch.${dtype})`;
  const { count, min, max } = recipe;
  if (isIntegralDType(dtype)) return `torch.randint(${min}, ${max + 1}, [${count}], dtype=torch.${dtype})`;
  if (dtype === "bool") return `torch.rand(${count}) > 0.5`;
  if (isComplexDType(dtype)) return `torch.randn(${count}, dtype=torch.${dtype})`;
  const cast = dtype === "float32" ? "" : `.to(torch.${dtype})`;
  const numbers = `torch.rand(${count}) * ${short(max - min)} + ${short(min)}`;
  return cast === "" ? numbers : `(${numbers})${cast}`;
}

const writtenValues = (values: readonly (number | bigint | boolean)[], language: Language): string =>
  written(values, language, () => "");
