// Lines that begin with % in a cell: which are magics, what they ask for, and what is compiled in their place. Pure text
// work; what each magic is and does is in `kernel/magics/`.
//
// A magic is a line outside of brackets, strings, template literals and comments that begins with % and directly a
// letter. An indented one counts where no expression can go on (`scan.ts`); so `a`, newline, `  %b` stays a remainder.
import { ArgumentError, readArguments } from "../magics/arguments.ts";
import { usageOf } from "../magics/help.ts";
import type { Argument, Magic, MagicCall, SessionMagic } from "../magics/magic.ts";
import { nearestName } from "../magics/nearest.ts";
import { MAGICS } from "../magics/table.ts";
import { codeOf, functionOf, statementOf } from "./magic_code.ts";
import { RUNTIME } from "./names.ts";
import { scan } from "./scan.ts";
import { CellSyntaxError } from "./syntax_error.ts";

export interface MagicLine {
  readonly name: string;
  readonly call: MagicCall;
  /** 0-based line in the cell. */
  readonly line: number;
  /** `%memory?` asks what it does; it does not run. */
  readonly help: boolean;
  /** Where its name stands in the cell, the percent signs included. */
  readonly start: number;
  readonly end: number;
  /** How far its TypeScript stands to the right of where the user wrote it; null where the line has none. */
  readonly codeShift: number | null;
}

export interface CellWithoutMagics {
  readonly magics: readonly MagicLine[];
  /** Magic lines blanked but for their TypeScript, every offset as it was: what the type checker sees. */
  readonly typescript: string;
  /** Magic lines replaced by calls where the session runs them, every line as it was: what is compiled. */
  readonly source: string;
}

/** Blank, and ends a statement of the line before that has no semicolon of its own. */
const BLANK = ";";
const MAGIC_LINE = /^([ \t]*)(%%?)([A-Za-z]\w*)(\?)?([ \t].*?)?[ \t]*\r?$/;

/** @throws CellSyntaxError for a magic that does not exist, or whose arguments are wrong */
export function readMagics(text: string): CellWithoutMagics {
  if (!/^[ \t]*%%?[A-Za-z]/m.test(text)) return { magics: [], typescript: text, source: text };
  const { magicLines, firstCode } = scan(text);
  const magics: MagicLine[] = [];
  const typescript: string[] = [];
  const source: string[] = [];
  let start = 0;
  for (const [line, lineText] of text.split("\n").entries()) {
    const match = magicLines.has(start) ? MAGIC_LINE.exec(lineText) : null;
    if (match === null) {
      typescript.push(lineText);
      source.push(lineText);
    } else {
      const read = readLine(match, text, start);
      const { magic, percents } = read;
      const place = { start: read.start, end: read.start + percents.length + magic.name.length };
      if (percents === "%%" && !read.help) {
        if (firstCode < start) {
          const message = `%%${magic.name} takes the whole cell: put it into the first line`;
          throw new CellSyntaxError(message, place.start, place.end);
        }
        const body = text.slice(start + lineText.length + 1);
        const written = wholeCell(magic, read, lineText, body, start + lineText.length + 1);
        const call = magic.cell?.body === "text" ? { ...read.call, body } : read.call;
        magics.push({ name: magic.name, call, line, help: false, ...place, codeShift: null });
        typescript.push(written.typescript);
        source.push(written.source);
        break;
      }
      const written = oneLine(read, lineText);
      magics.push({
        name: magic.name,
        call: read.call,
        line,
        help: read.help,
        ...place,
        codeShift: written.codeShift,
      });
      typescript.push(written.typescript);
      source.push(written.source);
    }
    start += lineText.length + 1;
  }
  return { magics, typescript: typescript.join("\n"), source: source.join("\n") };
}

interface Read {
  readonly magic: Magic;
  readonly percents: string;
  readonly call: MagicCall;
  readonly help: boolean;
  /** Where the percent signs stand in the cell. */
  readonly start: number;
  /** TypeScript of the line, and its column. */
  readonly code: string;
  readonly codeColumn: number;
}

