// Writes a wrong result as a program of about ten lines, in TypeScript for a cell and in Python for a report to PyTorch.
// The operator is called by its overload, with tensors of the same strides over memory of the same size.
import type { NativeFinding, ShadowTensor, ShadowValue } from "../../../torch/engine/native_shadow.ts";
import { type DType, isComplexDType, isIntegralDType } from "../../../torch/vocabulary/dtype.ts";
import { native } from "../../../torch/engine/native.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { type Recipe, recipeInPython, recipeInTypeScript, recipeOf } from "./memory_recipe.ts";
import { isTensorValue, type Language, PYTHON, TYPESCRIPT, written } from "./program_text.ts";

/** A memory that one or more arguments share, named after the first of them. */
export interface NamedMemory {
  readonly name: string;
  readonly number: number;
  readonly elements: Tensor;
}

/** The name of the file that `saveInputs` writes and the programs read. */
export const INPUTS_FILE = "shadow-inputs.pt";

/** The tensors of an argument with a name for each: `weight`, `tensors2`. */
export function tensorsIn(name: string, value: ShadowValue): readonly (readonly [string, ShadowTensor])[] {
  if (value === null || typeof value !== "object") return [];
  if (isTensorValue(value)) return [[name, value]];
  if (!Array.isArray(value)) return [];
  return (value as readonly ShadowValue[]).flatMap((element, at) => tensorsIn(`${name}${at}`, element));
}

export function memoriesOf(finding: NativeFinding): NamedMemory[] {
  const memories = new Map<number, NamedMemory>();
  for (const { name, value } of finding.arguments)
    for (const [tensorName, tensor] of tensorsIn(name, value))
      if (!tensor.isNumber && !memories.has(tensor.memory))
        memories.set(tensor.memory, { name: tensorName, number: tensor.memory, elements: tensor.tensor });
  return [...memories.values()];
}

interface Dialect {
  readonly language: Language;
  readonly memory: (name: string, recipe: Recipe) => string;
  readonly loaded: (name: string) => string;
  readonly view: (memory: string, tensor: ShadowTensor) => string;
  readonly keyword: (name: string, value: string) => string;
}

const list = (numbers: readonly number[]): string => `[${numbers.join(", ")}]`;
const offsetIn = ({ offset, start }: ShadowTensor): number => offset - start;

const IN_TYPESCRIPT: Dialect = {
  language: TYPESCRIPT,
  memory: (name, recipe) => `const ${name} = ${recipeInTypeScript(recipe)};`,
  loaded: (name) => `const ${name} = inputs["${name}"]!;`,
  view: (memory, tensor) =>
    `${memory}.clone()${tensor.onDevice ? ".to(device)" : ""}.asStrided(${list(tensor.shape)}, ${list(tensor.strides)}, ${offsetIn(tensor)})`,
  keyword: (name, value) => `${name}: ${value}`,
};

const IN_PYTHON: Dialect = {
  language: PYTHON,
  memory: (name, recipe) => `${name} = ${recipeInPython(recipe)}`,
  loaded: (name) => `${name} = inputs["${name}"]`,
  view: (memory, tensor) =>
    `${memory}.clone()${tensor.onDevice ? ".to(device)" : ""}.as_strided(${list(tensor.shape)}, ${list(tensor.strides)}, ${offsetIn(tensor)})`,
  keyword: (name, value) => `${name}=${value}`,
};

/** The texts of the call's arguments. */
function argumentLines(
  finding: NativeFinding,
  memories: readonly NamedMemory[],
  { language, view, keyword }: Dialect,
): { readonly positional: string[]; readonly keywords: string[] } {
  const nameOf = (tensor: ShadowTensor) =>
    memories.find(({ number }) => number === tensor.memory)?.name ?? "memory";
  const text = (value: ShadowValue) =>
    written(value, language, (tensor) =>
      tensor.isNumber
        ? written(native.item(tensor.tensor) as ShadowValue, language, () => "")
        : view(nameOf(tensor), tensor),
    );
  const positional = finding.arguments.filter(({ keywordOnly }) => !keywordOnly);
  const keywords = finding.arguments.filter(({ keywordOnly, value }) => keywordOnly && value !== null);
  return {
    positional: positional.map(({ value }) => text(value)),
    keywords: keywords.map(({ name, value }) => keyword(name, text(value))),
  };
}

/** Splits arguments into lines: each tensor has a line of its own, and the arguments between two tensors share one. */
function byLine(texts: readonly string[], isLong: (text: string) => boolean): string[] {
  const lines: string[] = [];
  for (const [at, text] of texts.entries()) {
    if (at === 0 || isLong(text) || isLong(texts[at - 1]!)) lines.push(`${text},`);
    else lines[lines.length - 1] += ` ${text},`;
  }
  return lines;
}

