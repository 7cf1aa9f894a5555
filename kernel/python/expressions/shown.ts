// Writes values as Python's str() and repr() do: True and None, [1, 2], 2.0 for a float.
import { bound, type Code, LEVEL, receiver } from "../code.ts";
import { type Context, helper } from "../context.ts";
import { holdsFloat, isTensor } from "../kinds.ts";

/** What `str()` gives, as an expression. */
export function shownText(value: Code, context: Context): string {
  const { kind } = value;
  if (kind === "text" || kind === "device") return value.text;
  if (kind === "error") return `${receiver(value)}.message`;
  if (kind === "int" || isTensor(kind)) return `String(${value.text})`;
  if (value.text.endsWith(".shape")) return `\`torch.Size([\${${value.text}.join(", ")}])\``;
  if (kind === "" && context.isShownAlone) return value.text;
  return `${helper(context, "asText")}(${[bound(value, LEVEL.arrow), ...flags(value)].join(", ")})`;
}

const flags = (value: Code): string[] => (holdsFloat(value.kind) || value.isFloat === true ? ["true"] : []);

/** What `repr()` gives. */
export function reprText(value: Code, context: Context): string {
  if (value.kind !== "text" && value.kind !== "") return shownText(value, context);
  return `${helper(context, "asText")}(${bound(value, LEVEL.arrow)}, false, true)`;
}

/** As a part of a template: what a template writes alike stands there as it is. */
export function inTemplate(value: Code, context: Context): string {
  if (value.kind === "error") return `${receiver(value)}.message`;
  if (value.kind === "int" || (isTensor(value.kind) && context.isShownAlone)) return value.text;
  // A tensor without dimensions is written there as its number.
  if (isTensor(value.kind) || (value.kind === "" && !context.isShownAlone && !value.text.endsWith(".shape")))
    return `${helper(context, "asField")}(${[bound(value, LEVEL.arrow), ...flags(value)].join(", ")})`;
  return shownText(value, context);
}
