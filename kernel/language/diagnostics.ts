// Turns diagnostics of a cell's module into those of the cell: positions in the cell's text, and no message about lines
// that the user did not write.
import path from "node:path";
import type { DeclarationKind } from "../cell/analyze.ts";
import { hintForLine, hintForName } from "../../lib/magics/habits.ts";
import { NAME_PART } from "../../lib/typescript/identifiers.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { insteadOfDeno } from "../cell/deno_names.ts";
import { insteadOfForeign } from "../cell/foreign_specifiers.ts";
import { libraryTypes } from "./server/library.ts";
import { missingArguments } from "./missing_arguments.ts";
import type { CellModule, Notebook } from "./notebook.ts";
import { type ServerRange, TextLines } from "./server/positions.ts";
import { unknownNames } from "./unknown_names.ts";
import type { Advice } from "./advice/advice.ts";
import type { Problem } from "./advice/trials.ts";

export interface Diagnostic {
  readonly start: number;
  readonly end: number;
  readonly code: number;
  readonly category: "error" | "warning" | "suggestion";
  /** The message that tsc prints. Chained explanations are on further, indented lines. */
  readonly message: string;
  /** An advice that the checker has tried. */
  readonly advice?: Advice;
}

/** A cell as it was checked: in a module of its own, with its types widened. */
export interface CheckedCell {
  readonly module: CellModule;
  readonly text: string;
  /** Returns the offset in the text for an offset in the module's cell. */
  original(offset: number): number;
  /** Whether a value without a type, for which none is inferred, may be `any`. */
  readonly implicitAny: boolean;
}

export interface ServerDiagnostic {
  readonly range: ServerRange;
  readonly severity?: number;
  readonly code?: number;
  readonly message: string;
  readonly relatedInformation?: readonly { readonly message: string }[];
}

const ERROR = 1;
const WARNING = 2;

/**
 * The errors of `noImplicitAny`. A cell may contain such code, for example `function twice(x) { return x * 2 }`. The
 * option stays on all the same: with it, `const losses = []` becomes a list of the pushed type; without it, a list of
 * never.
 */
const IMPLICIT_ANY = new Set([
  2683, 7005, 7006, 7008, 7009, 7010, 7011, 7012, 7013, 7014, 7015, 7017, 7018, 7019, 7020, 7022, 7023, 7024,
  7025, 7026, 7031, 7032, 7033, 7034, 7051, 7052, 7053, 7055, 7057,
]);
/** "Variable 'x' implicitly has type 'any[]' in some locations": said of the declaration, because of a read. */
const IMPLICIT_SOMEWHERE = 7034;
/** "Variable 'x' implicitly has an 'any[]' type.": said of that read. */
const IMPLICIT_READ = 7005;
/** "Cannot assign to 'x' because it is an import." */
const ASSIGNED_IMPORT = 2632;
/** "Could not find a declaration file for module 'x'." A fact about the package; the cell can run. */
const UNTYPED_MODULE = 7016;
/** "Cannot find name 'x'.", "Cannot find namespace 'x'.", and the same with a guess what was meant. */
const UNKNOWN_NAME = new Set([2304, 2503, 2552, 2584]);
/** The same, and "No value exists in scope for the shorthand property 'x'." */
const MISSED_NAME = new Set([...UNKNOWN_NAME, 18004]);
/** "Module 'x' has no exported member 'y'.", and the same with "Did you mean 'z'?" */
const NO_SUCH_EXPORT = new Set([2305, 2724]);
/** The names that `globals.ts` declares. */
const CELL_GLOBALS = new Set(["display", "clearOutput", "prompt", "confirm", "In", "Out", "require"]);
/** "Cannot find module 'x' or its corresponding type declarations.", and the same of `import "x"`. */
const UNKNOWN_MODULE = new Set([2307, 2882]);
/** "Element implicitly has an 'any' type because index expression is not of type 'number'.": `list["name"]` */
const INDEXED_BY_TEXT = 7015;
/**
 * Indexing a tensor with brackets. TypeScript gives it no type, which is no error where implicit any is allowed; but
 * when it runs, it always fails.
 */
