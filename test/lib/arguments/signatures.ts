// PyTorch's own parameters, which signatures.py reads from its sources, in TypeScript's names and texts.
import { readFileSync } from "node:fs";
import path from "node:path";
import { NAMES, VALUES } from "./needed.ts";

export interface Parameter {
  /** PyTorch's name. */
  readonly theirs: string;
  readonly name: string;
  /** Its default in TypeScript's text; null if it must be given. */
  readonly value: string | null;
  readonly isNamedOnly: boolean;
}

const file = path.join(import.meta.dirname, "../../fixtures/python/signatures.json");
export const signatures = JSON.parse(readFileSync(file, "utf8")) as Record<string, readonly string[]>;

export const camel = (name: string) =>
  name.replace(/(?<=.)_+([a-z0-9])/g, (_, next: string) => next.toUpperCase());

/** `True` -> `true`, `'zeros'` -> `"zeros"`, `(1, 2)` -> `[1, 2]` */
const inTypeScript = (python: string): string =>
  python
    .replace(/^None$/, "null")
    .replace(/^True$/, "true")
    .replace(/^False$/, "false")
    .replace(/^'(.*)'$/, '"$1"')
    .replace(/^\((.*?),?\)$/, "[$1]");

export function parametersOf(call: string): Parameter[] {
  const texts = signatures[call]!;
  const star = texts.includes("*") ? texts.indexOf("*") : texts.length;
  return texts.flatMap((text, at) => {
    if (text === "*") return [];
    const [theirs = "", given] = text.split(/=(.*)/s);
    const value = VALUES[`${call} ${theirs}`] ?? (given === undefined ? null : inTypeScript(given));
    return [{ theirs, name: NAMES[theirs] ?? camel(theirs), value, isNamedOnly: at > star }];
  });
}
