// Writes `lib/torch/ops.generated.ts` from the operator list of the installed libtorch: declarations of every public
// tensor method and torch function, and the run-time table from which they are made. Run by set-up before `lib/` is
// compiled, as `node dist/native/generate.js <torch folder>`; it imports nothing of `lib/`.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { type DispatchEntry, readMetalSupport } from "./metal_support.ts";
import { isPublicFunction, isPublicMethod, publicName } from "./names.ts";
import { type Entry, type Operator, readOperator } from "./schema.ts";
import { ruleTypes, shapeRules } from "./shape_rules.ts";
import { arity, isFactory, writeSignatures } from "./signatures.ts";
import { readSummaries } from "./summaries.ts";

/** Modules under `torch` that show operators, with the interface that declares each. */
const MODULES: Record<string, string> = {
  "": "torch",
  nn: "nn",
  linalg: "linalg",
  fft: "fft",
  special: "special",
};

interface Group {
  readonly name: string;
  readonly module: string;
  readonly overloads: Operator[];
}

function groupByName(operators: readonly Operator[]): Group[] {
  const groups = new Map<string, Group>();
  for (const operator of operators) {
    const group = groups.get(operator.name);
    if (group !== undefined) group.overloads.push(operator);
    else groups.set(operator.name, { name: operator.name, module: operator.module, overloads: [operator] });
  }
  return [...groups.values()].filter((group) => group.module in MODULES);
}

const methodOverloads = (group: Group) => group.overloads.filter((operator) => operator.isMethod);
const functionOverloads = (group: Group) => group.overloads.filter((operator) => operator.isFunction);

/** Python documents `cross_entropy_loss` as `cross_entropy`, and `relu_` as `relu`. */
function summaryOf(operator: string, summaries: ReadonlyMap<string, string>): string {
  const plain = operator.replace(/_$/, "");
  return (
    [operator, plain, plain.replace(/_loss$/, "")]
      .map((name) => summaries.get(name))
      .find((summary) => summary !== undefined) ?? `The operator aten::${operator}.`
  );
}

function declare(group: Group, method: boolean, summaries: ReadonlyMap<string, string>): string[] {
  const signatures = writeSignatures(method ? methodOverloads(group) : functionOverloads(group), {
    method,
    rules: shapeRules(group.name),
  });
  const name = publicName(group.name, group.module);
  const summary = summaryOf(group.name, summaries);
  return signatures.map(({ text, defaults }) => {
    const notes = defaults === "" ? "" : ` Defaults: ${defaults}.`;
    return `  /** ${summary}${notes} */\n  ${name}${text.replace(/\bTensor\b/g, "PlainTensor")}`;
  });
}

/**
 * One entry of the run-time table, `name=<operator>:<function><method><kind>` (the operator where its name differs): most
 * arguments as a function and as a method (in base 36, `-` for none); kind `s` for a factory that begins with a size, `f`
 * for another one, `1` for an operator whose `self` is its second argument.
 */
function tableEntry(group: Group): string | null {
  const functions = isPublicFunction(group.name) ? functionOverloads(group) : [];
  const methods = isPublicMethod(group.name) ? methodOverloads(group) : [];
  if (functions.length === 0 && methods.length === 0) return null;
  const count = (overloads: Operator[], method: boolean) =>
    overloads.length === 0 ? "-" : arity(overloads, { method }).toString(36);
  const name = publicName(group.name, group.module);
  const operator = name === group.name ? "" : `=${group.name}`;
  return `${name}${operator}:${count(functions, false)}${count(methods, true)}${kindOf(group)}`;
}

function kindOf(group: Group): string {
  const takesTensor = group.overloads.some((overload) => overload.arguments[0]?.name === "self");
  if (group.overloads.some(isFactory) && !takesTensor)
    return group.overloads[0]?.arguments[0]?.name === "size" ? "s" : "f";
  return methodOverloads(group).some((operator) => operator.arguments[1]?.name === "self") ? "1" : "";
}