const INDEXED_TENSOR = /to index type 'Tensor[<']/;
const NOT_INDEXED = "A tensor is not indexed by brackets: x.at(...) reads a part of it.";
/**
 * "... expression of type '"foo"' can't be used to index type 'typeof import(...)'.": a name or a number in brackets that nothing of
 * the library has. It would be undefined, where `torch.foo` is an error.
 */
const INDEXED_BY_NAME =
  /^Element .* of type '(?:"([^"]+)"|(\d+|number))' can't be used to index type '([^]*?)'\.(?:\n|$)/;
const NAMESPACE = /^typeof import\("([^"]+)"\)$/;
const NAMED = /^(?:typeof )?(\w+)(?:<[^]*>)?$/;
const TABLE = /^(Table|Column|Groups|DataLoader|\w*Dataset|Subset)<[^]*>$/;
/** The same of a type that has a method `get`. */
const INDEXED_WITH_GET = /^Element .* because type '([^]*?)' has no index signature\./;
/** What `jsx.ts` lets an element hold. */
const UNSHOWN_CHILD = /^Type '(.*)' is not assignable to type '(?:Children|readonly Children\[\])'/;
const UNKNOWN_TAG = /^Property '([^']*)' does not exist on type 'JSX\.IntrinsicElements'/;
/** The name of a package in a specifier; a file, a URL and Node's own modules do not match. */
const PACKAGE = /^(?![./#]|[a-z]+:)(?:@[^/]+\/)?[^/]+/;
/** The cell itself exports a name that its module exports too. */
const EXPORTED_TWICE = new Set([2323, 2484]);

/** The errors that tsc would report if the notebook were one file. */
const READ_ONLY: Partial<Record<DeclarationKind, { code: number; what: string }>> = {
  const: { code: 2588, what: "a constant" },
  using: { code: 2588, what: "a constant" },
  enum: { code: 2628, what: "an enum" },
  class: { code: 2629, what: "a class" },
  function: { code: 2630, what: "a function" },
  namespace: { code: 2631, what: "a namespace" },
};

export function cellDiagnostics(
  found: readonly ServerDiagnostic[],
  { module, text, original, implicitAny }: CheckedCell,
  notebook: Notebook,
): Problem[] {
  const lines = new TextLines(module.text);
  const diagnostics: Problem[] = [];
  for (const { severity, code = 0, range, ...told } of found) {
    const message = withArgument(told);
    if (severity !== ERROR && severity !== WARNING) continue; // Hints: unused names, unreachable code.
    const start = lines.offset(range.start);
    const outside = start < module.cellStart || start > module.cellEnd;
    if ((outside && !isSyntaxError(code)) || EXPORTED_TWICE.has(code)) continue;
    const place = {
      start: original(clamp(start, module) - module.cellStart),
      end: original(clamp(lines.offset(range.end), module) - module.cellStart),
    };
    if (UNDECIDED.test(message)) continue;
    // The error has been reported for the opening tag.
    if (UNKNOWN_TAG.test(message) && text.startsWith("</", place.start)) continue;
    const isIndexed = INDEXED_TENSOR.test(message);
    const unnamed = unknownName(message, notebook);
    const isDoubtful = implicitAny && code === INDEXED_BY_TEXT;
    const isTold = isIndexed || isDoubtful || unnamed !== null;
    if (implicitAny && !isTold && IMPLICIT_ANY.has(code)) continue;
    if (implicitAny && notebook.constructorFields.explains(code, message)) continue;
    diagnostics.push({
      ...place,
      category: severity === WARNING || code === UNTYPED_MODULE ? "warning" : "error",
      ...(isDoubtful && { isDoubtful }),
      ...worded(code, isIndexed ? NOT_INDEXED : (unnamed ?? message), notebook),
    });
  }
  return withoutShellLines(diagnostics, text).filter(
    ({ code, message }) =>
      code !== IMPLICIT_SOMEWHERE ||
      diagnostics.some((other) => other.code === IMPLICIT_READ && quoted(other.message) === quoted(message)),
  );
}

/** "Expected 2-4 arguments, but got 1.", and beside it "An argument for 'dim' was not provided." */
function withArgument({ message, relatedInformation }: Omit<ServerDiagnostic, "range">): string {
  if (!/^Expected [^\n]* arguments?, but got \d+\.$/.test(message)) return message;
  const name = relatedInformation
    ?.map((one) => /^An argument for '(\w+)' was not provided\.$/.exec(one.message)?.[1])
    .find((one) => one !== undefined);
  return name === undefined ? message : `${message.slice(0, -1)}: ${name} is missing.`;
}

/** Null for what is indexed otherwise. */
function unknownName(message: string, { library }: Notebook): string | null {
  const [, text, index = "", indexed] = INDEXED_BY_NAME.exec(message) ?? [];
  const type = indexed ?? INDEXED_WITH_GET.exec(message)?.[1] ?? "";
  const name = text ?? index;
  const file = NAMESPACE.exec(type)?.[1];
  if (file?.startsWith(LIBRARY) === true)
    return `Property '${name}' does not exist on type '${ownNamespace(type, file)}'.`;
  const kind = TABLE.exec(type)?.[1];
  const own = NAMED.exec(type)?.[1];
  if (kind === undefined && (own === "Torch" || (own !== undefined && library.has(own))))
    return `Property '${name}' does not exist on type '${own === "Torch" ? "typeof torch" : type}'.`;
  if (kind === undefined) return null;
  if (kind === "Groups")
    return `Groups are not indexed by brackets: groups.aggregate({ ${name}: "mean" }) computes of a column of each group.`;
  if (kind === "Column") return "A column is not indexed by brackets: column.get(0) is its first value.";
  if (kind === "DataLoader")
    return "A loader is not indexed by brackets: for (const batch of loader) gives its batches.";
  if (kind !== "Table") return "A data set is not indexed by brackets: dataset.get(0) is its first sample.";
  return text === undefined
    ? "A table is not indexed by brackets: table.get(0) is its first record."
    : `A table is not indexed by brackets: table.column("${name}") is its column, record.${name} a value of a record.`;
}

/** `!ls -la`, where there is no `ls`: one message about the line instead of several about its parts. */
function withoutShellLines(found: readonly Problem[], text: string): Problem[] {
  const lineOf = ({ start }: Problem) => (start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1);
  const unknown = new Map<number, Problem>();
  for (const diagnostic of found) {
    const line = lineOf(diagnostic);
    const isShell = UNKNOWN_NAME.has(diagnostic.code) && /^[ \t]*!/.test(text.slice(line));
    if (isShell && !unknown.has(line)) unknown.set(line, diagnostic);
  }
  const told = [...unknown].map(([line, diagnostic]) => {
    const written = /^.*/.exec(text.slice(line))?.[0] ?? "";
    const start = line + written.search(/\S/);
    const message = `Cannot find name '${quoted(diagnostic.message)}': ${hintForLine(written)}.`;
    return { ...diagnostic, start, end: line + written.trimEnd().length, message };
  });
  const others = found.filter((diagnostic) => !unknown.has(lineOf(diagnostic)));
  return [...told, ...others].toSorted((a, b) => a.start - b.start);
}

/** Whether the error may be about a bracket that the cell leaves open: it is reported at the end of the module. */
function isSyntaxError(code: number): boolean {
  return code === 1005 || code === 1160 || code === 1010;
}

function clamp(offset: number, { cellStart, cellEnd }: CellModule): number {
  return Math.min(Math.max(offset, cellStart), cellEnd);
}

type Words = Pick<Problem, "code" | "message" | "known">;

function worded(code: number, message: string, notebook: Notebook): Words {
  const name = quoted(message);
  const missed = MISSED_NAME.has(code) ? notebook.missed.sentence(name) : null;
  if (missed !== null) return { code, message: `Cannot find name '${name}': ${missed}`, known: "cause" };
  const hint = UNKNOWN_NAME.has(code) && notebook.get(name) === undefined ? hintForName(name) : null;
  if (hint !== null) return { code, message: `Cannot find name '${name}': ${hint}.`, known: "cause" };
  const isUnknown = UNKNOWN_NAME.has(code) && !notebook.library.has(name);
  const inBlock = isUnknown ? notebook.missed.inBlock(name) : null;
  if (inBlock !== null) return { code, message: `Cannot find name '${name}': ${inBlock}`, known: "cause" };
  const unexported = NO_SUCH_EXPORT.has(code)
    ? (/'([^']*)'[^']*$/.exec(message.split(". Did")[0] ?? "")?.[1] ?? "")
    : "";
  if (CELL_GLOBALS.has(unexported) && message.includes('"mpslab"')) {
    return { code, message: `mpslab has no export '${unexported}': every cell has it without an import.` };
  }
  const tag = UNKNOWN_TAG.exec(message)?.[1];
  if (tag !== undefined) {
    return { code, message: `HTML has no element <${tag}>. A component begins with a capital letter.` };
  }
  const child = UNSHOWN_CHILD.exec(message)?.[1];
  if (child !== undefined) {
    const instead = /^Tensor\b/.test(child) ? "; x.item() reads the number of a tensor" : "";
    return {
      code,
      message: `An element holds text, numbers and elements, not ${withoutModules(child)}${instead}.`,
    };
  }
  const ofDeno = /^Property '([^']+)' does not exist on type 'typeof Deno'/.exec(message)?.[1];
  if (ofDeno !== undefined) return { code, message: insteadOfDeno(ofDeno), known: "cause" };
  const foreign = UNKNOWN_MODULE.has(code) ? insteadOfForeign(name) : null;
  if (foreign !== null) return { code, message: foreign, known: "cause" };
  const missingPackage = PACKAGE.exec(name)?.[0];
  if (UNKNOWN_MODULE.has(code) && missingPackage !== undefined) {
    return { code, message: `${message} Install it: %npm install ${missingPackage}` };
  }
  const readOnly = READ_ONLY[notebook.get(name)?.declared.kind ?? "import"];
  if (code === ASSIGNED_IMPORT && readOnly !== undefined) {
    return { code: readOnly.code, message: `Cannot assign to '${name}' because it is ${readOnly.what}.` };
  }
  const refused = refusal(message) ?? missingArguments(message) ?? unknownNames(message);
  return refused === null
    ? { code, message: withoutModules(aboutProperties(message)) }
    : { code, message: refused, known: "refusal" };
}

