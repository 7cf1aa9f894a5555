// Mends a text that the parser cannot read: typographic quotes, words of other languages, a missing bracket.
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import type { Candidate, Edit } from "./advice.ts";
import { nodesAround } from "./place.ts";

const QUOTES: Readonly<Record<string, string>> = {
  "“": '"',
  "”": '"',
  "„": '"',
  "‘": "'",
  "’": "'",
  "‚": "'",
  "«": '"',
  "»": '"',
};
const WORDS: readonly (readonly [RegExp, string, string])[] = [
  [/\band\b/g, "&&", "`and` is written &&"],
  [/\bor\b/g, "||", "`or` is written ||"],
  [/\bnot\s+/g, "!", "`not` is written !"],
  [/\b(?:elif|elseif|elsif)\b/g, "else if", "It is written else if"],
  [/\bfunc(?:tion)?\s+(?=\w+\s*=\s*\()/g, "const ", "A function in a variable is declared by const"],
  [/\b(?:def|fn|func|fun)\s+(?=\w+\s*\()/g, "function ", "It is written function"],
  [/<>/g, "!==", "`<>` is written !=="],
  [/=!=|=!/g, "!==", "It is written !=="],
  [/={4,}/g, "===", "It is written ==="],
  [/=\s*>(?=\s*[{(\w])/g, "=>", "An arrow is written =>"],
  [/->/g, "=>", "An arrow is written =>"],
  [/:=/g, "=", "It is assigned by ="],
  [
    /\b(?:int|string|float|double|char|bool|boolean|auto)\s+(?=\w+\s*=)/g,
    "let ",
    "A variable is declared by let or const",
  ],
  [
    /\b(const|let|var)\s+(?:int|string|float|double|number|boolean)\s+(?=\w+\s*=)/g,
    "$1 ",
    "A type stands behind the name, after a colon",
  ],
  [/^#(?!!)(?=.*$)/gm, "//", "A comment begins with //"],
  [/\basync\s+(?=\w+\s*\([^)]*\)\s*\{)/g, "async function ", "It is written async function"],
  [/\binterface\s+(\w+)\s*=\s*\{/g, "interface $1 {", "An interface has no ="],
  [/\btype\s+(\w+)\s*\{/g, "type $1 = {", "A type has a = behind its name"],
  [/\[\s*(\w+\s*:[^[\]]*?)\s*\]/g, "{ $1 }", "An object stands in { }"],
];

/** The line at an offset, without blanks at its end. */
function lineAt(text: string, offset: number): { start: number; end: number; line: string } {
  const at = Math.min(offset, text.trimEnd().length);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const line = /^.*/.exec(text.slice(start))![0].trimEnd();
  return { start, end: start + line.length, line };
}

/** Replaces the pattern outside of quotes. */
function replaced(line: string, pattern: RegExp, by: string): string {
  const parts = line.split(/("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)/);
  return parts.map((part, index) => (index % 2 === 0 ? part.replace(pattern, by) : part)).join("");
}

export function* offersForSyntax(text: string, offset: number): Iterable<Candidate> {
  const { start, end, line } = lineAt(text, offset);
  const format = formatAt(text, offset);
  if (format !== null) {
    // To close the brace before the format would print it.
    if (format.text !== "") yield { ...format, sentence: "A number is formatted by a method", isWhole: true };
    return;
  }
  yield* asynchronous(text, offset);
  const declared = /\b(?:const|let|var)\s+$/.exec(text.slice(start, offset));
  if (declared) {
    const rest = /^[^;\n]*;?/.exec(text.slice(offset))![0];
    yield {
      start: offset - declared[0].length,
      end: offset + rest.length,
      text: rest,
      sentence: "It is declared above, and only assigned here",
      isWhole: true,
    };
  }
  const of = (written: string, sentence: string): Candidate => ({
    start,
    end,
    text: written,
    sentence,
    isWhole: true,
  });
  const straight = line.replace(/[“”„‘’‚«»]/g, (quote) => QUOTES[quote]!);
  if (straight !== line) yield of(straight, "Quotes are straight in code");
  const named = /^(\s*import\s+)(\w+)(\s+from\s*["']mpslab["'].*)$/.exec(line);
  if (named)
    for (const clause of [`{ ${named[2]} }`, `* as ${named[2]}`])
      yield of(`${named[1]}${clause}${named[3]}`, "mpslab has no default export");
  const joined = line.replace(/^(\s*import\s+)(\w+)\s*,\s*\{\s*(?=.*from\s*["']mpslab["'])/, "$1{ $2, ");
  if (joined !== line) yield of(joined, "mpslab has no default export");
  let all = line;
  for (const [pattern, by, sentence] of WORDS) {
    const changed = replaced(line, pattern, by);
    if (changed === line) continue;
    yield of(changed, sentence);
    all = replaced(all, pattern, by);
  }
  if (all !== line) yield of(all, "The words are other ones here");
  const head = /^(\s*for\s*\()([^;()]*),([^;()]*),([^;()]*\).*)$/.exec(line);
  if (head)
    yield of(`${head[1]}${head[2]};${head[3]};${head[4]}`, "The parts of a for stand between semicolons");
  const number = line.replace(/(?<![\w.])(\d+)\.(?=[a-zA-Z]\w*\()/, "($1).");
  if (number !== line) yield of(number, "A number stands in brackets before a method");
  const condition = /^(\s*(?:\} ?else )?(?:if|while)\s+)(?!\()(.*?)\s*(\{.*)$/.exec(line);
  if (condition)
    yield of(`${condition[1]}(${condition[2]}) ${condition[3]}`, "A condition stands in brackets");
  const fields = line.replace(/(?<=[{,]\s*\w+)\s*=(?!=|>)\s*/g, ": ");
  if (fields !== line) yield of(fields, "A field of an object has a colon");
  const statement = line.replace(/;(?=\s*[)\]}])/g, "").replace(/(?<=[{,(][^{}]*);(?=[^{}]*[})])/g, ",");
  if (statement !== line) yield of(statement, "Fields and arguments stand between commas");
  yield* closed(text, { start, end, line }, offset);
}

/** `${loss:.2f}` at the colon; null at another place, and without a text for a format that no method has. */
function formatAt(text: string, offset: number): Edit | null {
  const start = text.lastIndexOf("${", offset);
  const [format] = /^:[^{}`]*\}/.exec(text.slice(offset)) ?? [];
  if (start < 0 || format === undefined || /[`}?]/.test(text.slice(start + 2, offset))) return null;
  const [, digits, kind = ""] = /^:\s*\.(\d+)([fe%])\s*\}$/.exec(format) ?? [];
  const value = text.slice(start + 2, offset).trim();
  const number = /^[\w.()[\]]+$/.test(value) ? value : `(${value})`;
  const written: Readonly<Record<string, string>> = {
    f: `\${${number}.toFixed(${digits})}`,
    e: `\${${number}.toExponential(${digits})}`,
    "%": `\${(100 * ${number}).toFixed(${digits})}%`,
  };
  return { start, end: offset + format.length, text: written[kind] ?? "" };
}

/** `await` in a function that is not async */
function* asynchronous(text: string, offset: number): Iterable<Candidate> {
  if (!text.startsWith("await", offset)) return;
  const { program } = parseTypeScript(text);
  const around = nodesAround(program, offset, offset);
  const node = around.find((one) =>
    /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(one.type),
  );
  if (node === undefined) return;
  const method = around[around.indexOf(node) + 1];
  const { start } = method?.type === "MethodDefinition" ? method : node;
  const head = /^[^{\n]*/.exec(text.slice(start))![0];
  yield {
    start,
    end: start,
    text: "async ",
    sentence: "A function that awaits is async",
    shown: `async ${head}{ ... }`,
    isWhole: true,
  };
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Closes quotes and brackets that the line, or the text, has left open. */
function* closed(
  text: string,
  { start, end, line }: { start: number; end: number; line: string },
  offset: number,
): Iterable<Candidate> {
  const mixed = /(["'`])([^"'`]*)(["'`])(?=[\s);,\]}]*$)/.exec(line);
  if (mixed && mixed[1] !== mixed[3]) {
    const at = start + mixed.index + mixed[0].length - 1;
    const shown = `${line.slice(0, at - start)}${mixed[1]}${line.slice(at - start + 1)}`;
    yield {
      start: at,
      end: at + 1,
      text: mixed[1]!,
      sentence: `What ${mixed[1]} opens, ${mixed[1]} closes`,
      shown,
      isWhole: true,
    };
  }
  const missing = open(line);
  const of = (at: number, insert: string, shown: string): Candidate => ({
    start: at,
    end: at,
    text: insert,
    sentence: `${insert.trim()} is missing`,
    shown,
    isWhole: true,
  });
  if (missing !== "") {
    const at = end - (line.endsWith(";") ? 1 : 0);
    yield of(at, missing, `${line.slice(0, at - start)}${missing}`);
    const semicolon = line.lastIndexOf(")") + 1 || line.length;
    for (let cut = 1; cut < missing.length; cut++)
      yield of(
        start + semicolon,
        missing.slice(0, cut),
        `${line.slice(0, semicolon)}${missing.slice(0, cut)}`,
      );
    for (const { index } of line.matchAll(/\s*(?:\{|=>)/g))
      yield of(start + index, missing[0]!, `${line.slice(0, index)}${missing[0]}${line.slice(index)}`);
  }
  const quote = /(["'`])(?:(?!\1).)*$/.exec(
    line.replace(/("[^"]*"|'[^']*'|`[^`]*`)/g, (all) => "_".repeat(all.length)),
  );
  if (quote) {
    const tail = /[);\]}]*$/.exec(line)![0];
    const at = end - tail.length;
    yield of(at, quote[1]!, `${line.slice(0, at - start)}${quote[1]}${tail}`);
  }
  for (const { index } of line.matchAll(/[;]/g))
    if (missing !== "")
      yield of(start + index, missing, `${line.slice(0, index)}${missing}${line.slice(index)}`);
  for (const bracket of [")", "]", "}"])
    yield of(offset, bracket, `${text.slice(start, offset)}${bracket}${text.slice(offset, end)}`);
  const whole = open(text);
  if (whole !== "") yield of(text.trimEnd().length, text.includes("\n") ? `\n${whole}` : whole, whole);
  yield {
    start: offset,
    end: offset,
    text: ",",
    sentence: ", is missing",
    shown: `${text.slice(start, offset).trimEnd()}, ${text.slice(offset, end)}`,
    isWhole: true,
  };
  const extra = text.slice(offset, offset + 1);
  if (/[)\]}]/.test(extra))
    yield {
      start: offset,
      end: offset + 1,
      text: "",
      sentence: `One ${extra} is too many`,
      shown: `${text.slice(start, offset)}${text.slice(offset + 1, end)}`,
      isWhole: true,
    };
}

/** What would close it: `)` for `f(1`. Empty where a bracket closes what was not opened. */
function open(text: string): string {
  const plain = text
    .replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, "")
    .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
  const stack: string[] = [];
  for (const character of plain) {
    if (character in CLOSING) stack.push(CLOSING[character]!);
    else if (")]}".includes(character) && stack.pop() !== character) return "";
  }
  return stack.toReversed().join("");
}
