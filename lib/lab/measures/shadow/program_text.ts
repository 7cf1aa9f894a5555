// Writes the arguments of an operator as TypeScript and as Python.
import type { ShadowTensor, ShadowValue } from "../../../torch/engine/native_shadow.ts";

/** The parts of an argument's text that differ between the two languages. */
export interface Language {
  readonly true: string;
  readonly false: string;
  readonly null: string;
  readonly infinity: string;
  readonly notANumber: string;
  readonly negativeZero: string;
  /** An integer beyond 2^53. */
  integer(value: bigint): string;
  /** A dtype, a layout or a memory format. */
  named(name: string): string;
  complex(re: string, im: string): string;
  list(elements: readonly string[]): string;
}

export const TYPESCRIPT: Language = {
  ...{
    true: "true",
    false: "false",
    null: "null",
    infinity: "Infinity",
    notANumber: "NaN",
    negativeZero: "-0",
  },
  integer: (value) => `${value}n`,
  named: (name) => JSON.stringify(name),
  complex: (re, im) => `{ re: ${re}, im: ${im} }`,
  list: (elements) => `[${elements.join(", ")}]`,
};

export const PYTHON: Language = {
  ...{
    true: "True",
    false: "False",
    null: "None",
    infinity: 'float("inf")',
    notANumber: 'float("nan")',
    negativeZero: "-0.0",
  },
  integer: String,
  named: (name) => `torch.${name}`,
  complex: (re, im) => `complex(${re}, ${im})`,
  list: (elements) => `[${elements.join(", ")}]`,
};

export const isTensorValue = (value: ShadowValue): value is ShadowTensor =>
  typeof value === "object" && value !== null && "tensor" in value;

/** A value as text; `tensor` writes the tensors in it. */
export function written(
  value: ShadowValue,
  language: Language,
  tensor: (tensor: ShadowTensor) => string,
): string {
  if (value === null) return language.null;
  if (typeof value === "boolean") return value ? language.true : language.false;
  if (typeof value === "number") return writtenNumber(value, language);
  if (typeof value === "bigint") return language.integer(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (isTensorValue(value)) return tensor(value);
  if (isList(value)) return language.list(value.map((element) => written(element, language, tensor)));
  if ("named" in value) return language.named(value.named);
  if ("device" in value) return "device";
  return language.complex(writtenNumber(value.re, language), writtenNumber(value.im, language));
}

const isList = (value: ShadowValue): value is readonly ShadowValue[] => Array.isArray(value);

function writtenNumber(value: number, language: Language): string {
  if (Number.isNaN(value)) return language.notANumber;
  if (!Number.isFinite(value)) return `${value < 0 ? "-" : ""}${language.infinity}`;
  return Object.is(value, -0) ? language.negativeZero : String(value);
}
