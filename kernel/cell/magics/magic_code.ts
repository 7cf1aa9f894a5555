// Writes the code that replaces a magic, and the text that the type checker sees there. The code calls the session's
// runtime, around the TypeScript behind the magic if there is some.
//
//     %memory        ->  ;await __mpslab_magic("memory", {...});
//     %time f(x)     ->  ;await __mpslab_magic("time", {...});__mpslab_magic_end(f(x));
//     %timeit f(x)   ->  ;await __mpslab_magic("timeit", {...}, () => (f(x)));
import type { Program } from "oxc-parser";
import type { MagicCall } from "../../../lib/magics/grammar.ts";
import type { ReadMagic } from "../../../lib/magics/magic_line.ts";
import { BLANK, blanked, codeOfLine, holdsCode } from "../../../lib/magics/cell_code.ts";
import { RUNTIME } from "../names.ts";
import { parseTypeScript, spanOf } from "../../../lib/typescript/parse.ts";
import { CellSyntaxError } from "../../../lib/typescript/syntax_error.ts";
import { isFunction, walk } from "../../../lib/typescript/walk.ts";

export interface Written {
  readonly typescript: string;
  readonly source: string;
}

/**
 * @param lineStart where the line begins in the cell
 * @throws CellSyntaxError if the magic takes other code
 */
export function inPlaceOfLine(
  read: ReadMagic,
  lineText: string,
  lineStart: number,
): Written & { readonly codeShift: number | null } {
  const { magic, call, help, codeColumn } = read;
  const typescript = codeOfLine(read, lineText);
  if (help || magic.side === "kernel" || magic.forgetsNames) {
    return { typescript, source: BLANK, codeShift: null };
  }
  if (!holdsCode(read)) return { typescript, source: `;${callOf(read, call)});`, codeShift: null };
  const { before, kept, after } =
    magic.runs === "as a function"
      ? functionOf(read, lineStart + codeColumn)
      : statementOf(read, lineStart + codeColumn);
  const head = `;${callOf(read, call)}${before}`;
  return { typescript, source: `${head}${kept}${after}`, codeShift: head.length - codeColumn };
}

/** @throws CellSyntaxError if the magic takes other code */
export function inPlaceOfCell(
  read: ReadMagic,
  lineText: string,
  body: string,
): Written & { readonly call: MagicCall } {
  const { magic, call } = read;
  const blank = BLANK.padEnd(lineText.length);
  if (magic.cell?.body === "text") {
    const blankBody = blanked(body);
    const whole = { ...call, body };
    // The kernel has run it before the cell.
    if (magic.side === "kernel")
      return { typescript: `${blank}\n${blankBody}`, source: `\n${blankBody}`, call: whole };
    return {
      typescript: `${blank}\n${blankBody}`,
      source: `;${callOf(read, whole)});\n${blankBody}`,
      call: whole,
    };
  }
  if (magic.side === "kernel")
    return { typescript: `${blank}\n${body}`, source: `${BLANK}\n${body}`, call: { ...call, body } };
  const plain = { typescript: `${blank}\n${body}`, source: `;${callOf(read, call)});\n${body}`, call };
  if (magic.runs === "in place") return plain;
  const { program, problem } = parseTypeScript(body);
  // The cell's parser reports a syntax error later, and recognizes a text that needs more lines.
  if (problem !== null) return plain;
  refuseModuleItems(read, program);
  return {
    typescript: `${`${BLANK}{`.padEnd(lineText.length)}\n${body}\n}`,
    source: `;${callOf(read, call)}, ${asyncOf(program)}() => {\n${body}\n});`,
    call,
  };
}

/** `await __mpslab_magic("time", {...}`, still open. */
function callOf({ magic }: ReadMagic, call: MagicCall): string {
  return `await ${RUNTIME.magic}(${JSON.stringify(magic.name)}, ${JSON.stringify(call)}`;
}

interface Around {
  readonly before: string;
  /** The user's text, without a comment at its end. */
  readonly kept: string;
  readonly after: string;
}

/** An expression keeps its value: it may be what the cell shows. What does not parse is left for the cell's parser. */
function statementOf(read: ReadMagic, codeStart: number): Around {
  const { code } = read;
  const { program, problem } = parseLine(read, codeStart);
  const last = program.body.at(-1);
  const after = `;${RUNTIME.magicEnd}();`;
  if (problem !== null || last === undefined) return { before: ");", kept: code, after };
  if (last.type === "ExpressionStatement" && program.body.length === 1) {
    const { start, end } = last.expression;
    return { before: `);${RUNTIME.magicEnd}(`, kept: code.slice(start, end), after: ");" };
  }
  return { before: ");", kept: code.slice(0, last.end), after };
}

function functionOf(read: ReadMagic, codeStart: number): Around {
  const { magic, code } = read;
  const { program, problem } = parseLine(read, codeStart);
  if (problem !== null) return { before: ");", kept: code, after: "" };
  const [statement] = program.body;
  if (statement?.type !== "ExpressionStatement" || program.body.length !== 1) {
    const message = `%${magic.name} takes one expression: put statements below %%${magic.name}`;
    throw new CellSyntaxError(message, codeStart, codeStart + code.length);
  }
  const { start, end } = statement.expression;
  return { before: `, ${asyncOf(program)}() => (`, kept: code.slice(start, end), after: "));" };
}

function parseLine({ magic, code }: ReadMagic, codeStart: number): ReturnType<typeof parseTypeScript> {
  const parsed = parseTypeScript(code);
  if (parsed.problem !== null && spanOf(parsed.problem, code).start >= code.length) {
    const message = `The code of %${magic.name} ends on its line: put longer code below %%${magic.name}`;
    throw new CellSyntaxError(message, codeStart, codeStart + code.length);
  }
  return parsed;
}

function refuseModuleItems({ magic, start, end }: ReadMagic, program: Program): void {
  if (!program.body.some(({ type }) => /^(Import|Export).*Declaration$/.test(type))) return;
  const message = `The code of %%${magic.name} is a function's: import in another cell, and export nothing`;
  throw new CellSyntaxError(message, start, end);
}

/** `async ` where the code awaits something itself. */
function asyncOf(program: Program): string {
  let awaits = false;
  walk(program, (node) => {
    if (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await)) awaits = true;
    return !isFunction(node);
  });
  return awaits ? "async " : "";
}
