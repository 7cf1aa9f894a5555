// Converts calls of the cell's own functions, classes and values, and learns from their arguments what parameters are.
import { type Arguments, written } from "./arguments.ts";
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
    const own = learned.parameters.get(name)!;
    const isOpen = given.positional.some(({ spread }) => spread) && !own.rest;
    return code(
      `${isOpen ? `(${value.text} as any)` : value.text}(${arrangeOwn(context, node, own, given)})`,
      learned.returns.get(name) ?? "",
    );
  }
  if (what === "object") {
    const forward = ownMethod(value, "forward", context);
    if (forward !== null) {
      learnParameters(forward, given, context);
      const text = arrangeOwn(context, node, learned.parameters.get(forward)!, given);
      // TypeScript asks what a class below this one takes.
      const callee = value.text === "this" ? `(this as ${name})` : receiver(value);
      return code(`${callee}(${text})`, learned.returns.get(forward) ?? "tensor");
    }
    const called = isModule(value.kind, context) ? null : ownMethod(value, "__call__", context);
    if (called !== null) {
      learnParameters(called, given, context);
      learned.variables.set(`called ${called}`, "");
      const text = arrangeOwn(context, node, learned.parameters.get(called)!, given);
      return code(
        `${receiver(value)}.${callName(called, context)}(${text})`,
        learned.returns.get(called) ?? "",
      );
    }
    const made = /^nn\.(Identity|Flatten|Unflatten|Sequential|Max)/.test(name) ? "tensor" : "tensor float";
    const isPacked = given.positional[0]?.value.kind === "object rnn.PackedSequence";
    const list = isPacked ? "tuple object rnn.PackedSequence," : "list";
    const gives = LISTS.test(name) ? list : isModule(value.kind, context) ? made : "";
    return code(
      `${receiver(value)}(${callTexts(given, context, node, value.text, gives === "" ? null : name)})`,
      gives,
    );
  }
  const gives = hasTensor(given) && value.kind !== "transform" ? "tensor" : "";
  // How many arguments the function takes may be known, and of the list it is not.
  const isSpread = given.positional.some(({ spread }) => spread);
  const callee = isSpread ? `(${value.text} as any)` : receiver(value);
  return code(`${callee}(${arrangeUnknown(context, node, value.text, given)})`, gives);
}

const LISTS = /^nn\.(LSTM|GRU|RNN|MultiheadAttention|LSTMCell)$/;

/** What layers take by place, in their order: `lstm(input=x, hx=state)`, `criterion(input=y, target=t)` */
const FORWARD = "input input1 input2 hx target query key value src tgt memory anchor positive negative".split(
  " ",
);

/** The keywords of a layer's call, or of a class's function, stand in the last object. */
export function callTexts(
  given: Arguments,
  context: Context,
  node: Node,
  call: string,
  layer: string | null,
): string {
  if (layer === null) return arrangeUnknown(context, node, call, given);
  const isPlaced = ({ name }: { readonly name: string }): boolean => FORWARD.includes(name);
  const placed = given.keywords
    .filter(isPlaced)
    .toSorted((a, b) => FORWARD.indexOf(a.name) - FORWARD.indexOf(b.name));
  const keywords = given.keywords
    .filter((one) => !isPlaced(one))
    .map((one) => ({ ...one, name: camelCase(one.name) }));
  const texts = [...given.positional, ...placed.map((one) => ({ ...one, spread: false }))].map(written);
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
    if (kind === "none") learned.variables.set(`none ${key} ${name}`, "");
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

/** The method that stands for `__call__`: an object of a class is no function here. */
export const callName = (key: string, { learned }: Context): string =>
  learned.parameters.has(key.replace("__call__", "call")) ? "__call__" : "call";

export const hasTensor = ({ positional, keywords }: Arguments): boolean =>
  [...positional, ...keywords].some(({ value }) => isTensor(value.kind));
