// Finds secrets by their place in a file of YAML: below `credentials:`, in the `data` of a Kubernetes secret, and in lines
// that belong to a key, as those of `private_key: |`. Reads lines and their indents only.
import type { FoundSecret } from "./found.ts";
import { demandOf, isSecretGroup, isSecretValue } from "./names.ts";

const KEY = /^([ \t]{0,200})(?:-[ \t]{1,8})?["']?([\w.-]{1,120})["']?:(?:[ \t]{1,40}([^\n]*))?$/;
const BLOCK = /^[|>][-+\d]{0,2}\s*$/;

export function findInSections(text: string): FoundSecret[] {
  if (!text.includes(":")) return [];
  const found: FoundSecret[] = [];
  const isSecretFile = /^kind:[ \t]{1,8}["']?Secret\b/m.test(text);
  /** The indent of the section's own line; lines that are deeper belong to it. */
  let section: number | null = null;
  let block: number | null = null;
  let at = 0;
  for (const line of text.split("\n")) {
    const start = at;
    at += line.length + 1;
    const clean = line.trimEnd();
    if (clean === "") continue;
    const indent = clean.length - clean.trimStart().length;
    if (block !== null && indent > block) {
      found.push({ start: start + indent, end: start + clean.length, kind: "below its name" });
      continue;
    }
    block = null;
    if (section !== null && indent <= section) section = null;
    const [, , key, value = ""] = clean.length > 4_000 ? [] : (KEY.exec(clean) ?? []);
    if (key === undefined) {
      if (section !== null && /^-[ \t]/.test(clean.trim()))
        keepValue(clean.trim().slice(2), start + clean.length);
      continue;
    }
    if (value === "" && (isSecretGroup(key) || (isSecretFile && /^(?:data|stringData)$/.test(key))))
      section ??= indent;
    else if (BLOCK.test(value) && (section !== null || demandOf(key) === "any")) block = indent;
    else if (section !== null) keepValue(value, start + clean.length);
  }
  return found;

  /** @param end where the value ends */
  function keepValue(given: string, end: number): void {
    const value = given.replace(/^["']|["']$/g, "");
    if (/^[${[&*!]/.test(value) || !isSecretValue(value, "any")) return;
    const from = end - given.length + (/^["']/.test(given) ? 1 : 0);
    found.push({ start: from, end: from + value.length, kind: "below its name" });
  }
}
