// Reads the text behind a magic's name by its grammar. An error gives the offsets of what is wrong.
import { listed } from "../words.ts";
import type { Argument, Grammar, OptionTable } from "./grammar.ts";
import { nearestName } from "./nearest_name.ts";
import { usageOf } from "./usage.ts";

/** Offsets are positions in the text that was read. */
export class ArgumentError extends Error {
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

export interface ReadArguments {
  readonly options: Readonly<Record<string, number | true>>;
  /** The text after the options. */
  readonly text: string;
  /** The offset at which that text begins. */
  readonly start: number;
}

/**
 * @param written how the magic was called: `%time`, `%%time`
 * @throws ArgumentError
 */
export function readArguments(
  written: string,
  grammar: Grammar,
  argument: Argument,
  text: string,
): ReadArguments {
  const { options, start } = readOptions(written, grammar.options ?? {}, text);
  const rest = text.slice(start).trimEnd();
  const fail = (message: string): never => {
    throw new ArgumentError(message, start, start + rest.length);
  };
  if (argument.kind === "none" && rest !== "")
    fail(`${written} takes no argument: write it without "${rest}"`);
  if (argument.kind === "word" && !argument.others && rest !== "" && !argument.words.includes(rest)) {
    fail(`${written} takes ${listed(argument.words, "or")}, not "${rest}"${meant(rest, argument.words)}`);
  }
  const needed = argument.kind === "code" || (argument.kind === "text" && argument.optional !== true);
  if (needed && rest === "") {
    const [line = "", cell] = usageOf(grammar);
    fail(
      `${written} needs ${argument.placeholder}: write ${cell === undefined ? line : `${line}, or ${cell}`}`,
    );
  }
  return { options, text: rest, start };
}

function readOptions(
  written: string,
  table: OptionTable,
  text: string,
): { readonly options: Record<string, number | true>; readonly start: number } {
  const options: Record<string, number | true> = {};
  let start = text.length - text.trimStart().length;
  // A magic without options passes everything on: the words of `%sh ls -l` are the shell's.
  while (Object.keys(table).length > 0) {
    const [whole, flag = "", space = "", value = ""] = OPTION.exec(text.slice(start)) ?? [];
    if (whole === undefined) break;
    const description = table[flag];
    const end = start + flag.length;
    if (description === undefined) {
      const known = `it has ${listed(Object.keys(table), "or")}`;
      const near = meant(flag, Object.keys(table));
      throw new ArgumentError(
        `${written} has no option ${flag}${near === "" ? `: ${known}` : near}`,
        start,
        end,
      );
    }
    if (description.takes === "count") {
      const count = Number(value);
      if (!/^\d+$/.test(value) || count < 1 || !Number.isSafeInteger(count)) {
        const given = value === "" ? "" : `, not "${value}"`;
        throw new ArgumentError(`${flag} takes a whole number of at least 1${given}`, start, end);
      }
      options[flag] = count;
      start = end + space.length + value.length;
    } else {
      options[flag] = true;
      start = end;
    }
    start += text.slice(start).length - text.slice(start).trimStart().length;
  }
  return { options, start };
}

/** `-n 10`, `-n10`, `-f`, `--all`. `-x` could be an expression too; an option is what it looks like. */
const OPTION = /^(--?[A-Za-z][A-Za-z-]*?)(?=[\s\d]|$)([ \t]*)(\S*)/;

function meant(typed: string, candidates: readonly string[]): string {
  const near = nearestName(typed, candidates);
  return near === null ? "" : `: did you mean ${near}?`;
}
