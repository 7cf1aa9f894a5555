// Mends the arguments of the library's calls: sizes as separate arguments, options outside their object, names of
// dtypes.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import {
  callAround,
  callNear,
  calledWith,
  nameOf,
  type Place,
  replacing,
  type Rule,
  written,
} from "./place.ts";

/** "Type '"float"' is not assignable to type 'DType'.": TypeScript guesses float16. */
export const DTYPE: Rule = { codes: new Set([2322, 2820, 2345, 2769]), offer: dtype };

/** Calls that take one list, whose elements people write as separate arguments; how many arguments stand before it. */
const LISTED = new Map([
  ..."tensor cat stack hstack vstack concat".split(" ").map((name) => [name, 0] as const),
  ..."reshape permute flip tile".split(" ").map((name) => [name, 1] as const),
]);

export function* listed(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const before = call === null ? undefined : LISTED.get(nameOf(call));
  if (call === null || before === undefined) return;
  const isElement = (node: Node) =>
    !["ObjectExpression", "ArrayExpression", "SpreadElement"].includes(node.type) &&
    !(node.type === "Literal" && typeof node.value === "string");
  const after = call.arguments.findIndex((argument) => !isElement(argument));
  const count = after < 0 ? call.arguments.length : after;
  const given = call.arguments.map((each) => written(place, each));
  const sentence = `${nameOf(call)} takes one list`;
  const last = given.at(-1) ?? "";
  const option = IS_DTYPE.test(last) ? "dtype" : IS_DEVICE.test(last) ? "device" : null;
  for (let length = count; length > before; length--) {
    const rest = given.slice(length);
    const list = [...given.slice(0, before), `[${given.slice(before, length).join(", ")}]`];
    yield calledWith(place, call, [...list, ...rest], sentence);
    if (option !== null && rest.length > 0)
      yield calledWith(place, call, [...list, ...rest.slice(0, -1), `{ ${option}: ${last} }`], sentence);
  }
}

/** The options that a bare value may be meant for, by the kind of the value. */
const IS_DTYPE = /^["']?(?:torch\.)?(?:float|int|uint|bool|bfloat|complex)\d*["']?$/;
const IS_DEVICE = /^["'](?:cpu|mps|cuda)(?::\d+)?["']$/;
const BY_VALUE: readonly (readonly [RegExp, readonly string[]])[] = [
  [IS_DTYPE, ["dtype"]],
  [IS_DEVICE, ["device"]],
  [/^(?:true|false)$/, ["requiresGrad", "bias"]],
  [/^["'`]/, ["label"]],
  [/^-?[\d.]+(?:e-?\d+)?$|^[a-zA-Z]\w*$/, ["lr", "batchSize"]],
];

/** An object of any names is no object of options: `rename({ old: "new" })`. */
const TAKES_ANY_NAME = /to parameter of type '(?:Readonly<)?(?:Record<string, |\{ readonly \[x: string\])/;

/** `torch.ones([2], "float32")` -> `torch.ones([2], { dtype: "float32" })`, `lr=0.1` -> `{ lr: 0.1 }` */
export function* optioned(place: Place): Iterable<Candidate> {
  const call = callNear(place);
  if (!call || TAKES_ANY_NAME.test(place.message)) return;
  const given = call.arguments.map((each) => written(place, each));
  for (const [at, argument] of call.arguments.entries()) {
    if (at !== call.arguments.length - 1 || argument.type === "ObjectExpression") continue;
    const names = BY_VALUE.find(([pattern]) => pattern.test(given[at]!))?.[1] ?? [];
    for (const name of names)
      yield calledWith(
        place,
        call,
        given.with(at, `{ ${name}: ${given[at]} }`),
        `${nameOf(call)} takes its options in one object`,
      );
  }
  if (nameOf(call) === "slider" && given.length > 1) {
    const options = ["min", "max", "step"]
      .slice(0, given.length)
      .map((key, index) => `${key}: ${given[index]}`);
    yield calledWith(place, call, [`{ ${options.join(", ")} }`], "slider takes its options in one object");
  }
}

/** `x.sum({ dim: 1, keepdim: true })` -> `x.sum(1, { keepdim: true })` */
export function* dimension(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const options = call?.arguments.find(({ start, end }) => start <= place.start && place.end <= end);
  if (!call || options?.type !== "ObjectExpression") return;
  const named = options.properties.find(
    (each) =>
      each.type === "Property" && each.key.type === "Identifier" && /^(?:dim|axis)$/.test(each.key.name),
  );
  if (named?.type !== "Property") return;
  const rest = options.properties.filter((each) => each !== named).map((each) => written(place, each));
  const before = call.arguments.slice(0, call.arguments.indexOf(options)).map((each) => written(place, each));
  const given = [
    ...before,
    written(place, named.value),
    ...(rest.length === 0 ? [] : [`{ ${rest.join(", ")} }`]),
  ];
  yield calledWith(place, call, given, "The dimension comes before the options");
}

const DTYPES: Readonly<Record<string, string>> = {
  float: "float32",
  double: "float64",
  half: "float16",
  int: "int32",
  long: "int64",
  short: "int16",
  byte: "uint8",
  boolean: "bool",
  number: "float32",
};

function* dtype({ around, text, start }: Place): Iterable<Candidate> {
  const property = around.find((node) => node.type === "Property" && node.key.start === start);
  const literal =
    property?.type === "Property"
      ? property.value
      : around.find((node) => node.start === start && node.type === "Literal");
  if (literal?.type !== "Literal" || typeof literal.value !== "string") return;
  const name = literal.value.replace(/^torch\./, "");
  const instead = Object.hasOwn(DTYPES, name) ? DTYPES[name]! : name;
  yield replacing(
    literal,
    JSON.stringify(instead),
    `${text.slice(literal.start, literal.end)} is no dtype here`,
    true,
  );
}
