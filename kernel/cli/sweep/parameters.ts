// Values of parameters in a notebook: a cell in TypeScript below the one that is tagged `parameters`. papermill makes the
// same cell with the translator in kernel/papermill; test/fixtures/papermill_parameters.json holds the two together.
import { newCellId } from "../notebook/file.ts";
import { type CodeCell, hasTag, type Notebook } from "../notebook/format.ts";
import { DECLARATION } from "../../../lib/records/declared_parameters.ts";
import type { Point } from "../../../lib/records/parameters.ts";

export const PARAMETERS_TAG = "parameters";
export const INJECTED_TAG = "injected-parameters";

/** The last two characters join letters of some scripts. */
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
/** The words that no variable of a module in strict mode can have as its name. */
const RESERVED: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** Whether a cell can declare a variable of that name. */
export function isVariableName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name);
}

/** For these values TypeScript would infer types to which nothing else can be assigned. */
const WIDE_TYPES: Readonly<Record<string, string>> = {
  null: "any",
  "[]": "any[]",
  "{}": "Record<string, any>",
};

/** The parameters that a notebook declares, with the types that it gives them. */
export function declaredParameters(notebook: Notebook): Map<string, string | undefined> {
  const cell = notebook.cells.find((cell) => hasTag(cell, PARAMETERS_TAG));
  const declared = new Map<string, string | undefined>();
  for (const line of cell?.source.split("\n") ?? []) {
    const { name, type } = DECLARATION.exec(line)?.groups ?? {};
    if (name !== undefined && isVariableName(name)) declared.set(name, type);
  }
  return declared;
}

/** Puts the cell into the notebook, in place of one that an earlier run put there. */
export function injectParameters(notebook: Notebook, point: Point): void {
  const types = declaredParameters(notebook);
  const lines = Object.entries(point).map(([name, value]) =>
    declaration(name, literal(value), types.get(name)),
  );
  const cell: CodeCell = {
    cell_type: "code",
    id: newCellId(),
    source: `// Parameters\n${lines.join("")}`,
    metadata: { tags: [INJECTED_TAG] },
    outputs: [],
    execution_count: null,
  };
  const injected = notebook.cells.findIndex((cell) => hasTag(cell, INJECTED_TAG));
  const declaring = notebook.cells.findIndex((cell) => hasTag(cell, PARAMETERS_TAG));
  if (injected >= 0) notebook.cells.splice(injected, 1, cell);
  else notebook.cells.splice(declaring + 1, 0, cell);
}

/** `let`, so that a later cell may assign something else. */
function declaration(name: string, value: string, declaredType: string | undefined): string {
  const type = declaredType ?? WIDE_TYPES[value];
  return `let ${name}${type === undefined ? "" : `: ${type}`} = ${value};\n`;
}

function literal(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${keyText(key)}: ${literal(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** `"__proto__": x` would set the object's prototype; a computed key does not. */
function keyText(key: string): string {
  const text = JSON.stringify(key);
  return key === "__proto__" ? `[${text}]` : text;
}
