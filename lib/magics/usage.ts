// Prints a magic's grammar: the usage lines that `?` and an error show.
import { capitalized } from "../words.ts";
import type { Argument, Grammar } from "./grammar.ts";

/** `%timeit [-n LOOPS] EXPRESSION`, and the `%%` form where there is one. */
export function usageOf({ name, line, cell, options = {} }: Grammar): string[] {
  const flags = Object.entries(options).map(([flag, { placeholder }]) =>
    placeholder === undefined ? `[${flag}]` : `[${flag} ${placeholder}]`,
  );
  const form = (percents: string, argument: Argument) =>
    [`${percents}${name}`, ...flags, placeholderOf(argument)].filter((part) => part !== "").join(" ");
  return [
    ...(line === undefined ? [] : [form("%", line)]),
    ...(cell === undefined ? [] : [form("%%", cell.argument)]),
  ];
}

/** Returns the text that `%name?` prints. */
export function helpOf(grammar: Grammar): string {
  const { summary, details, options = {}, cell } = grammar;
  const lines = [...usageOf(grammar), "", `${capitalized(summary)}.`];
  if (details !== undefined) lines.push("", details);
  if (cell !== undefined)
    lines.push("", `%%${grammar.name} stands in the first line and takes the whole cell.`);
  const flags = Object.entries(options).map(
    ([flag, { placeholder, help }]) => [[flag, placeholder].filter(Boolean).join(" "), help] as const,
  );
  return [...lines, ...(flags.length === 0 ? [] : ["", ...columns(flags)]), ""].join("\n");
}

/** Two columns, the first as wide as its widest entry. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function placeholderOf(argument: Argument): string {
  switch (argument.kind) {
    case "none":
      return "";
    case "word":
      return `[${argument.words.join(" | ")}]`;
    case "text":
      return argument.optional ? `[${argument.placeholder}]` : argument.placeholder;
    case "code":
      return argument.placeholder;
  }
}
