// Converts imports: the library's names come from one module here, and what is not used is not imported.
import { type Context, library, mark, need } from "../context.ts";
import { foundAt, isAbove } from "./members.ts";
import { isConverted, isHolder, spaceOf } from "./paths.ts";
import { type Node, parts } from "../source/syntax.ts";

/** Modules whose calls are converted one by one, and those that only types need. */
const KNOWN = new Set(
  "argparse dataclasses string math time os os.path sys gc json random platform copy itertools typing collections multiprocessing tqdm tqdm.auto tqdm.notebook functools warnings __future__ numpy io abc pathlib re unicodedata".split(
    " ",
  ),
);

/** Modules whose names stand in types, or change nothing here. */
const TYPES_ONLY = new Set(["typing", "collections.abc", "__future__", "abc"]);

/** What to use in place of a package that is not here. */
export const INSTEAD: Readonly<Record<string, string>> = {
  numpy: "there is no numpy here: an array is a tensor, and operators of torch do the rest",
  matplotlib: "there is no matplotlib here: lab.plot draws lines, points, histograms and images",
  pandas: "there is no pandas here: read files by node:fs, and show rows by console.table",
  torchvision: "there is no torchvision here: data.MNIST, data.ImageFolder and data.transforms are the twins",
  torchaudio: "there is no torchaudio here",
  transformers: "there is no transformers here",
  contextlib: "a context manager is a function here that takes a function: withCache(() => { ... })",
};

/** Returns the texts of lines; the imports themselves stand at the head of the cell. */
export function importLines(node: Node, context: Context): string[] {
  const words = node.children;
  if (words[0]!.name === "import") {
    for (const part of parts(words.slice(1))) readModule(part, context, node);
    return [];
  }
  const middle = words.findIndex(({ name }) => name === "import");
  const module = words
    .slice(1, middle)
    .map(({ text }) => text)
    .join("");
  for (const part of parts(words.slice(middle + 1).filter(({ name }) => name !== "(" && name !== ")"))) {
    const as = part.findIndex(({ name }) => name === "as");
    const name = part[0]!.text;
    const local = as < 0 ? name : part[as + 1]!.text;
    if (TYPES_ONLY.has(module)) continue;
    // A file of one's own, whose text is a cell above.
    if (isFile(module) && local === name && isAbove(name, context)) {
      context.imports.delete(name);
      continue;
    }
    const path = `${module}.${name}`;
    context.imports.set(local, path);
    keep(spaceOf(path) ?? foundAt(path)?.space, spaceOf(path) === null ? undefined : local, context);
    if (name === "*") mark(context, node, `name what is taken from ${module}`);
    else if (!isThere(path) && module.startsWith("torch")) {
      const isUsed = [...context.text.matchAll(new RegExp(`\\b${local}\\b`, "g"))].length > 1;
      if (!isUsed && !context.isShownAlone) continue;
      const root = module.split(".")[0]!;
      mark(context, node, INSTEAD[root] ?? `there is no ${path} here`);
    } else if (!module.startsWith("torch")) tellMissing(module, context, node);
  }
  return [];
}

/** Whether a module may be a file beside the script: it is neither Python's, nor PyTorch's, nor a package known here. */
const isFile = (module: string): boolean => {
  const root = module.split(".")[0]!;
  return !KNOWN.has(module) && !root.startsWith("torch") && !Object.hasOwn(INSTEAD, root);
};

const isThere = (path: string): boolean =>
  spaceOf(path) !== null ||
  foundAt(path) !== null ||
  isHolder(path) ||
  isConverted(path) ||
  path === "torch.utils.data.Dataset" ||
  path === "torch.utils.data.IterableDataset";

/** `torch.nn as nn` */
function readModule(part: readonly Node[], context: Context, node: Node): void {
  const as = part.findIndex(({ name }) => name === "as");
  const path = part
    .slice(0, as < 0 ? part.length : as)
    .map(({ text }) => text)
    .join("");
  const root = path.split(".")[0]!;
  if (as < 0) context.imports.set(root, root);
  else context.imports.set(part[as + 1]!.text, path);
  if (isFile(path)) context.learned.variables.set(`file ${path}`, "");
  keep(spaceOf(path) ?? undefined, as < 0 ? undefined : part[as + 1]!.text, context);
  // What is used of a module that is here under another name is converted, or marked, where it is used.
  if (spaceOf(path) !== null || isHolder(path)) return;
  // What is used of PyTorch's module is marked there.
  if (path.startsWith("torch.") && context.isShownAlone) mark(context, node, `there is no ${path} here`);
  if (!/^torch(\.|$)/.test(path)) tellMissing(path, context, node);
}

/** The library's namespace stays imported, under the name that Python gives to all of it. */
function keep(space: string | undefined, local: string | undefined, context: Context): void {
  const root = space?.split(".")[0];
  if (root === undefined) return;
  if (space === root && local !== undefined && local !== root) need(context, "mpslab", root, local);
  else library(context, root);
  context.kept.add(context.needed.get("mpslab")!.get(root)!);
}

function tellMissing(module: string, context: Context, node: Node): void {
  const root = module.split(".")[0]!;
  const instead = INSTEAD[root];
  // What of it is converted needs nothing, and a module that the cell does not use neither.
  const isUsed = [...context.learned.variables.keys()].some((key) => key.startsWith(`missing ${root}.`));
  if (!context.isShownAlone && !isUsed) return;
  if (instead !== undefined) mark(context, node, instead);
  else if (!KNOWN.has(module)) mark(context, node, `there is no ${module} here, unless npm has it`);
}
