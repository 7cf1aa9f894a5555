// Writes the forms in which an operator is called: its arguments by place, a list's elements one by one, and arguments by
// name in the last object.
import type { Spread } from "./spread_lists.ts";

export interface Parameter {
  readonly name: string;
  type: string;
  /** The default in TypeScript's text. Undefined if the argument is required. */
  readonly default: string | undefined;
  /** A list whose elements may stand one by one: `view(2, -1)`. */
  readonly isSpread?: boolean;
  /** One tensor or several that must be given: they have no form by name, since there the compiler explains shapes. */
  isNeededTensor?: boolean;
  /** It has no place. */
  readonly isByName?: boolean;
  /** What it does, which stands before it where it is given by name. */
  readonly sentence?: string | undefined;
}

export interface Signature {
  readonly generics?: readonly string[];
  readonly positional: Parameter[];
  readonly keywords: Parameter[];
  readonly result: string;
}

/**
 * Writes every form of an operator. An argument of type any fits every form, and the first one gives the result's type. If
 * none fits, the compiler explains the last one that has as many parameters.
 */
export function writeForms(signatures: readonly Signature[], spread: Spread | undefined): Written[] {
  const byPlace = withoutEarlier(
    signatures.map((signature) => withSpread(signature, spread?.isAlone === true).flatMap(writeByPlace)),
  );
  // A list of which the elements may stand one by one has no form by name.
  const needed = spread ? [] : withoutEarlier(signatures.map((signature) => writeByName(signature, false)));
  const named = withoutEarlier(signatures.map((signature) => writeByName(signature, true)));
  const isFirst = signatures.length > 1 || signatures[0]?.generics !== undefined;
  const forms =
    isFirst && needed.length > 0
      ? [...byPlace, ...needed, ...byPlace.slice(-1), ...named]
      : [...needed, ...byPlace, ...named];
  return withSentences(
    forms,
    signatures.flatMap(({ positional }) => positional),
  );
}

/**
 * Says what an argument that has a place does in the first form that takes it by name. The list of options finds it there; in
 * each form it would be 115 kB.
 */
function withSentences(forms: readonly Written[], places: readonly Parameter[]): Written[] {
  const unsaid = new Map(places.filter(isOptional).map((one) => [one.name, one]));
  return forms.map((form) => {
    let { text } = form;
    for (const { name, sentence, default: value } of unsaid.values()) {
      const at = text.search(new RegExp(`(?<=[{;] )${name}\\?: `));
      if (at < 0 || sentence === undefined) continue;
      text = text.slice(0, at) + commentOn(sentence, value) + text.slice(at);
      unsaid.delete(name);
    }
    return { ...form, text };
  });
}

const withoutEarlier = (written: readonly Written[][]): Written[] =>
  written.flatMap((forms, at) => {
    const earlier = new Set(written.slice(0, at).flatMap((others) => others.map(({ text }) => text)));
    return forms.filter(({ text }) => !earlier.has(text));
  });

/** A text that begins with the parameter list, and its defaults. */
export interface Written {
  readonly text: string;
  readonly defaults: string;
}

/** The form of which all arguments but those by name only stand at their places; none if an object must follow them. */
function writeByPlace(signature: Signature): Written[] {
  const { positional, keywords } = signature;
  const needsOptions = keywords.some((keyword) => keyword.default === undefined);
  if (needsOptions && positional.some(isOptional)) return [];
  const options = keywords.length > 0 ? [`options${needsOptions ? "" : "?"}: ${writeOptions(keywords)}`] : [];
  const places = positional.map((one) => `${one.name}${isOptional(one) ? "?" : ""}: ${one.type}`);
  return [write(signature, [...places, ...options])];
}

/**
 * The forms of which the last object has names of arguments that have places too: those that must be given, or only
 * such as need not be.
 */