function readLine(match: RegExpExecArray, text: string, lineStart: number): Read {
  const [, indent = "", percents = "", name = "", question, argumentText = ""] = match;
  const start = lineStart + indent.length;
  const argumentColumn = indent.length + percents.length + name.length + (question?.length ?? 0);
  const magic = known(percents, name, start);
  const argument = formOf(magic, percents, start);
  const help = question !== undefined;
  const plain = { magic, percents, help, start, code: "", codeColumn: 0, call: { options: {}, text: "" } };
  if (help || argument === null) return plain;
  try {
    const read = readArguments(`${percents}${name}`, magic, argument, argumentText);
    const isCode = argument.kind === "code";
    return {
      ...plain,
      call: { options: read.options, text: isCode ? "" : read.text },
      ...(isCode && { code: read.text, codeColumn: argumentColumn + read.start }),
    };
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const offset = lineStart + argumentColumn;
    // Nothing stands there: the magic itself is what is wrong.
    if (error.start >= error.end) throw new CellSyntaxError(error.message, start, lineStart + argumentColumn);
    throw new CellSyntaxError(error.message, offset + error.start, offset + error.end);
  }
}

function known(percents: string, name: string, start: number): Magic {
  const magic = MAGICS.get(name);
  if (magic !== undefined) return magic;
  const nearest = nearestName(name, MAGICS.keys());
  const hint =
    nearest === null ? "%lsmagic lists those that exist" : `did you mean ${writtenAs(nearest, percents)}?`;
  throw new CellSyntaxError(
    `There is no magic ${percents}${name}: ${hint}`,
    start,
    start + percents.length + name.length,
  );
}

/** `%%memry` means `%memory`, as there is no `%%memory`. */
function writtenAs(name: string, percents: string): string {
  const magic = MAGICS.get(name);
  if (percents === "%%") return magic?.cell === undefined ? `%${name}` : `%%${name}`;
  return magic?.line === undefined ? `%%${name}` : `%${name}`;
}

function formOf(magic: Magic, percents: string, start: number): Argument | null {
  const argument = percents === "%%" ? magic.cell?.argument : magic.line;
  if (argument !== undefined) return argument;
  const other = percents === "%%" ? "is for one line" : "takes the cell below it";
  const message = `${percents}${magic.name} does not exist: write ${usageOf(magic)[0]}, which ${other}`;
  throw new CellSyntaxError(message, start, start + percents.length + magic.name.length);
}

interface Written {
  readonly typescript: string;
  readonly source: string;
  readonly codeShift: number | null;
}

function oneLine({ magic, call, help, code, codeColumn, start }: Read, lineText: string): Written {
  if (help || magic.side === "kernel" || magic.forgetsNames) {
    return { typescript: BLANK.padEnd(lineText.length), source: BLANK, codeShift: null };
  }
  if (code === "") {
    return { typescript: BLANK.padEnd(lineText.length), source: `;${callOf(magic, call)};`, codeShift: null };
  }
  const codeStart = start - (lineText.length - lineText.trimStart().length) + codeColumn;
  const { before, after, kept } =
    magic.runs === "as a function" ? functionOf(magic, code, codeStart) : statementOf(code);
  const head =
    magic.runs === "as a function" ? `;${callOf(magic, call, before)}` : `;${callOf(magic, call)};${before}`;
  return {
    typescript: `${BLANK.padEnd(codeColumn)}${lineText.slice(codeColumn)}`,
    source: `${head}${kept}${after}`,
    codeShift: head.length - codeColumn,
  };
}

function wholeCell(
  magic: Magic,
  { call }: Read,
  lineText: string,
  body: string,
  bodyStart: number,
): Omit<Written, "codeShift"> {
  const blank = BLANK.padEnd(lineText.length);
  if (magic.side === "kernel") return { typescript: `${blank}\n${body}`, source: `${BLANK}\n${body}` };
  if (magic.cell?.body === "text") {
    const blanked = body.replace(/[^\n]/g, " ");
    const source = `;${callOf(magic, { ...call, body })};`;
    return { typescript: `${blank}\n${blanked}`, source: `${source}\n${blanked}` };
  }
  if (magic.runs === "in place") {
    return { typescript: `${blank}\n${body}`, source: `;${callOf(magic, call)};\n${body}` };
  }
  const { isAsync } = codeOf(magic, body, bodyStart);
  const head = callOf(magic, call, `${isAsync ? "async " : ""}() => {`);
  return {
    typescript: `${`${BLANK}{`.padEnd(lineText.length)}\n${body}\n}`,
    source: `;${head}\n${body}\n});`,
  };
}

/** `await __mpslab_magic("time", {...})`; with code, up to where the code begins. */
function callOf({ name }: SessionMagic, call: MagicCall, code?: string): string {
  const head = `await ${RUNTIME.magic}(${JSON.stringify(name)}, ${JSON.stringify(call)}`;
  return code === undefined ? `${head})` : `${head}, ${code}`;
}
