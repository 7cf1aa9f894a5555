// Leaves secrets out of texts: the one way in which logbooks, reports, bug reports and bundles do. A cell is read as the
// kernel reads it, other programs of TypeScript as such, everything else by its lines. Says what was left out, and not what
// it was.
import { codeOfCell } from "../magics/cell_code.ts";
import { nestsTooDeeply } from "../typescript/depth.ts";
import { parseEither } from "../typescript/jsx.ts";
import { type FoundSecret, joined, LEFT_OUT } from "./found.ts";
import { findForms, outsideData } from "./forms.ts";
import { findKnown } from "./known.ts";
import { findInLiterals, textPiecesOf } from "./literals.ts";
import { mayNameSecrets } from "./names.ts";
import { findInText, type TextLanguage } from "./texts.ts";

/** `patch` is what `git diff` writes of files of every kind. */
export type Language = "cell" | "typescript" | "patch" | TextLanguage;

export interface Redaction {
  readonly text: string;
  /** What was left out, in the order of the text. */
  readonly found: readonly { readonly kind: string; readonly line: number }[];
}

/** A longer program is data; its lines are read all the same. */
const MAX_PARSED = 2 ** 21;

export function redact(text: string, language: Language): Redaction {
  return without(text, secretsOf(text, language));
}

/** The text only. */
export function withoutSecrets(text: string, language: Language): string {
  return redact(text, language).text;
}

/**
 * The same for a reader who has to see all that would run: a part is left out where only a value can stand, and no code.
 */
export function redactForReview(text: string, language: Language): Redaction {
  return without(
    text,
    secretsOf(text, language).filter(
      ({ start, end, inLiteral }) => inLiteral === true || isHarmless(text.slice(start, end)),
    ),
  );
}

function without(text: string, parts: readonly FoundSecret[]): Redaction {
  if (parts.length === 0) return { text, found: [] };
  const pieces: string[] = [];
  const found: { kind: string; line: number }[] = [];
  let at = 0;
  let line = 1;
  for (const { start, end, kind } of parts) {
    const before = text.slice(at, start);
    for (let next = before.indexOf("\n"); next >= 0; next = before.indexOf("\n", next + 1)) line += 1;
    found.push({ kind, line });
    // Numbers stay numbers of JSON.
    pieces.push(before, LEFT_OUT);
    for (let next = text.indexOf("\n", start); next >= 0 && next < end; next = text.indexOf("\n", next + 1))
      line += 1;
    at = end;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join(""), found };
}

function secretsOf(text: string, language: Language): FoundSecret[] {
  const byName = !mayNameSecrets(text)
    ? []
    : language === "cell"
      ? findInCell(text)
      : language === "typescript"
        ? (findInProgram(text, text) ?? findInText(text, "code"))
        : language === "patch"
          ? findInPatch(text)
          : findInText(text, language);
  const all = [...outsideData(text, [...byName, ...findForms(text)]), ...findKnown(text)];
  // What was left out before is no secret again.
  return joined(
    all.filter(
      ({ start, end }) =>
        end > start && !text.startsWith(LEFT_OUT, start) && !text.slice(start, end).includes(LEFT_OUT),
    ),
  );
}

/** Lines of magics, and what a `%%` takes as text, are no TypeScript. */
function findInCell(text: string): FoundSecret[] {
  let code = text;
  let ofMagics: FoundSecret[] = [];
  if (/^[ \t]*[%!]/m.test(text)) {
    const first = /^\s*%%(\w+)/.exec(text)?.[1] ?? "";
    try {
      code = codeOfCell(text);
    } catch {
      code = text.replaceAll(/^[ \t]*[%!][^\n]*/gm, (line) => " ".repeat(line.length));
    }
    // As long as the text, so that every place is the same.
    const rest = code.length === text.length ? restOf(text, code) : text;
    ofMagics = findInText(rest, first.startsWith("py") ? "code" : "shell");
    if (first.startsWith("py")) ofMagics.push(...findInText(text.split("\n", 1)[0]!, "shell"));
    else if (/^(?:yaml|writefile|file|json|toml)/i.test(first))
      ofMagics.push(...findInText(rest, "configuration"));
  }
  const found = code.length === text.length && code.trim() !== "" ? findInProgram(code, text) : [];
  return [...ofMagics, ...(found ?? findInText(text, /^[ \t]*!/m.test(text) ? "shell" : "text"))];
}

