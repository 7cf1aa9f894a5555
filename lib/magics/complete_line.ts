// Completes a magic line by the grammars: names, options and fixed words. TypeScript behind a magic is completed by
// the language service.
import type { Argument } from "./grammar.ts";
import { GRAMMARS } from "./grammars.ts";

export interface MagicCompletions {
  /** The position in the line at which the typed word begins. */
  readonly start: number;
  readonly items: readonly { readonly text: string; readonly kind: "magic" | "keyword" }[];
  /** Whether the word may also be the path of a file: `%load data/`. */
  readonly mayBeFile?: boolean;
}

const LINE = /^(?<indent>[ \t]*)(?<percents>%%?)(?:(?<name>[A-Za-z]\w*)[ \t]+(?<argument>.*)|\w*)$/;

/** @param typed the line up to the cursor. @returns null if it is no magic, or the cursor stands in TypeScript */
export function completeMagicLine(typed: string): MagicCompletions | null {
  const groups = LINE.exec(typed)?.groups;
  if (groups === undefined) return null;
  const { indent = "", percents = "", name, argument = "" } = groups;
  if (name === undefined) return { start: indent.length, items: names(percents) };
  const magic = GRAMMARS.get(name);
  const wanted = percents === "%%" ? magic?.cell?.argument : magic?.line;
  if (magic === undefined || wanted === undefined)
    return { start: typed.length - argument.length, items: [] };
  const word = wanted.kind === "word" ? argument : (/\S*$/.exec(argument)?.[0] ?? "");
  const flags = word.startsWith("-") ? Object.keys(magic.options ?? {}) : [];
  if (wanted.kind === "code" && flags.length === 0) return null;
  const words = [...flags, ...wordsOf(wanted, argument)].map((text) => ({ text, kind: "keyword" as const }));
  const mayBeFile = wanted.kind === "text" && wanted.takesFiles === true && !word.startsWith("-");
  return { start: typed.length - word.length, items: words, mayBeFile };
}

function names(percents: string): MagicCompletions["items"] {
  const line = [...GRAMMARS.values()].filter((magic) => magic.line !== undefined);
  const cell = [...GRAMMARS.values()].filter((magic) => magic.cell !== undefined);
  return [
    ...(percents === "%" ? line.map(({ name }) => `%${name}`) : []),
    ...cell.map(({ name }) => `%%${name}`),
  ].map((text) => ({ text, kind: "magic" as const }));
}

function wordsOf(argument: Argument, written: string): readonly string[] {
  if (argument.kind === "word") return argument.words;
  return argument.kind === "text" && !/\s/.test(written) ? (argument.firstWords ?? []) : [];
}
