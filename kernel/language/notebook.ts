// Writes the notebook as modules for the checker. A cell's module imports the names of earlier cells, and those names
// are explicit declarations.
import type { Declared } from "../cell/analyze.ts";
import { wordBefore } from "../../lib/typescript/identifiers.ts";
import { isJsxDraft } from "../../lib/typescript/jsx.ts";
import type { ParsedText } from "../../lib/typescript/parse.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { ConstructorFields } from "./constructor_fields.ts";
import { MissedNames } from "./missed_names.ts";
import type { JsxReferences } from "./server/configuration.ts";
import {
  declaresSomewhere,
  draftDeclarations,
  identifiers,
  importedModules,
  isExported,
} from "./cell_text.ts";
import {
  declaration,
  exported,
  fitsInLine,
  type Home,
  isAssignable,
  isValue,
  named,
  type VisibleName,
  withImports,
} from "./declarations.ts";

/** Module of all names that later cells see: `export *` of its parts. */
export const NAMES_MODULE = `${RESERVED_PREFIX}names`;
/** The cell that is being checked. */
export const CELL_MODULE = `${RESERVED_PREFIX}cell`;
/** The same cell with its operands and conditions checked for tensors. */
export const QUESTIONS_MODULE = `${RESERVED_PREFIX}questions`;
/** Matches a type of the library in a printed type. */
const LIBRARY_TYPE = /\bimport\("(?:mpslab"|[^"]*\/lib\/)/;
/** Matches an import of the library in a cell's text. */
const LIBRARY_IMPORT = /["']mpslab["']/;
/** A file of the user's may export something of the library. */
const POSSIBLE_IMPORT = /["'](?:mpslab["']|\.{1,2}\/)/;
/** Names of the library that the declarations above a cell can use. */
export const LIBRARY_TENSOR = `${RESERVED_PREFIX}Tensor`;
export const LIBRARY_NN = `${RESERVED_PREFIX}nn`;
const LIBRARY_TYPES = `nn as ${LIBRARY_NN}, Tensor as ${LIBRARY_TENSOR}`;
/**
 * Declared where the notebook's values, or its types, are in scope: completions that contain them are for such a place,
 * and not for `model.`.
 */
export const VALUE_SCOPE_MARK = `${RESERVED_PREFIX}values`;
export const TYPE_SCOPE_MARK = `${RESERVED_PREFIX}types`;

/**
 * The module of a cell whose text is kept, because it declares classes, enums, types, or values whose types have no
 * name.
 */
export const keptModule = (count: number, run: number): string => `${CELL_MODULE}_${count}_${run}`;

const LET_ALIAS = `${RESERVED_PREFIX}let_`;

/**
 * If more names than this begin with the word before the cursor, none of them is imported: the word is still too short.
 */
const MAX_POSSIBLE = 12;

/** How many names share a module: after a cell, only such a part is parsed again, not the whole notebook. */
const PART_SIZE = 64;

/** The text of a cell's module: one line above the cell, the cell, and what stands below it. */
export interface CellModule {
  readonly text: string;
  readonly isJsx: boolean;
  readonly cellStart: number;
  readonly cellEnd: number;
  /**
   * Names of the library that a draft can use although it does not import them. Completion offers them together with
   * their import.
   */
  readonly lent: ReadonlySet<string>;
  /**
   * Offsets below the cell at which its values are read. There `let best = null` has the type of the value that was
   * assigned last.
   */
  readonly reads: ReadonlyMap<string, number>;
}

/** What is written into a module: the text of a cell, or what was made of it. */
export interface ModuleText extends Pick<ParsedText, "text" | "isJsx"> {
  readonly declared: readonly Declared[];
}

export const EMPTY_TEXT: ModuleText = { text: "", isJsx: false, declared: [] };

type KeptModule = Pick<CellModule, "text" | "isJsx">;

interface Part {
  /** The declarations by name. */
  readonly declarations: Map<string, string>;
  /** The module's text; null after a declaration was added. */
  text: string | null;
}

export class Notebook {
  readonly missed = new MissedNames();
  readonly constructorFields = new ConstructorFields();
  readonly #names = new Map<string, VisibleName & { readonly part: Part }>();
  readonly #parts: Part[] = [];
  readonly #kept = new Map<string, KeptModule>();
  #jsx: JsxReferences = { names: [], module: null };
  /** The imports after the last cell: those of other cells, then its own. */
  #imported: readonly string[] = [];
  #library: ReadonlySet<string> = new Set();
  /**
   * Something declared mentions the library: with the next documents the library's declarations become part of the
   * program.
   */
  #bringsLibrary = false;
  #hasLibrary = false;
  /**
   * Names declared since the documents were read last. Modules of cells declare these names instead of importing them.
   */
  readonly #unpublished = new Set<string>();
  /** A name was declared anew since the last sweep: only then can a kept cell have become unreachable. */
  #replaced = false;

  get(name: string): VisibleName | undefined {
    return this.#names.get(name);
  }

  /** The names that `import { ... } from "mpslab"` can import. */
  get library(): ReadonlySet<string> {
    return this.#library;
  }

  learnLibrary(names: readonly string[]): void {
    this.#library = new Set(names);
  }

  /** What JSX elements in cells refer to under the folder's tsconfig. */
  useJsx(references: JsxReferences): void {
    this.#jsx = references;
  }

  names(): Iterable<VisibleName> {
    return this.#names.values();
  }

  printedTypes(): ReadonlyMap<string, string> {
    const printed = [...this.#names].flatMap(([name, { home }]) => {
      const type = "type" in home ? home.type : home.written;
      return type == null ? [] : [[name, type] as const];
    });
    return new Map(printed);
  }

  /** Documents by module name, without extension, that the server must hold. */
  *documents(): Iterable<[module: string, text: string, isJsx?: boolean]> {
    this.#unpublished.clear();
    this.#hasLibrary = this.#bringsLibrary;
    // Kept cells first: a part that imports a module must find it.
    for (const [module, { text, isJsx: hasJsx }] of this.#kept) yield [module, text, hasJsx];
    for (const [index, part] of this.#parts.entries()) {
      part.text ??= `${withImports([...part.declarations.values()].join("\n"))}\nexport {};\n`;
      yield [partModule(index), part.text];
    }
    const parts = this.#parts.map((_, index) => `export * from "./${partModule(index)}";`);
    if (this.#hasLibrary) parts.push(`export type { ${LIBRARY_TYPES} } from "mpslab";`);
    yield [NAMES_MODULE, `${parts.join("\n")}\nexport {};\n`];
  }

  /** Whether an earlier cell imported the name with the same statement: its declaration stays as it is. */
  imports({ name, typeOnly }: Declared, statement: string | undefined): boolean {
    const earlier = this.#names.get(name);
    if (statement === undefined || earlier === undefined || !("keptIn" in earlier.home)) return false;
    const isSame = earlier.home.imported === statement && earlier.declared.typeOnly === typeOnly;
    if (isSame) this.missed.found(name);
    return isSame;
  }

  /** Makes a name visible to later cells. An existing name gets the new declaration. */
  set(declared: Declared, home: Home): void {
    const earlier = this.#names.get(declared.name);
    this.missed.found(declared.name);
    const part = earlier?.part ?? this.#partWithRoom();
    part.declarations.set(declared.name, exported(declared, home));
    part.text = null;
    this.#names.set(declared.name, { declared, home, part });
    this.#replaced ||= earlier !== undefined;
    this.#bringsLibrary ||= "type" in home && LIBRARY_TYPE.test(home.type);
    this.#unpublished.add(declared.name);
  }

  #partWithRoom(): Part {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.declarations.size < PART_SIZE) return last;
    const part: Part = { declarations: new Map(), text: null };
    this.#parts.push(part);
    return part;
  }

  /** Keeps a cell's text as a module of its own. */
  keep(module: string, kept: KeptModule): void {
    this.#kept.set(module, kept);
    this.#bringsLibrary ||= LIBRARY_IMPORT.test(kept.text);
  }

  /** A cell's imports stay in the modules of later cells: see `cellModule`. */
  learnImports(text: string): void {
    const own = importedModules(text);
    this.#imported = [...this.#importedElsewhere(own), ...own];
  }

  #importedElsewhere(own: readonly string[]): readonly string[] {
    return this.#imported.filter((module) => !own.includes(module));
  }

  /** Drops kept cells that nothing refers to any more, and returns their modules. */
  sweep(isPinned: (text: string) => boolean): string[] {
    if (!this.#replaced || this.#kept.size === 0) return [];
    this.#replaced = false;
    const reached = new Set<string>();
    const reach = (text: string): void => {
      for (const [, module = ""] of text.matchAll(KEPT_REFERENCE)) {
        if (reached.has(module)) continue;
        reached.add(module);
        reach(this.#kept.get(module)?.text ?? "");
      }
    };
    for (const { declarations } of this.#parts) for (const text of declarations.values()) reach(text);
    for (const [module, { text }] of this.#kept) if (isPinned(text)) reach(`"./${module}"`);
    const dropped = [...this.#kept.keys()].filter((module) => !reached.has(module));
    for (const module of dropped) this.#kept.delete(module);
    return dropped;
  }

  /**
   * Whether the documents must be given to the server before this cell is checked, because the cell uses a new name
   * that cannot be declared in the line above it.
   */
  needsDocuments(text: string, declared: readonly Declared[]): boolean {
    if (this.#unpublished.size === 0) return false;
    const own = new Set(declared.map(({ name }) => name));
    return this.#referenced(text, own).some(
      ({ declared: { name }, home }) => this.#unpublished.has(name) && !fitsInLine(home),
    );
  }

  /**
   * The module in which a cell is checked. The server takes a changed module into the program in 1 ms if its imports
   * stay the same; if an import comes or goes, it rebuilds the program in 20 ms. So what earlier cells imported stays
   * imported, in the line above a cell that does not import it itself. The declarations in `above` may name
   * LIBRARY_TENSOR and LIBRARY_NN. The module of names exports these once something of the library has been declared;
   * before that they are imported from the library, because the cell imports it as well.
   */
  cellModule({ text, isJsx, declared }: ModuleText, above = ""): CellModule {
    const own = new Set(declared.map(({ name }) => name));
    const needsTypes = above.includes(LIBRARY_TENSOR);
    const types = this.#hasLibrary && needsTypes ? [`type ${LIBRARY_NN}`, `type ${LIBRARY_TENSOR}`] : [];
    const elsewhere = this.#importedElsewhere(importedModules(text));
    const referenced = this.#referenced(text, own);
    const fresh = new Map<Declared, string>();
    for (const { declared: name, home } of referenced)
      if (this.#unpublished.has(name.name) && fitsInLine(home)) fresh.set(name, declaration(name, home.type));
    const line = [
      importLine(
        referenced.filter(({ declared: name }) => !fresh.has(name)),
        types,
      ),
      ...fresh.values(),
    ];
    line.push(...elsewhere.map((module) => `import type {} from ${JSON.stringify(module)};`));
    if (!this.#hasLibrary && needsTypes) line.push(`import type { ${LIBRARY_TYPES} } from "mpslab";`);
    if (above !== "") line.push(above);
    // A module to which only JSX elements refer is resolved only when the program is rebuilt. This import causes that.
    if (isJsx && this.#jsx.module !== null) line.push(`import type {} from "${this.#jsx.module}";`);
    const values = declared.filter(isValue);
    return { ...wrap(line.join(" "), text, exportLine(text, declared), values), isJsx };
  }

  /** The module of text that is not parsed: a half-written cell. */
  draftModule(text: string, cursor = 0): CellModule {
    const own = new Set(draftDeclarations(text));
    // The names that begin with the word before the cursor are imported too, so that the checker can resolve them.
    const word = wordBefore(text, cursor).toLowerCase();
    const possible =
      word === "" ? [] : [...this.#names.keys()].filter((name) => name.toLowerCase().startsWith(word));
    const mentioned = [text, ...possible.slice(0, MAX_POSSIBLE)].join("\n");
    const lent = this.#lent(text, word, own);
    const line = [
      importLine(this.#referenced(mentioned, own)),
      ...(this.#hasLibrary || lent.length > 0 ? [`import { ${lent.join(", ")} } from "mpslab";`] : []),
      `declare const ${VALUE_SCOPE_MARK}: never; type ${TYPE_SCOPE_MARK} = never;`,
    ];
    return { ...wrap(line.join(" "), text, ""), isJsx: isJsxDraft(text), lent: new Set(lent) };
  }

  /**
   * The module in which a cell is kept. The declarations of the names that it uses are written out, so that a later
   * redeclaration does not change it.
   */
  keptText({ text, isJsx, declared }: ModuleText): KeptModule {
    const own = new Set(declared.map(({ name }) => name));
    const line = this.#referenced(text, own).map(({ declared: name, home }) =>
      "type" in home ? declaration(name, home.type) : `import { ${named(name)} } from "./${home.keptIn}";`,
    );
    return { text: wrap(line.join(" "), text, exportLine(text, declared)).text, isJsx };
  }

  /** Names of the library that the text mentions, or that begin with the word, and that nothing else declares. */
  #lent(text: string, word: string, own: ReadonlySet<string>): string[] {
    const mentioned = new Set(identifiers(text));
    return [...this.#library].filter(
      (name) =>
        (mentioned.has(name) || (word !== "" && name.toLowerCase().startsWith(word))) &&
        !own.has(name) &&
        !this.#names.has(name) &&
        !declaresSomewhere(text, name),
    );
  }

  /** Whether the text may use the library: it imports it, or uses a name of a cell that may have. */
  usesLibrary(text: string): boolean {
    const ofLibrary = ({ home }: VisibleName) => !("type" in home) || LIBRARY_TYPE.test(home.type);
    return POSSIBLE_IMPORT.test(text) || this.#referenced(text, new Set()).some(ofLibrary);
  }

  /** The names that a text may refer to, including those that JSX elements use without naming them. */
  mentioned(text: string): ReadonlySet<string> {
    return new Set([...identifiers(text), ...this.#jsx.names]);
  }

  #referenced(text: string, own: ReadonlySet<string>): VisibleName[] {
    const found: VisibleName[] = [];
    for (const name of this.mentioned(text)) {
      const visible = own.has(name) ? undefined : this.#names.get(name);
      if (visible !== undefined) found.push(visible);
    }
    return found;
  }
}

const partModule = (index: number): string => `${NAMES_MODULE}_${index}`;

const KEPT_REFERENCE = new RegExp(String.raw`"\./(${CELL_MODULE}_\d+_\d+)"`, "g");
/**
 * Imports names. An imported name cannot be assigned to, so a `let` is imported under an alias and declared again with
 * the same type.
 */
function importLine(names: readonly VisibleName[], types: readonly string[] = []): string {
  const imported = names.map(({ declared }) =>
    isAssignable(declared) ? `${declared.name} as ${LET_ALIAS}${declared.name}` : named(declared),
  );
  const lets = names
    .filter(({ declared }) => isAssignable(declared))
    .map(({ declared: { name } }) => `declare let ${name}: typeof ${LET_ALIAS}${name};`);
  return [`import { ${[...imported, ...types].join(", ")} } from "./${NAMES_MODULE}";`, ...lets].join(" ");
}

function exportLine(text: string, declared: readonly Declared[]): string {
  const names = declared.filter(({ name }) => !isExported(text, name)).map(named);
  return `export { ${names.join(", ")} };`;
}

/** `/// <reference lib="dom" />` counts only in a module's first lines, so the cell's references are copied there. */
function libraryReferences(text: string): string {
  const found = text.match(/^[ \t]*\/\/\/\s*<reference\s+lib=["'][\w.]+["']\s*\/>/gm) ?? [];
  return found.map((reference) => `${reference.trim()}\n`).join("");
}

function wrap(line: string, text: string, exports: string, values: readonly Declared[] = []): CellModule {
  const above = libraryReferences(text) + line;
  const cellStart = above.length + 1;
  const cellEnd = cellStart + text.length;
  const reads = new Map<string, number>();
  let after = "";
  // Each value is read in a statement of its own: in an array, the checker would compare every tensor with every other.
  for (const { name } of values) {
    after += after === "" ? "\nvoid " : " void ";
    reads.set(name, cellEnd + after.length);
    after += `${name};`;
  }
  const module = `${above}\n${text}${after}\n${exports}`;
  return { text: module, isJsx: false, cellStart, cellEnd, reads, lent: new Set() };
}