function writeByName(signature: Signature, optional: boolean): Written[] {
  const { positional, keywords } = signature;
  return positional.flatMap((parameter, at) => {
    if (parameter.isNeededTensor || isOptional(parameter) !== optional) return [];
    const places = positional.slice(0, at).map(({ name, type }) => `${name}: ${type}`);
    const options = writeOptions([...positional.slice(at), ...keywords]);
    // What names something that must be given is told from options: the kernel says what a call lacks.
    return [write(signature, [...places, `options: ${optional ? "" : "ByName & "}${options}`])];
  });
}

const isOptional = (parameter: Parameter) => parameter.default !== undefined;

function write({ generics = [], positional, keywords, result }: Signature, parameters: string[]): Written {
  const defaults = [...positional, ...keywords]
    .filter(({ default: value = "" }) => value !== "" && value !== "null")
    .map((parameter) => `${parameter.name} = ${parameter.default}`)
    .join(", ");
  const opening = generics.length > 0 ? `<${generics.join(", ")}>(` : "(";
  return { text: `${opening}${parameters.join(", ")}): ${result};`, defaults };
}

/**
 * What an option does, and its default; without one it is left out, as `out`. It stands on a line of its own, or the
 * compiler writes it behind the option before.
 */
const commentOn = (sentence: string, value = ""): string =>
  `\n    /** ${sentence} Default: ${value === "" ? "none" : value}. */\n    `;

function writeOptions(parameters: readonly Parameter[]): string {
  const bases = parameters.filter(({ name }) => name === "...").map(({ type }) => type);
  const own = parameters
    .filter(({ name }) => name !== "...")
    .map(
      ({ name, type, default: value, sentence, isByName }) =>
        `${isByName === true && sentence !== undefined ? commentOn(sentence, value) : ""}${name}${value === undefined ? "" : "?"}: ${type}`,
    );
  return [...bases, ...(own.length > 0 ? [`{ ${own.join("; ")} }`] : [])].join(" & ");
}

/**
 * Adds the forms in which the list's elements stand one by one. Without options one form says both, `view(...size)`, unless an
 * overload takes one element alone. Else the list stays first, where the compiler completes options, and is repeated last,
 * where it explains them: `zeros(size, options?)`, `zeros(...size, options)`, `zeros(...size)`, `zeros(size, options)`.
 */
function withSpread(signature: Signature, isAlone: boolean): Signature[] {
  const { positional, keywords, generics } = signature;
  const list = positional.at(-1);
  if (list?.isSpread !== true) return [signature];
  const { name, type } = list;
  const before = positional.slice(0, -1);
  // With a rule its type is that of a type parameter; without one `readonly number[]`.
  const [sizes = type, problem] = type.replace(/^Size$/, "readonly number[]").split(" & ");
  const isRuled = generics?.some((text) => text.includes(`${sizes} extends`)) === true;
  const form = (label: string, rest: string, lists: string): Signature => ({
    ...signature,
    ...(generics && { generics: generics.map((text) => text.replace(NUMBERS, lists)) }),
    positional: [...before, { name: `...${label}`, type: rest, default: undefined }],
    keywords: [],
  });
  // A factory without any size is refused, as PyTorch refuses it.
  const some = isRuled && keywords.length > 0 ? ` & SomeSizes<${sizes}>` : "";
  const spread = form(name, isRuled ? `[...${sizes}]${some}` : sizes, "number[] | readonly number[]");
  if (isAlone) return [signature, spread];
  if (keywords.length === 0) {
    const both = isRuled ? `[...${sizes}]${problem ? ` & ${problem}` : ""}` : `${type} | [${name}: ${type}]`;
    return [form(name, both, "number[] | [number[] | readonly number[]]")];
  }
  const options = `options: ${writeOptions(keywords)}`;
  const withOptions = form(name, `[...${name}: ${sizes}, ${options}]${some}`, "number[] | readonly number[]");
  if (keywords.some((keyword) => keyword.default === undefined)) return [signature, withOptions];
  return [signature, withOptions, spread, withOptions, signature];
}

/** The lists of numbers that rules name. */
const NUMBERS = /(?<=extends )(number \| )?number\[\] \| readonly number\[\]/;
