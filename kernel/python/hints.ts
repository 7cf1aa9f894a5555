// Answers lines of Python in a cell of TypeScript with the TypeScript to write. One converter says it for a whole cell,
// for one line, and for a part of a line that TypeScript could read and did not know.
import { type Conversion, convertPython, NotPythonError } from "./convert.ts";
import { HELPERS } from "./semantics.ts";
import { foundAt } from "./names/members.ts";
import { spaceOf } from "./names/paths.ts";
import { INSTEAD } from "./names/imports.ts";

/** An answer for a line; offsets are of the cell's text. */
export interface PythonHint {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

interface LineAt {
  /** The line without blanks around it. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  readonly start: number;
}

function lineAt(text: string, offset: number): LineAt {
  const at = Math.min(offset, text.trimEnd().length);
  const begin = text.lastIndexOf("\n", at - 1) + 1;
  const whole = /^.*/.exec(text.slice(begin))![0];
  const start = begin + whole.search(/\S|$/);
  return { text: whole.trim(), number: text.slice(0, begin).split("\n").length, start };
}

/** Printed types of variables that earlier cells left. */
type Types = ReadonlyMap<string, string>;

function converted(python: string, types?: Types): Conversion | null {
  try {
    return convertPython(python, types, true);
  } catch (error) {
    if (error instanceof NotPythonError) return null;
    throw error;
  }
}

/**
 * Where TypeScript could not be read: the line's answer, if the cell, or else the line, is Python.
 *
 * @param types printed types of variables that the cell does not assign: `x[0:1]` says one thing of a tensor, another of a list
 */
export function hintAtSyntaxError(text: string, offset: number, types?: Types): PythonHint | null {
  const line = lineAt(text, offset);
  if (line.text === "") return null;
  const place = { start: line.start, end: line.start + line.text.length };
  const whole = converted(text, types);
  const isSeveral = text.trim().includes("\n");
  const rest = whole !== null && isSeveral ? "; %%python in a line above shows all of the cell so" : "";
  const said =
    importText(line.text) ?? (whole === null ? null : lineOf(whole, line)) ?? lineAlone(line.text, types);
  if (said !== null) return { ...place, message: `This is Python: ${said}${rest}` };
  return rest === ""
    ? null
    : { ...place, message: "This is Python: %%python in a line above shows the cell as TypeScript" };
}

/** A line alone brings no functions along. */
const HELPER = new RegExp(`\\b(${Object.keys(HELPERS).join("|")})\\(`);

/** The line of TypeScript that says a line of Python, with what the converter does not know of it. */
function lineOf({ lines, marks }: Conversion, { number }: LineAt): string | null {
  const said = lines.filter(
    ({ text, python }) =>
      python === number && text !== "" && text !== "}" && !/^(\/\/|\/\*|\*|let \w+!?: )/.test(text),
  );
  if (said.length === 0 || said.some(({ text }) => HELPER.test(text))) return null;
  const doubts = marks.filter(({ line }) => line === number).map(({ message }) => `; ${message}`);
  return `write ${said.map(({ text }) => shortened(text)).join(" ")}${doubts.join("")}`;
}

function lineAlone(line: string, types?: Types): string | null {
  const isHeader = line.endsWith(":");
  const found = converted(isHeader ? `${line}\n    pass\n` : line, types);
  return found === null ? null : lineOf(found, { text: line, number: 1, start: 0 });
}

/** A header stands for its block: `for (...) { ... }` */
function shortened(text: string): string {
  if (text.endsWith("=> {")) return `${text} ... })`;
  return text.endsWith("{") ? `${text} ... }` : text.replace(/;$/, "");
}

const FROM = /^from\s+([\w.]+)\s+import\s+\(?\s*(.+?)\s*\)?$/;
const IMPORT = /^import\s+([\w.]+)(?:\s+as\s+(\w+))?$/;

/** `import torch.nn as nn` -> `write import { nn } from "mpslab"` */
function importText(line: string): string | null {
  const statement = line.replace(/;$/, "").trim();
  const from = FROM.exec(statement);
  if (from !== null)
    return fromText(
      from[1]!,
      from[2]!
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    );
  const whole = IMPORT.exec(statement);
  if (whole === null) return null;
  const [, module = "", as] = whole;
  const root = spaceOf(module)?.split(".")[0];
  if (root !== undefined) {
    const isWhole = spaceOf(module) === root && as !== undefined && as !== root;
    return `write import { ${isWhole ? `${root} as ${as}` : root} } from "mpslab"`;
  }
  return (
    INSTEAD[module.split(".")[0]!] ??
    `${module} is Python's own; %%python above a cell turns its calls into TypeScript`
  );
}

function fromText(module: string, names: readonly string[]): string {
  if (module === "mpslab") return `write import { ${names.join(", ")} } from "mpslab"`;
  const found = names.map((name) => {
    const [own = "", , as] = name.split(/\s+/);
    const space = spaceOf(`${module}.${own}`);
    if (space !== null) return { root: space.split(".")[0]!, own: as ?? own, there: space };
    const entry = foundAt(`${module}.${own}`);
    return entry === null
      ? null
      : { root: entry.space.split(".")[0]!, own: as ?? own, there: `${entry.space}.${entry.name}` };
  });
  const roots = [...new Set(found.flatMap((one) => (one === null ? [] : [one.root])))];
  if (roots.length === 0)
    return (
      INSTEAD[module.split(".")[0]!] ?? `there is no ${module} here; %%python above a cell says what it can`
    );
  const other = found.filter((one) => one !== null).filter(({ own, there }) => own !== there);
  const renamed = other.map(({ own, there }) => `${there} for ${own}`).join(", ");
  return `write import { ${roots.join(", ")} } from "mpslab"${renamed === "" ? "" : `, and ${renamed}`}`;
}

/** What may stand before an expression of Python in a line of TypeScript. */
const DECLARATION = /^(?:export\s+)?(?:const|let|var)\s+(?:\w+|\[[^\]]*\])(?:\s*:[^=]+)?\s*=\s*/;