/** The lines of a cell that are no code, others blank. */
function restOf(text: string, code: string): string {
  const codeLines = code.split("\n");
  return text
    .split("\n")
    .map((line, at) =>
      codeLines[at]?.trim() === "" || codeLines[at] !== line ? line : " ".repeat(line.length),
    )
    .join("\n");
}

/** Null for what is no TypeScript. */
function findInProgram(code: string, text: string): FoundSecret[] | null {
  if (code.length > MAX_PARSED || nestsTooDeeply(code)) return null;
  const { program, comments, errors } = parseEither(code).result;
  if (errors.length > 0) return null;
  const found = findInLiterals(program, code);
  for (const { start, end } of textPiecesOf(program, code)) {
    const inside = findInText(withoutEscapes(text.slice(start, end)), "text");
    for (const part of inside)
      found.push({ ...part, start: start + part.start, end: start + part.end, inLiteral: true });
  }
  for (const { start, end } of comments)
    for (const part of findInText(text.slice(start, end), "text"))
      found.push({ ...part, start: start + part.start, end: start + part.end, inLiteral: true });
  return found;
}

/** A literal's text with its line ends, as long as it was. */
const withoutEscapes = (raw: string) => raw.replaceAll(/\\[nr]/g, " \n").replaceAll(String.raw`\t`, "  ");

const HEAD = /^(?:diff --git |\+\+\+ b\/)(.*)$/;

/** Each file of a patch by its own language. */
function findInPatch(patch: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  let [start, at] = [0, 0];
  let file = "";
  const close = (end: number) => {
    const language = languageOf(file);
    // The sign before a line is no part of it.
    const part = patch.slice(start, end).replaceAll(/^[-+]/gm, " ");
    // Lines of a patch are no whole program.
    const inside = findInText(part, language === "typescript" ? "code" : language);
    for (const one of inside) found.push({ ...one, start: start + one.start, end: start + one.end });
    start = end;
  };
  for (const line of patch.split("\n")) {
    const head = line.startsWith("diff --git ") || line.startsWith("+++ b/") ? HEAD.exec(line) : null;
    if (head !== null && line.startsWith("diff")) close(at);
    if (head !== null) file = head[1] ?? "";
    at += line.length + 1;
  }
  close(patch.length);
  return found;
}

/** By the ending of a file's name. */
export function languageOf(file: string): "typescript" | TextLanguage {
  if (/\.[cm]?[jt]sx?$/i.test(file)) return "typescript";
  if (/\.(?:py|java|kt|swift|go|rs|rb|c|cc|cpp|h|cs|scala|r|jl|lua|pl|php)$/i.test(file)) return "code";
  if (/\.(?:sh|bash|zsh|fish|ps1|bat|cmd)$|(?:^|\/)(?:Dockerfile|Containerfile|Makefile)/i.test(file))
    return "shell";
  if (
    /\.(?:ya?ml|ini|cfg|conf|toml|properties|env|json|jsonc|tf|tfvars|plist|xml|service|netrc)$|(?:^|\/)\.(?:env|npmrc|netrc|pypirc)/i.test(
      file,
    )
  )
    return "configuration";
  return "text";
}

/** What may stand in a secret's place: nothing that a program or a shell would run. */
const HARMLESS = /^[\w\s.+/=:@~!%^*,?#\\-]*$/;

export function isHarmless(text: string): boolean {
  return HARMLESS.test(text);
}
