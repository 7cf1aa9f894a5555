// Offers TypeScript for Python in a cell of TypeScript: for a whole cell, for one line, and for a part of a line that
// TypeScript could read and did not know. Whether an offer holds, the checker says.
import { type Conversion, convertPython, NotPythonError } from "./convert.ts";
import { HELPERS } from "./semantics.ts";
import { foundAt } from "./names/members.ts";
import { spaceOf } from "./names/paths.ts";
import { INSTEAD } from "./names/imports.ts";

/** A replacement; offsets are of the cell's text. */
export interface PythonOffer {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly sentence: string;
  /** What a reader is shown of it. */
  readonly shown?: string;
  /** Whether the sentence says all that TypeScript's message does. */
  readonly isWhole?: boolean;
}

export interface PythonAnswer {
  readonly offers: readonly PythonOffer[];
  /** What is said where no offer holds; null if it may not be Python at all. */
  readonly remark: { readonly start: number; readonly end: number; readonly message: string } | null;
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
    return convertPython(python, types, undefined, true);
  } catch (error) {
    if (error instanceof NotPythonError) return null;
    throw error;
  }
}

const SENTENCE = "This is Python";
const SHOW_ALL = "%%python in a line above shows all of the cell so";

/**
 * For a text that TypeScript could not read.
 *
 * @param types printed types of variables that the cell does not assign: `x[0:1]` says one thing of a tensor, another of a list
 */
export function answerForSyntax(text: string, offset: number, types?: Types): PythonAnswer {
  const line = lineAt(text, offset);
  const place = { start: line.start, end: line.start + line.text.length };
  const whole = converted(text, types);
  if (line.text === "" || (whole !== null && same(whole.typescript, text)))
    return { offers: [], remark: null };
  const isSeveral = text.trim().includes("\n");
  const rest = whole !== null && isSeveral ? `; ${SHOW_ALL}` : "";
  const imported = importOf(line.text);
  const own = whole === null ? null : lineOf(whole, line);
  const offers: PythonOffer[] = [];
  if (whole !== null && whole.marks.length === 0 && !whole.hasHelpers) {
    const lines = whole.lines.map(({ text: said }) => said).filter((said) => said !== "");
    const shown = isSeveral
      ? `${imported?.text.slice(0, -1) ?? own ?? ""}${rest}`
      : (imported?.shown ?? lines.join(" "));
    if (!shown.startsWith(";") && shown !== "")
      offers.push({
        start: 0,
        end: text.length,
        text: whole.typescript,
        sentence: SENTENCE,
        shown,
        isWhole: true,
      });
  }
  const alone = imported ?? lineAlone(line.text, types);
  if (alone !== null) offers.push({ ...place, ...alone, sentence: SENTENCE, isWhole: true });
  const isPython = whole !== null || alone !== null || PYTHON_LINE.test(line.text);
  if (!isPython) return { offers, remark: null };
  const said = insteadOf(line.text) ?? "%%python in a line above shows the cell as TypeScript";
  return { offers, remark: { ...place, message: `${SENTENCE}: ${said}` } };
}

/** Lines that no TypeScript begins so. */
const PYTHON_LINE =
  /^(?:from \S+ import |import \w[\w.]*(?: as \w+)?$|(?:def|class) \w+.*:$|(?:if|elif|for|while|with|else|try|except)\b.*:$)/;

/** A line alone brings no functions along. */
const HELPER = new RegExp(`\\b(${Object.keys(HELPERS).join("|")})\\(`);

/** The line of TypeScript that says a line of Python. */
function lineOf({ lines }: Conversion, { number }: LineAt): string | null {
  const said = lines.filter(
    ({ text, python }) =>
      python === number && text !== "" && text !== "}" && !/^(\/\/|\/\*|\*|let \w+!?: )/.test(text),
  );
  if (said.length === 0 || said.some(({ text }) => HELPER.test(text))) return null;
  return said.map(({ text }) => shortened(text)).join(" ");
}

/** A statement of one line as it is written here; the header of a block with an empty one. */
function lineAlone(line: string, types?: Types): { text: string; shown: string } | null {
  const found = converted(line.endsWith(":") ? `${line}\n    pass\n` : line, types);
  if (found === null || found.marks.length > 0) return null;
  const shown = lineOf(found, { text: line, number: 1, start: 0 });
  if (shown === null || same(shown, line)) return null;
  const text = found.lines
    .map(({ text: own }) => own)
    .filter((own) => own !== "")
    .join("\n");
  return { text, shown };
}

/** A header stands for its block: `for (...) { ... }` */
function shortened(text: string): string {
  if (text.endsWith("=> {")) return `${text} ... })`;
  return text.endsWith("{") ? `${text} ... }` : text.replace(/;$/, "");
}