/**
 * Shortens an error about a component's properties to what its own type says: `Type '{}' is not assignable to type
 * 'IntrinsicAttributes & { n: number; }'.` and its reason  ->  the reason
 */
function aboutProperties(message: string): string {
  const reason = /^Type '[^\n]*' is not assignable to type 'IntrinsicAttributes & [^\n]*\n +([^\n]+)$/.exec(
    message,
  )?.[1];
  return (reason ?? message).replaceAll("IntrinsicAttributes & ", "");
}

/**
 * Types refuse an operator that cannot run by a type whose text is a sentence. Returns only that sentence: `Argument of
 * type 'Tensor<[5, 4]>' is not assignable to parameter of type 'Tensor<[5, 4]> & "matmul: ..."'.`  -> `matmul: [2, 3]
 * and [5, 4] do not fit: 3 columns meet 5 rows.`
 */
function refusal(message: string): string | null {
  const sentence = REFUSED.exec(message)?.[1] ?? NO_METHOD.exec(message)?.[1];
  return sentence === undefined ? null : `${JSON.parse(`"${sentence}"`)}.`;
}

const REFUSED =
  /^(?:Argument of type '|Type '|The 'this' context of type '|No overload matches)[^]* is not assignable to [^]*'[^']* & (?:\{ readonly refused: )?"(\w+(?:\([^()"]*\))?: (?:[^"\\]|\\.)+)"(?:; \})?'/;

/**
 * In a generic function over sizes, dtypes or devices, the compiler cannot decide whether an operator would refuse its
 * arguments, and reports an error to be safe: `... is not assignable to parameter of type 'Tensor &
 * Unless<KindProblem<"add", Kind<D>, "cpu">>'.`
 */
const UNDECIDED = /is not assignable to [^]* & Unless(?:At)?</;

/**
 * `x.max(1).values()`: the result has a field of the name that lists have a method for. The type of the method's `this`
 * is a sentence.
 */
const NO_METHOD =
  /^The 'this' context [^]* is not assignable to method's 'this' of type '"((?:[^"\\]|\\.)+)"'/;

