// Moves the defaults of a generated operator from its documentation into the displayed signature.
// `native/codegen/generate.ts` writes the sentence that is parsed here.
import { closing } from "./signature_text.ts";

/**
 * `sum(dim: number, keepdim?: boolean): Tensor`, of which the documentation says "Defaults: keepdim = false."  ->
 * `sum(dim: number, keepdim?: boolean = false): Tensor`
 */
export function withDefaults(label: string, documentation: string): string {
  const sentence = /\bDefaults: (.+?)\.(?=\s|$)/.exec(documentation)?.[1] ?? "";
  let text = label;
  for (const [, name = "", value = ""] of sentence.matchAll(/(\w+) = (.+?)(?=, \w+ = |$)/g)) {
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
