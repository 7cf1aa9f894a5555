// Converts `x in whole`: of a text, a list, a set or a dictionary, and of what is known only when the cell runs.
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper } from "../context.ts";
import { elementOf, isDict, isList, isNumber } from "../kinds.ts";
import { renamedKey } from "../names/group_keys.ts";

export function membership(element: Code, whole: Code, isWanted: boolean, context: Context): Code {
  if (whole.kind === "group")
    return membership(renamedKey(whole.kind, element), { ...whole, kind: "dict" }, isWanted, context);
  const not = isWanted ? "" : "!";
  const level = isWanted ? LEVEL.primary : LEVEL.unary;
  if (isDict(whole.kind)) {
    const isName = element.text.startsWith('"') && !(JSON.parse(element.text) in {});
    if (!isName) return code(`${not}Object.hasOwn(${whole.text}, ${element.text})`, "boolean", level);
    const test = `${bound(element, LEVEL.relation + 1)} in ${bound(whole, LEVEL.relation + 1)}`;
    return isWanted ? code(test, "boolean", LEVEL.relation) : code(`!(${test})`, "boolean", LEVEL.unary);
  }
  const isPlain = element.kind === "text" || isNumber(element.kind);
  if (whole.kind === "set" && isPlain)
    return code(`${not}${receiver(whole)}.has(${element.text})`, "boolean", level);
  const isKnown =
    whole.kind === "text" || (isList(whole.kind) && isPlain && elementOf(whole.kind) !== "boolean");
  if (isKnown) return code(`${not}${receiver(whole)}.includes(${element.text})`, "boolean", level);
  return code(`${not}${helper(context, "isIn")}(${element.text}, ${whole.text})`, "boolean", level);
}
