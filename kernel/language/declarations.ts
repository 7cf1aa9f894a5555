// Writes declarations of the notebook's names, each with its printed type or from the cell that was kept.
import type { Declared } from "../cell/analyze.ts";
import { NAME_PART } from "../../lib/typescript/identifiers.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";

/** The place of a name's declaration: printed with its type, or in the text of a cell that was kept. */
export type Home =
  | { readonly type: string; readonly documentation: string }
  | { readonly keptIn: string; /** A function's type in its own words. */ readonly written?: string | null };

export interface VisibleName {
  readonly declared: Declared;
  readonly home: Home;
}

/** Has a type to be printed. Classes, enums and namespaces are types too, and stay in their cell's text. */
export function isValue({ kind }: Declared): boolean {
  return kind === "const" || kind === "let" || kind === "var" || kind === "using" || kind === "function";
}

export function isAssignable({ kind, typeOnly }: Declared): boolean {
  return (kind === "let" || kind === "var") && !typeOnly;
}

export function named({ name, kind, typeOnly }: Declared): string {
  return typeOnly && (kind === "type" || kind === "interface" || kind === "import") ? `type ${name}` : name;
}

/**
 * The same types through one import a module, since one more `import("./lib")` has the program built anew. With the first
 * type of the library come the modules that others of it are from.
 *
 *     a: import("./lib").Tensor; b: import("./lib").Tensor
 *     import type { Tensor as __mpslab_0_Tensor } from "./lib"; a: __mpslab_0_Tensor; b: __mpslab_0_Tensor
 */
export function withImports(declarations: string): string {
  const modules = new Map<string, Map<string, string>>();
  const namesOf = (module: string): Map<string, string> => {
    const names = modules.get(module) ?? new Map<string, string>();
    modules.set(module, names);
    return names;
  };
  const [, library] = LIBRARY_FOLDER.exec(declarations) ?? [];
  if (library !== undefined) for (const module of LIBRARY_MODULES) namesOf(library + module);
  const text = declarations.replace(IMPORTED_TYPE, (_, module: string, name: string) => {
    const names = namesOf(module);
    const alias = names.get(name) ?? `${RESERVED_PREFIX}${[...modules.keys()].indexOf(module)}_${name}`;
    names.set(name, alias);
    return alias;
  });
  const imports = [...modules].map(([module, names]) => {
    const list = [...names].map(([name, alias]) => `${name} as ${alias}`);
    return `import type { ${list.join(", ")} } from "${module}";\n`;
  });
  return imports.join("") + text;
}

const LIBRARY_FOLDER = /\bimport\("([^"]*\/lib\/torch\/)/;
/** The modules that are named in printed types of tensors, layers, optimizers and data. */
const LIBRARY_MODULES = ["types", "members", "nn", "optim", "data"];
const IMPORTED_TYPE = new RegExp(String.raw`\bimport\("([^"]+)"\)\.(${NAME_PART}+)`, "gu");

/** Whether a type needs no import: a new one would have the program built anew. */
export function fitsInLine(home: Home): home is Extract<Home, { type: string }> {
  return "type" in home && !home.type.includes("import(");
}

export function exported(declared: Declared, home: Home): string {
  if ("keptIn" in home) return `export { ${named(declared)} } from "./${home.keptIn}";`;
  return `${home.documentation}export ${declaration(declared, home.type)}`;
}

/**
 * One declaration with its type. A function of one signature stays a function, for its kind and its parameters:
 * `(a: string, b?: number) => void`  ->  `declare function f(a: string, b?: number): void;`
 */
export function declaration(declared: Declared, type: string): string {
  const { name, kind } = declared;
  const result = kind === "function" ? arrowOf(type) : -1;
  if (result >= 0)
    return `declare function ${name}${type.slice(0, result)}: ${type.slice(result + " => ".length)};`;
  return `declare ${isAssignable(declared) ? "let" : "const"} ${name}: ${type};`;
}

/** Offset of the ` => ` that ends the parameters of a function type, -1 if it is no plain function type. */
function arrowOf(type: string): number {
  if (type[0] !== "(" && type[0] !== "<") return -1;
  let depth = 0;
  for (const { 0: token, index } of type.matchAll(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|=>|[()<>[\]{}]/g,
  )) {
    if ("(<[{".includes(token)) depth += 1;
    else if (")>]}".includes(token)) depth -= 1;
    else if (token === "=>" && depth === 0) return type.startsWith(" => ", index - 1) ? index - 1 : -1;
  }
  return -1;
}
