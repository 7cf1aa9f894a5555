// Lists the options of a call: `options?: lab.HistogramOptions` says nothing to a reader, its fields with their sentences
// do. The checker is asked for the fields of every object that a parameter takes, so that a type needs no name that a cell
// can reach.
import { withoutModules } from "../diagnostics.ts";
import { defaultsIn } from "./defaults.ts";
import type { LanguageServer } from "../server/server.ts";
import { type Ask, withSnapshot } from "../server/snapshot.ts";
import type { Hover } from "./hover.ts";

/** A field of an object that a call takes. */
export interface Option {
  readonly name: string;
  /** Its type, as a person would write it. */
  readonly type: string;
  /** What it does, with its default. Empty if its declaration has no comment. */
  readonly sentence: string;
}

/** What can be written into a call. */
export interface Takes {
  readonly options: readonly Option[];
  /** The names of the parameters of each form of the call. */
  readonly forms: readonly (readonly string[])[];
}

const NOTHING: Takes = { options: [], forms: [] };

/** The checker's handles of types, symbols and signatures, with the bits that are read here. */
interface Handle {
  readonly id: number;
}
interface TypeHandle extends Handle {
  readonly flags: number;
  readonly objectFlags?: number;
}
interface SymbolHandle extends Handle {
  readonly name: string;
  readonly flags: number;
  /** Where it is declared: `<place of the node>.<its kind>.<path>`. */
  readonly declarations?: readonly string[];
}

const TYPE = { parameter: 1 << 19, object: 1 << 20, union: 1 << 27, intersection: 1 << 28 } as const;
/** A type parameter, or one that is computed from them. */
const INSTANTIABLE = 132_644_864;
const CLASS_OBJECT = 1;
const SYMBOL = { method: 1 << 13, optional: 1 << 24 } as const;
const KINDS = { call: 0, construct: 1 } as const;
/** Print the whole type, by its alias wherever that is declared (`NodeBuilderFlags`). */
const PRINTED = 1 | (1 << 14);

/** The functions with the most options have twenty; an object with more than these fields is data. */
const MAX_OPTIONS = 40;
/** `torch.std` has nine forms. */
const MAX_SIGNATURES = 12;
/** How deep a type is followed: a rest parameter's tuple, a union in it, a type parameter's bound. */
const MAX_DEPTH = 4;

/** What the call of what is named at a position of a document takes. */
export function takenAt(server: LanguageServer, document: string, position: number): Promise<Takes> {
  return withSnapshot(server, async (ask) => {
    const file = server.path(document);
    // The type at the position is none where a class stands alone: `nn.Linear`.
    const [named] = await ask<(SymbolHandle | null)[]>("getSymbolsAtPositions", {
      file,
      positions: [position],
    });
    if (named === null || named === undefined) return NOTHING;
    const [type] = await typesOf(ask, [named]);
    const signatures = await signaturesOf(ask, type!);
    const lists = await Promise.all(
      signatures.map(({ id }) => ask<SymbolHandle[] | null>("getParametersOfSignature", { objectId: id })),
    );
    const forms = lists.map((some) => (some ?? []).map(({ name }) => name));
    const parameters = lists.flatMap((some) => some ?? []);
    if (parameters.length === 0) return NOTHING;
    const types = await typesOf(ask, parameters);
    const places = new Set(parameters.map(({ name }) => name));
    const seen = new Set<number>();
    const fields = await Promise.all(
      parameters.map(async ({ name }, at) => {
        const objects = await objectsOf(ask, types[at]!, seen, MAX_DEPTH);
        return Promise.all(objects.map((one) => fieldsOf(ask, one, { places, isNamed: NAMED.test(name) })));
      }),
    );
    if (fields.flat(2).length === 0) return { options: [], forms };
    // A name that a module gives to another's function, as `F.conv2d`, has that function's documentation.
    const own = await ask<SymbolHandle | null>("getSymbolOfType", { objectId: type!.id });
    const about = await Promise.all(
      [named, own].map((one) =>
        one === null ? null : ask<string | null>("getDocumentationComment", { symbol: one.id }),
      ),
    );
    return { options: await options(ask, fields.flat(2), defaultsIn(about.join("\n"))), forms };
  });
}

async function signaturesOf(ask: Ask, { id }: Handle): Promise<readonly Handle[]> {
  const [called, made] = await Promise.all(
    Object.values(KINDS).map((kind) => ask<Handle[]>("getSignaturesOfType", { type: id, kind })),
  );
  return (made!.length > 0 ? made! : called!).slice(0, MAX_SIGNATURES);
}

async function typesOf(ask: Ask, symbols: readonly Handle[]): Promise<TypeHandle[]> {
  const ids = symbols.map(({ id }) => id);
  const types = await ask<(TypeHandle | null)[]>("getTypesOfSymbols", { symbols: ids });
  return types.map((type) => type ?? { id: 0, flags: 0 });
}

