// Values of parameters in a notebook: a cell in TypeScript below the one that is tagged `parameters`, as papermill makes
// it with the translator in kernel/papermill. Knows the cell's text, nothing of runs.
import { newCellId } from "../notebook/file.ts";
import { type CodeCell, hasTag, type Notebook } from "../notebook/format.ts";
import type { Point } from "./grid.ts";

export const PARAMETERS_TAG = "parameters";
const INJECTED_TAG = "injected-parameters";

/** One declaration a line: `let mode: "fast" | "exact" = "fast"; // what it is for` */
const DECLARATION =
  /^\s*(?:export\s+)?(?:let|const|var)\s+(?<name>[\p{L}\p{N}_$]+)\s*(?::\s*(?<type>[^=]+?(?:=>[^=]+?)*))?\s*=(?![=>])/u;

/** TypeScript would infer types for these that nothing else could be assigned to. */
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
    if (name !== undefined) declared.set(name, type);
  }
  return declared;
}

/** Puts the cell in, in place of one that an earlier run put there. */
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
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${keyText(key)}: ${literal(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** `"__proto__": x` would set the object's prototype. */
function keyText(key: string): string {
  const text = JSON.stringify(key);
  return key === "__proto__" ? `[${text}]` : text;
}
