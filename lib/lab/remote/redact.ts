// Removes tokens from everything that comes back from other machines, because a remote cell may print its own
// environment.
import { LEFT_OUT } from "../../secrets/found.ts";
import { formsOf } from "../../secrets/known.ts";

/** Removes the tokens from all texts in plain data, also from property names, both as they are and in URL encoding. */
export function without<Data>(data: Data, tokens: readonly string[]): Data {
  const forms = tokens.flatMap(formsOf);
  return forms.length === 0 ? data : (cleaned(data, forms) as Data);
}

function cleaned(part: unknown, forms: readonly string[]): unknown {
  if (typeof part === "string") return forms.reduce((text, form) => text.replaceAll(form, LEFT_OUT), part);
  if (Array.isArray(part)) return part.map((one) => cleaned(one, forms));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [String(cleaned(name, forms)), cleaned(value, forms)]),
  );
}