const FROM = /^from\s+([\w.]+)\s+import\s+\(?\s*(.+?)\s*\)?$/;
const IMPORT = /^import\s+([\w.]+)(?:\s+as\s+(\w+))?$/;

interface ImportLine {
  readonly text: string;
  readonly shown: string;
}

/** `import torch.nn as nn` -> `import { nn } from "mpslab"` */
function importOf(line: string): ImportLine | null {
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
  const [, module = "", as] = IMPORT.exec(statement) ?? [];
  const root = spaceOf(module)?.split(".")[0];
  if (root === undefined) return null;
  const isWhole = spaceOf(module) === root && as !== undefined && as !== root;
  const text = `import { ${isWhole ? `${root} as ${as}` : root} } from "mpslab";`;
  return { text, shown: text };
}

/** What there is in place of a module of Python's. */
function insteadOf(line: string): string | null {
  const module = FROM.exec(line)?.[1] ?? IMPORT.exec(line)?.[1];
  if (module === undefined) return null;
  return (
    INSTEAD[module.split(".")[0]!] ??
    `${module} is Python's own; %%python above a cell turns its calls into TypeScript`
  );
}

function fromText(module: string, names: readonly string[]): ImportLine | null {
  if (module === "mpslab") {
    const text = `import { ${names.join(", ")} } from "mpslab";`;
    return { text, shown: text };
  }
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
  if (roots.length === 0) return null;
  const other = found.filter((one) => one !== null).filter(({ own, there }) => own !== there);
  const renamed = other.map(({ own, there }) => `${there} for ${own}`).join(", ");
  const text = `import { ${roots.join(", ")} } from "mpslab";`;
  return { text, shown: renamed === "" ? text : `${text.slice(0, -1)}, and ${renamed}` };
}

export interface Spanned {
  readonly start: number;
  readonly end: number;
  readonly type: string;
}

/** Statements: no part of them is offered beyond. */
const STATEMENT = /Statement$|^Program$|Declaration$|^(?:Arrow)?Function/;
/** What is read as an expression of Python. */
const EXPRESSION = /^(?:Identifier|Call|New|Member|Assignment|Binary)/;
/** What Python has not, so that the text is TypeScript. */
const NOT_PYTHON = /=>|[{}`;?]|\b(?:this|typeof|function|await|instanceof)\b|===|!==|&&|\|\||!\.|\/\//;

/**
 * For names and arguments that TypeScript read and did not know: parts of the cell around the place, as they are written
 * here if Python reads them. Nothing is offered where Python says the same.
 */
export function offersForNames(text: string, around: readonly Spanned[], types?: Types): PythonOffer[] {
  const offers: PythonOffer[] = [];
  let chain: PythonOffer[] = [];
  for (const [index, { start, end, type }] of around.entries()) {
    const next = around[index + 1];
    const isOpen = next?.start === start && /^(?:Call|New|Member)/.test(next.type);
    const written = text.slice(start, end);
    if (STATEMENT.test(type) || type.startsWith("TS") || next?.type === "TSTypeReference") break;
    // A function alone is nothing that Python and TypeScript say in two ways: its call is.
    const isName = type === "Identifier" && isOpen && next.type === "CallExpression";
    if (!isName && EXPRESSION.test(type) && !NOT_PYTHON.test(written)) {
      const said = expressionOf(written, types);
      // The whole of a chain, as torch.backends.mps.is_available(), says more than a part of it.
      if (said !== null) chain.unshift({ start, end, ...said });
    }
    if (isOpen) continue;
    offers.push(...chain);
    chain = [];
  }
  return [...offers, ...chain];
}

const CONSTANTS: Readonly<Record<string, string>> = {
  true: "True",
  false: "False",
  null: "None",
  undefined: "None",
};

function expressionOf(written: string, types?: Types): Omit<PythonOffer, "start" | "end"> | null {
  const python = written
    .replace(/("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\bnew /g, (_, quoted?: string) => quoted ?? "")
    .replace(
      /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(true|false|null|undefined)\b/g,
      (_, quoted?: string, constant?: string) => quoted ?? CONSTANTS[constant!]!,
    );
  const found = converted(python, types);
  if (found === null || found.marks.length > 0) return null;
  const statements = found.lines.map(({ text }) => text.replace(/;$/, "")).filter((text) => text !== "");
  const [only] = statements;
  if (statements.length !== 1 || only === undefined || HELPER.test(only)) return null;
  const isAssignment = /^\w+\s*=[^=]/.test(python);
  if (isAssignment || /^(?:let|const) /.test(only) || same(only, written)) return null;
  return { text: only, sentence: "That is Python's way" };
}

const same = (a: string, b: string): boolean => a.replace(/[\s'"`;]/g, "") === b.replace(/[\s'"`;]/g, "");
