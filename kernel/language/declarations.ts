// Writes declarations of the notebook's names, each with its printed type or from the cell that was kept.
import type { Declared } from "../cell/analyze.ts";
import { NAME_PART } from "../../lib/typescript/identifiers.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";

/** Where a name's declaration is: written out with the printed type, or in the text of a kept cell. */
export type Home =
  | { readonly type: string; readonly documentation: string }
  | {
      readonly keptIn: string;
      /** A function's type in its own words. */
      readonly written?: string | null;
      /** The statement that imports the name alone. */
      readonly imported?: string | undefined;
    };

export interface VisibleName {
  readonly declared: Declared;
  readonly home: Home;
}

/**
 * Whether the name has a type that can be printed. Classes, enums and namespaces are types too, so they stay in their
 * cell's text.
 */
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
 * Replaces `import("./lib")` in types by one import of each module, since a further `import("./lib")` makes the server
 * rebuild the program. With the library's first type, the modules of its other types are imported as well.
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

/**
 * Whether a type can be written above a cell because it needs no import: a new import makes the server rebuild the
 * program.
 */
export function fitsInLine(home: Home): home is Extract<Home, { type: string }> {
  return "type" in home && !home.type.includes("import(");
}

export function exported(declared: Declared, home: Home): string {
  if ("keptIn" in home) return `export { ${named(declared)} } from "./${home.keptIn}";`;
  return `${home.documentation}export ${declaration(declared, home.type)}`;
}

/**
 * One declaration with its type. A function with one signature is declared as a function, which keeps its kind and its
 * parameters' names: `(a: string, b?: number) => void`  ->  `declare function f(a: string, b?: number): void;`
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