/** Whether a text makes a view of a memory, in either language. */
const hasView = (text: string): boolean => /\.as_?[sS]trided\(/.test(text);

/** What a program is written from. If `drawn`, it draws the memory, otherwise it reads it from a file. */
export interface Program {
  readonly finding: NativeFinding;
  readonly device: string;
  readonly drawn: boolean;
}

const overloadOf = ({ overload }: NativeFinding): string => (overload === "" ? "default" : overload);

/**
 * Where a program finds the wrong result: among the values that the call returns, or in an argument that the call
 * wrote.
 */
interface WrongResult {
  readonly argument: number | null;
  /** The index in a list of tensors; null if the result is one tensor. */
  readonly place: number | null;
}

export function wrongResultOf(finding: NativeFinding): WrongResult {
  const { result, returns, place } = finding;
  const written = /^(?<name>\w+) after the call(?:\[(?<place>\d+)\])?$/.exec(result)?.groups;
  if (written === undefined)
    return { argument: null, place: returns > 1 || result.endsWith("]") ? place : null };
  return {
    argument: finding.arguments.findIndex(({ name }) => name === written["name"]),
    place: written["place"] === undefined ? null : Number(written["place"]),
  };
}

/** The dtype in which the two results are subtracted: not a double for integers, which may exceed 2^53. */
export function widestOf({ cpu }: NativeFinding): DType {
  if (cpu !== null && isComplexDType(cpu.dtype)) return "complex128";
  return cpu !== null && isIntegralDType(cpu.dtype) ? "int64" : "float64";
}

/** The call's arguments in order, and the expression of the argument that the program checks afterwards. */
function callOf(finding: NativeFinding, dialect: Dialect) {
  const { argument, place } = wrongResultOf(finding);
  const { positional, keywords } = argumentLines(finding, memoriesOf(finding), dialect);
  if (argument === null) return { made: null, positional, keywords, place };
  // An `out=` tensor is among the keywords.
  const all = finding.arguments;
  const at = all.slice(0, argument).filter(({ keywordOnly }) => !keywordOnly).length;
  if (!all[argument]!.keywordOnly)
    return { made: positional[at]!, positional: positional.with(at, "changed"), keywords, place };
  const { name } = all[argument]!;
  const start = dialect.keyword(name, "");
  const own = keywords.findIndex((keyword) => keyword.startsWith(start));
  return {
    made: keywords[own]!.slice(start.length),
    positional,
    keywords: keywords.with(own, dialect.keyword(name, "changed")),
    place,
  };
}

export function inTypeScript({ finding, device, drawn }: Program): string {
  const { made, positional, keywords, place } = callOf(finding, IN_TYPESCRIPT);
  const { operator } = finding;
  const widest = widestOf(finding);
  const widened = widest === "float64" ? ".double()" : `.to("${widest}")`;
  const options = keywords.length === 0 ? [] : [`{ ${keywords.join(", ")} }`];
  const chosen = place === null ? "" : `[${place}]!`;
  const type = made === null && place !== null ? "<Tensor[]>" : "";
  return [
    'import { torch, type Tensor } from "mpslab";',
    drawn ? "torch.manualSeed(0);" : `const inputs = torch.load<Record<string, Tensor>>("${INPUTS_FILE}");`,
    ...memoryLines(finding, drawn, IN_TYPESCRIPT),
    `const run = (device: "${device}" | "cpu"): Tensor =>${made === null ? "" : " {"}`,
    ...(made === null ? [] : [`  const changed = ${made};`]),
    `  torch.ops.aten.${operator}.${overloadOf(finding)}${type}(`,
    ...byLine([...positional, ...options], hasView).map((line) => `    ${line}`),
    `  )${made === null ? chosen : ""};`,
    ...(made === null ? [] : [`  return changed${chosen};`, "};"]),
    `const apart = run("${device}").cpu()${widened}.sub(run("cpu")${widened}).abs().max().item();`,
    `console.log("${operator} on ${device} is", apart, "from the CPU");`,
  ].join("\n");
}

export function inPython({ finding, device, drawn }: Program): string {
  const { made, positional, keywords, place } = callOf(finding, IN_PYTHON);
  const { operator } = finding;
  const widest = widestOf(finding);
  const widened = widest === "float64" ? ".double()" : `.to(torch.${widest})`;
  const chosen = place === null ? "" : `[${place}]`;
  return [
    "import torch",
    drawn ? "torch.manual_seed(0)" : `inputs = torch.load("${INPUTS_FILE}")`,
    ...memoryLines(finding, drawn, IN_PYTHON),
    "def run(device):",
    ...(made === null ? [] : [`    changed = ${made}`]),
    `    ${made === null ? "return " : ""}torch.ops.aten.${operator}.${overloadOf(finding)}(`,
    ...byLine([...positional, ...keywords], hasView).map((line) => `        ${line}`),
    `    )${made === null ? chosen : ""}`,
    ...(made === null ? [] : [`    return changed${chosen}`]),
    `apart = (run("${device}").cpu()${widened} - run("cpu")${widened}).abs().max().item()`,
    `print("${operator} on ${device} is", apart, "from the CPU, torch", torch.__version__)`,
  ].join("\n");
}

const memoryLines = (finding: NativeFinding, drawn: boolean, { memory, loaded }: Dialect): string[] =>
  memoriesOf(finding).map(({ name, elements }) => (drawn ? memory(name, recipeOf(elements)) : loaded(name)));
