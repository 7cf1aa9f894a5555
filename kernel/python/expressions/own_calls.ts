// Converts calls of the cell's own functions, classes and values, and learns from their arguments what parameters are.
import type { Arguments } from "./arguments.ts";
import { arrangeOwn, arrangeUnknown } from "./own_arguments.ts";
import { type Code, code, receiver } from "../code.ts";
import type { Context } from "../context.ts";
import { either, isTensor } from "../kinds.ts";
import { isModule } from "../names/members.ts";
import { camelCase } from "../names/names.ts";
import type { Node } from "../source/syntax.ts";

/** A call of a value: a model, a class or a function of the cell, or something unknown. */
export function valueCall(value: Code, given: Arguments, context: Context, node: Node): Code {
  const { learned } = context;
  if (value.kind === "class of library")
    return code(`new ${value.text}(${callTexts(given, context, node, value.text, value.text)})`);
  const [, what, name = ""] = /^(class|function|object) (.*)$/.exec(value.kind) ?? [];
  if (what === "class") {
    const init = initOf(name, context);
    const text =
      init === null
        ? arrangeUnknown(context, node, name, given)
        : arrangeOwn(context, node, learned.parameters.get(init)!, given);
    if (init !== null) learnParameters(init, given, context);
    return code(`new ${value.text}(${text})`, `object ${name}`);
  }
  if (what === "function") {
    learnParameters(name, given, context);
    return code(
      `${value.text}(${arrangeOwn(context, node, learned.parameters.get(name)!, given)})`,
      learned.returns.get(name) ?? "",
    );
  }
  if (what === "object") {
    const forward = ownMethod(value, "forward", context);
    if (forward !== null) {
      learnParameters(forward, given, context);
      const text = arrangeOwn(context, node, learned.parameters.get(forward)!, given);
      return code(`${receiver(value)}(${text})`, learned.returns.get(forward) ?? "tensor");
    }
    const made = /^nn\.(Identity|Flatten|Unflatten|Sequential|Max)/.test(name) ? "tensor" : "tensor float";
    const gives = LISTS.test(name) ? "list" : isModule(value.kind, context) ? made : "";
    return code(
      `${receiver(value)}(${callTexts(given, context, node, value.text, gives === "" ? null : name)})`,
      gives,
    );
  }
  const gives = hasTensor(given) && value.kind !== "transform" ? "tensor" : "";
  return code(`${receiver(value)}(${arrangeUnknown(context, node, value.text, given)})`, gives);
}

const LISTS = /^nn\.(LSTM|GRU|RNN|MultiheadAttention|LSTMCell)$/;

/** The keywords of a layer's call, or of a class's function, stand in the last object. */
export function callTexts(
  given: Arguments,
  context: Context,
  node: Node,
  call: string,
  layer: string | null,
): string {
  if (layer === null) return arrangeUnknown(context, node, call, given);
  const keywords = given.keywords.map((one) => ({ ...one, name: camelCase(one.name) }));
  const texts = given.positional.map(({ value, spread }) => `${spread ? "..." : ""}${value.text}`);
  const fields = keywords.map(({ name, value }) => (value.text === name ? name : `${name}: ${value.text}`));
  return [...texts, ...(fields.length > 0 ? [`{ ${fields.join(", ")} }`] : [])].join(", ");
}

export function initOf(name: string, { learned }: Context): string | null {
  for (let at: string | undefined = name; at !== undefined; at = learned.classes.get(at))
    if (learned.parameters.has(`${at}.__init__`)) return `${at}.__init__`;
  return null;
}

/** Arguments of a call tell the kinds of parameters. */
export function learnParameters(key: string, given: Arguments, { learned, called }: Context): void {
  const names = learned.parameters.get(key)?.names ?? [];
  const learn = (name: string | undefined, { kind }: Code): void => {
    if (name === undefined) return;
    const place = `parameter ${key} ${name}`;
    const before = called.get(place);
    const both = before === undefined ? kind : either(before, kind);
    called.set(place, both);
    learned.variables.set(place, both === "none" ? "" : both);
  };
  given.positional.forEach(({ value, spread }, at) => spread || learn(names[at], value));
  for (const { name, value } of given.keywords) learn(name, value);
}

/** The key of a method of the cell's own classes: `Net.forward` */
export function ownMethod(of: Code, name: string, { learned }: Context): string | null {
  const start = /^(?:object|class) (.*)$/.exec(of.kind)?.[1];
  for (let at = start; at !== undefined; at = learned.classes.get(at))
    if (learned.parameters.has(`${at}.${name}`)) return `${at}.${name}`;
  return null;
}

export const hasTensor = ({ positional, keywords }: Arguments): boolean =>
  [...positional, ...keywords].some(({ value }) => isTensor(value.kind));