/** Named tensors, which PyTorch has given up: older versions have overloads for them that the addon leaves out as well. */
function takesDimensionNames(operator: Operator): boolean {
  return operator.arguments.some(({ type }) => type.startsWith("Dimname"));
}

/** Every overload by operator, private ones and those that torchgen writes by itself (`autogen`) too. */
function declareOverloads(entries: readonly Entry[]): string[] {
  const overloads = new Map<string, Set<string>>();
  for (const { func, autogen = "" } of entries)
    for (const schema of [func, ...autogen.split(/, */)]) {
      const [, name, overload = "default"] = /^(\w+)(?:\.(\w+))?/.exec(schema) ?? [];
      if (name === undefined) continue;
      overloads.set(name, (overloads.get(name) ?? new Set()).add(overload));
    }
  return Array.from(overloads, ([name, names]) => {
    const union = Array.from(names, (overload) => JSON.stringify(overload)).join(" | ");
    return `  ${name}: ${union};`;
  });
}

function generate(torchFolder: string): string {
  const list = path.join(torchFolder, "../torchgen/packaged/ATen/native/native_functions.yaml");
  const entries = parse(readFileSync(list, "utf8")) as (Entry & DispatchEntry)[];
  const groups = groupByName(entries.map(readOperator).filter((operator) => !takesDimensionNames(operator)));
  const summaries = readSummaries(torchFolder);
  const declarations = [
    "export interface Tensor {",
    ...groups
      .filter((group) => isPublicMethod(group.name))
      .flatMap((group) => declare(group, true, summaries)),
    "}",
  ];
  const metal = readMetalSupport(entries);
  const tables: string[] = [];
  for (const [module, name] of Object.entries(MODULES)) {
    const members = groups.filter((group) => group.module === module);
    const functions = members.filter((group) => isPublicFunction(group.name));
    declarations.push(
      "",
      `export interface ${name} {`,
      ...functions.flatMap((group) => declare(group, false, summaries)),
      "}",
    );
    const entries = members.map(tableEntry).filter((entry) => entry !== null);
    tables.push(`  ${JSON.stringify(module)}:\n    ${JSON.stringify(entries.join(" "))},`);
  }
  return [
    "// Generated by native/generate.ts from libtorch's native_functions.yaml: do not edit, do not commit.",
    'import type { DType, Layout, MemoryFormat, Scalar, Size, TensorOptions } from "./dtype.ts";',
    'import type { Generator } from "./generator.ts";',
    'import type { DeviceName } from "./native.ts";',
    `import type { ${ruleTypes(declarations.join("\n")).join(", ")}, Tensor as PlainTensor } from "./types/index.ts";`,
    "",
    ...declarations,
    "",
    "/** The overloads of each operator, as `torch.ops.aten` names them; read by operators.ts. */",
    "export interface AtenOverloads {",
    ...declareOverloads(entries),
    "}",
    "",
    "/** Public operators by module, as `name=operator:<function arity><method arity><kind>`; read by operators.ts. */",
    "export const OPERATORS = {",
    ...tables,
    "} as const;",
    "",
    "/** Operators with a kernel for Metal in this PyTorch, and those that are missing there; read by metal_operators.ts. */",
    `export const METAL_KERNELS =\n  ${JSON.stringify(metal.native.join(" "))};`,
    `export const SPARSE_METAL_KERNELS =\n  ${JSON.stringify(metal.sparse.join(" "))};`,
    `export const OWN_SPARSE_METAL_KERNELS =\n  ${JSON.stringify(metal.ownSparse.join(" "))};`,
    `export const WITHOUT_METAL =\n  ${JSON.stringify(metal.missing.join(" "))};`,
    "",
  ].join("\n");
}

const [, , torchFolder = process.env["MPSLAB_TORCH"]] = process.argv;
if (torchFolder === undefined) {
  console.error("Where is libtorch? Give its folder as the argument, or set MPSLAB_TORCH.");
  process.exitCode = 1;
} else {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  writeFileSync(path.join(root, "lib/torch/ops.generated.ts"), generate(torchFolder));
}