/** The objects that a parameter of the type takes: parts of a union, elements of a rest parameter's tuple. */
async function objectsOf(
  ask: Ask,
  type: TypeHandle,
  seen: Set<number>,
  depth: number,
): Promise<readonly TypeHandle[]> {
  const { id, flags } = type;
  if (depth === 0 || seen.has(id)) return [];
  seen.add(id);
  const isTuple = (flags & TYPE.object) !== 0 && (await ask<boolean>("isTupleType", { type: id }));
  if (!isTuple && (flags & (TYPE.object | TYPE.intersection)) !== 0) return [type];
  const parts =
    (flags & TYPE.union) !== 0
      ? await ask<TypeHandle[] | null>("getTypesOfType", { objectId: id })
      : isTuple
        ? await ask<TypeHandle[] | null>("getTypeArguments", { type: id })
        : (flags & INSTANTIABLE) !== 0
          ? await ask<TypeHandle | null>("getBaseConstraintOfType", { type: id })
          : null;
  const found = await Promise.all([parts ?? []].flat().map((one) => objectsOf(ask, one, seen, depth - 1)));
  return found.flat();
}

/** The names of parameters that take options and nothing else, some of which may have to be given. */
const NAMED = /^_?(?:options|given)$/;

/**
 * The fields of an object of options. A tensor, a list or an instance of a class has methods that nobody writes into a
 * call. A field that must be given and has a place too is shown there.
 */
async function fieldsOf(
  ask: Ask,
  { id, objectFlags = 0 }: TypeHandle,
  { places, isNamed }: { readonly places: ReadonlySet<string>; readonly isNamed: boolean },
): Promise<readonly SymbolHandle[]> {
  if ((objectFlags & CLASS_OBJECT) !== 0) return [];
  const properties = (await ask<SymbolHandle[] | null>("getPropertiesOfType", { type: id })) ?? [];
  const isOptional = ({ flags }: SymbolHandle): boolean => (flags & SYMBOL.optional) !== 0;
  const isData = properties.some((one) => (one.flags & SYMBOL.method) !== 0 && !isOptional(one));
  if (isData || properties.length > MAX_OPTIONS || !(isNamed || properties.some(isOptional))) return [];
  return properties.filter((one) => isOptional(one) || !places.has(one.name));
}

/** Each name once, with its sentence if one of its declarations has one. The checker gives a type's fields in no order. */
async function options(
  ask: Ask,
  fields: readonly SymbolHandle[],
  defaults: ReadonlyMap<string, string>,
): Promise<Option[]> {
  const ordered = [...fields].sort((a, b) => compare(placeOf(a), placeOf(b)));
  const types = await typesOf(ask, ordered);
  const all = await Promise.all(
    ordered.map(async ({ id, name }, at): Promise<Option> => {
      const comment = await ask<string | null>("getDocumentationComment", { symbol: id });
      const type = await textOf(ask, types[at]!);
      return { name, type, sentence: sentenceOf(comment ?? "", defaults.get(name)) };
    }),
  );
  const named = new Map<string, Option>();
  for (const option of all) if (!named.get(option.name)?.sentence) named.set(option.name, option);
  return [...named.values()];
}

/** Sorts by file, and in a file by line. */
function placeOf({ declarations: [place = ""] = [], name }: SymbolHandle): string {
  const [, node = "", path = ""] = /^(\d+)\.\d+\.(.*)$/s.exec(place) ?? [];
  return `${path} ${node.padStart(9, "0")} ${name}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A type as a reader expects it: `Type | null` of a type parameter is `DType | null`, and an option may be missing. */
async function textOf(ask: Ask, type: TypeHandle): Promise<string> {
  const parts = await partsOf(ask, type, TYPE.union);
  const bounds = await Promise.all(parts.map((part) => boundOf(ask, part)));
  const isGeneric = bounds.some((bound) => bound !== null);
  const print = ({ id }: Handle): Promise<string> => ask("typeToString", { type: id, flags: PRINTED });
  const texts = isGeneric
    ? await Promise.all(parts.map((part, at) => print(bounds[at] ?? part)))
    : [await print(type)];
  const ordered = [...texts.filter((text) => text !== "null"), ...texts.filter((text) => text === "null")];
  return withoutModules(ordered.join(" | "))
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("; }", " }")
    .replaceAll(/ \| undefined\b|\bundefined \| /g, "");
}

async function partsOf(ask: Ask, type: TypeHandle, kind: number): Promise<readonly TypeHandle[]> {
  if ((type.flags & kind) === 0) return [type];
  return (await ask<TypeHandle[] | null>("getTypesOfType", { objectId: type.id })) ?? [];
}

/** What bounds a type parameter, alone or with what says that the argument is right: `Dim & UnlessAt<Problem>`. */
async function boundOf(ask: Ask, type: TypeHandle): Promise<Handle | null> {
  const parameter = (await partsOf(ask, type, TYPE.intersection)).find(
    ({ flags }) => (flags & TYPE.parameter) !== 0,
  );
  return parameter === undefined ? null : ask("getBaseConstraintOfType", { type: parameter.id });
}

/** A comment on one line. Arguments of operators that have places have their defaults in the operator's documentation. */
function sentenceOf(comment: string, value: string | undefined): string {
  const words = withoutModules(comment)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
  if (value === undefined || /\bDefault\b/.test(words)) return words;
  return `${words === "" ? "" : `${words} `}Default: ${value}.`;
}

/** The hover, and below it the options. */
export function withOptions(hover: Hover, found: readonly Option[]): Hover {
  if (found.length === 0) return hover;
  const lines = found.map(
    ({ name, type, sentence }) => `- \`${name}: ${type}\`${sentence === "" ? "" : `  ${sentence}`}`,
  );
  return {
    markdown: `${hover.markdown}\n\n**Options**\n\n${lines.join("\n")}`,
    text: `${hover.text}\n\nOptions:\n${lines.map((line) => line.replaceAll("`", "")).join("\n")}`,
  };
}