/** In explanations TypeScript also prints type arguments that are defaults: `Tensor<[2, 3], "float32", any>`. */
function withoutUnknowns(text: string): string {
  return text
    .replaceAll("ByName & ", "")
    .replace(/(?<![.\w])(Tensor|ValuesAndIndices)<any, any, any>/g, "$1")
    .replace(/(?<=\b(?:Tensor|ValuesAndIndices)<[^<>]*?)(?:, any){1,2}>/g, ">");
}

const quoted = (message: string): string => /'([^']*)'/.exec(message)?.[1] ?? "";

const OWN_MODULE = new RegExp(
  String.raw`import\("[^"]*?${RESERVED_PREFIX}(?:cell|names|draft|hovered)(?:_(\d+))?(?:_\d+)?"\)\.(${NAME_PART}+)`,
  "gu",
);

const MODULE_TYPE = /typeof import\("([^"]+)"\)/g;
const LIBRARY = `${path.dirname(libraryTypes())}/`;

/** A type that the library does not export: `import("../../lib/torch/optim/list_optimizer").Parameters`. */
const INNER_TYPE = /\bimport\("([^"]+)"\)\.(?=[A-Z])/g;

/** The server prints the package's name, paths from a cell's folder, or whole ones. */
function isOfLibrary(file: string): boolean {
  if (file === "mpslab") return true;
  const end = LIBRARY.split("/").slice(-3).join("/");
  return file.startsWith(LIBRARY) || (file.startsWith("../") && `/${file}`.includes(`/${end}`));
}

/** The library's namespaces by their names: `typeof import("/home/.../lib/torch/nn/index")`  ->  `typeof nn`. */
function ownNamespace(type: string, file: string): string {
  if (!isOfLibrary(file)) return type;
  return `typeof ${path.basename(path.basename(file) === "index" ? path.dirname(file) : file)}`;
}

/**
 * Types of other cells by their names: `import("/home/.../__mpslab_cell_3_1").Model`  ->  `Model`. If a message
 * mentions two types with one name, the older one is shown with its cell: `Cell[3].Model`.
 */
export function withoutModules(text: string): string {
  const cells = new Map<string, Set<string>>();
  for (const [, cell = "", name = ""] of text.matchAll(OWN_MODULE)) {
    cells.set(name, (cells.get(name) ?? new Set()).add(cell));
  }
  return withoutUnknowns(text)
    .replace(MODULE_TYPE, ownNamespace)
    .replace(INNER_TYPE, (type, file: string) => (isOfLibrary(file) ? "" : type))
    .replace(OWN_MODULE, (_, cell: string | undefined, name: string) =>
      cell !== undefined && (cells.get(name)?.size ?? 0) > 1 ? `Cell[${cell}].${name}` : name,
    );
}
