// Reads the parameters that a cell declares, one a line: the cell below `// Parameters`, which papermill and `mpslab papermill`
// put in, or one that a user began so. Knows text, and runs nothing.

/** One declaration in each line: `let mode: "fast" | "exact" = "fast"; // what it is for` */
export const DECLARATION =
  /^\s*(?:export\s+)?(?:let|const|var)\s+(?<name>[^\s:=]+)\s*(?::\s*(?<type>[^=]+?(?:=>[^=]+?)*))?\s*=(?![=>])/u;

const HEAD = /^\s*\/\/\s*parameters\b/i;
const TEXT = /^("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*;?\s*(?:\/\/.*)?$/;
const OTHER = /^(.*?)\s*;?\s*(?:\/\/.*)?$/;

/** Texts of values by name, of all such cells, the last value of a name. */
export function parametersOfCells(cells: Iterable<string>): Record<string, string> {
  const found = new Map<string, string>();
  for (const cell of cells) {
    if (!HEAD.test(cell)) continue;
    for (const line of cell.split("\n")) {
      const declaration = DECLARATION.exec(line);
      const name = declaration?.groups?.["name"];
      if (name !== undefined) found.set(name, textOf(line.slice(declaration![0].length).trim()));
    }
  }
  return Object.fromEntries(found);
}

/** `"fast"; // how` -> `fast`, `0.010;` -> `0.01` */
function textOf(written: string): string {
  const text = TEXT.exec(written)?.[1];
  if (text?.startsWith('"')) {
    try {
      return JSON.parse(text) as string;
    } catch {
      return text; // An escape that only JavaScript has.
    }
  }
  if (text !== undefined) return text.slice(1, -1);
  const value = OTHER.exec(written)?.[1] ?? written;
  return /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(value) && !Number.isNaN(Number(value))
    ? String(Number(value))
    : value;
}