/**
 * Where a line of TypeScript names what there is not: the line as it is written here, if Python reads it and says
 * something else by it.
 *
 * @param isKnown whether a name needs no import
 */
export function hintAtUnknownName(
  text: string,
  offset: number,
  isKnown: (name: string) => boolean,
): PythonHint | null {
  const line = lineAt(text, offset);
  const opening = DECLARATION.exec(line.text)?.[0] ?? "";
  const python = line.text.slice(opening.length).replace(/;\s*(\/\/.*)?$/, "");
  const found = python === "" ? null : converted(python);
  if (found === null || found.marks.length > 0) return null;
  const statements = found.lines.map(({ text: one }) => one.replace(/;$/, "")).filter((one) => one !== "");
  const [only] = statements;
  const plain = only?.replace(/^(?:let|const) /, "");
  if (statements.length !== 1 || only === undefined || HELPER.test(only) || same(plain!, python)) return null;
  const missing = found.imports.filter(
    (one) => one.startsWith("import ") && !importedNames(one).every(isKnown),
  );
  const also = missing.length === 0 ? "" : `, with ${missing.map((one) => one.replace(/;$/, "")).join(", ")}`;
  const written = /^\w+\s*=[^=]/.test(python) ? plain! : only;
  return {
    message: `write ${opening}${written}${also}`,
    start: line.start,
    end: line.start + line.text.length,
  };
}

const same = (a: string, b: string): boolean => a.replace(/[\s'"`;]/g, "") === b.replace(/[\s'"`;]/g, "");

function importedNames(line: string): string[] {
  return (/\{ (.*) \}/.exec(line)?.[1] ?? "").split(", ").map((name) => name.replace(/^.* as /, ""));
}
