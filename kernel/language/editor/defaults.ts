// Moves the defaults of a generated operator from its documentation into the displayed signature.
// `native/codegen/generate.ts` writes the sentence that is parsed here.
import { closing } from "./signature_text.ts";

/** `Defaults: keepdim = false, alpha = 1.` by name; of several sentences the first that names an option. */
export function defaultsIn(documentation: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, sentence = ""] of documentation.matchAll(/\bDefaults: (.+?)\.(?=\s|$)/g))
    for (const [, name = "", value = ""] of sentence.matchAll(/(\w+) = (.+?)(?=, \w+ = |$)/g))
      if (!found.has(name)) found.set(name, value);
  return found;
}

/**
 * `sum(dim: number, keepdim?: boolean): Tensor`, of which the documentation says "Defaults: keepdim = false."  ->
 * `sum(dim: number, keepdim?: boolean = false): Tensor`
 */
export function withDefaults(label: string, documentation: string): string {
  let text = label;
  for (const [name, value] of defaultsIn(documentation)) {
    const at = text.search(new RegExp(String.raw`\b${name}\?: `));
    if (at < 0) continue;
    const end = endOfType(text, at + name.length + "?: ".length);
    text = `${text.slice(0, end)} = ${value}${text.slice(end)}`;
  }
  return text;
}

/** Returns the offset at which the type of a parameter or a property ends. */
function endOfType(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if ("<([{".includes(character)) at = closing(text, at);
    else if (",;)".includes(character)) return at;
    else if (character === "}") return text.charAt(at - 1) === " " ? at - 1 : at;
  }
  return text.length;
}
