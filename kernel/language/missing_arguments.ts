// Says which arguments a call lacks. Needed arguments of the library stand at their places or in an object by name, so that
// the compiler explains a call with too few of them by the object that it does not have:
//
//     new nn.Linear(3)    Argument of type 'number' is not assignable to parameter of type 'ByName & { inFeatures: number;
//                         outFeatures: number; } & LinearOptions'.    ->    outFeatures is missing, which follows inFeatures.
import { listed } from "../../lib/words.ts";

const BY_NAME =
  /^Argument of type '([^]*?)' is not assignable to parameter of type '([^\n]*\bByName & [^\n]*?\{[^\n]*)'\.(?:\n|$)/;

/** The names of an object's type at its own depth, with whether each must be given. */
function* fieldsOf(type: string): Generator<{ readonly name: string; readonly isNeeded: boolean }> {
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= type.length; at++) {
    const sign = type[at] ?? ";";
    if ("{([<".includes(sign)) depth++;
    else if ("})]>".includes(sign) && type[at - 1] !== "=") depth--;
    else if (sign === ";" && depth === 0) {
      const [, name, optional] = /^\s*(?:readonly )?(\w+)(\?)?:/.exec(type.slice(start, at)) ?? [];
      if (name !== undefined) yield { name, isNeeded: optional === undefined };
      start = at + 1;
    }
  }
}

/** The inside of the first object in a type. */
function inside(type: string): string {
  const begin = type.indexOf("{") + 1;
  let depth = 1;
  let end = begin;
  while (end < type.length && depth > 0) {
    if (type[end] === "{") depth++;
    if (type[end] === "}") depth--;
    end++;
  }
  return type.slice(begin, end - 1);
}

/** A sentence about what the call lacks; null for a message that says something else. */
export function missingArguments(message: string): string | null {
  const [, given = "", wanted = ""] = BY_NAME.exec(message) ?? [];
  if (wanted === "") return null;
  const needed = [...fieldsOf(inside(wanted))].filter(({ isNeeded }) => isNeeded).map(({ name }) => name);
  const isObject = given.startsWith("{");
  const has = isObject ? [...fieldsOf(inside(given))].map(({ name }) => name) : needed.slice(0, 1);
  const missing = needed.filter((name) => !has.includes(name));
  if (missing.length === 0) return null;
  const are = `${listed(missing)} ${missing.length > 1 ? "are" : "is"} missing`;
  if (isObject) return `${are}.`;
  return `${are}: ${missing.length > 1 ? "they follow" : "it follows"} ${needed[0]!}.`;
}
