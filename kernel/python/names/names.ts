// Knows the library's names: which of PyTorch's there are here, how each is called, and what it gives. They come from
// names.json, which test/fixtures/python/names.mjs writes from the library's own types.
import { readFileSync } from "node:fs";
import { nearestName } from "../../../lib/magics/nearest_name.ts";
import type { Kind } from "../kinds.ts";

/** One way of calling: names in their order, of which some may be left out, then those of the last object. */
export interface CallForm {
  readonly positional: readonly {
    readonly name: string;
    readonly optional: boolean;
    readonly rest: boolean;
  }[];
  readonly options: readonly string[];
  readonly gives: Kind;
}

export interface Entry {
  /** Written with `new`. */
  readonly made: boolean;
  /** Empty for what is not called. */
  readonly calls: readonly CallForm[];
  /** What a property holds. */
  readonly gives: Kind;
  /** PyTorch's order of parameters, in camelCase; empty where it is that of the library. */
  readonly order: readonly string[];
}

interface Stored {
  readonly made?: boolean;
  readonly calls?: readonly string[];
  readonly gives?: string;
  readonly order?: string;
}

interface Table {
  readonly spaces: Readonly<Record<string, Readonly<Record<string, Stored>>>>;
  readonly words: Readonly<Record<string, string>>;
}

let table: Table | undefined;

function loaded(): Table {
  table ??= JSON.parse(readFileSync(new URL("names.json", import.meta.url), "utf8")) as Table;
  return table;
}

/** `kaiming_normal_` -> `kaimingNormal_`, and `__init__` as it is. */
export function camelCase(name: string): string {
  if (name.startsWith("_")) return name;
  return name.replace(
    /([^_])_([a-z0-9])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

/** A word that an option takes: `fan_out` -> `fanOut`; null if the library knows none of that name. */
export function wordFor(text: string): string | null {
  return own(loaded().words, text) ?? null;
}

/** @param space a namespace as `nn.init`, or a class as `:Tensor` */
export function entryOf(space: string, name: string): Entry | null {
  const stored = own(own(loaded().spaces, space) ?? {}, name);
  return stored === undefined ? null : read(stored);
}

/** The names of a namespace. */
export const namesIn = (space: string): string[] => Object.keys(own(loaded().spaces, space) ?? {});

/** A name of the same namespace that is written almost alike. */
export function nearestIn(space: string, name: string): string | null {
  return nearestName(name, namesIn(space));
}

/** The classes of which instances have such a member, tensors first. */
export function classesWith(member: string): string[] {
  return Object.keys(loaded().spaces).filter(
    (space) => space.startsWith(":") && space !== ":AveragedModel" && entryOf(space, member) !== null,
  );
}

/** A member of an instance; those of every module count too. */
export function memberOf(space: string, name: string): Entry | null {
  const found = entryOf(space, name);
  if (found !== null || space === ":Tensor" || NOT_MODULES.has(space)) return found;
  return entryOf(":Module", name);
}

const NOT_MODULES = new Set([
  ":Optimizer",
  ":Scheduler",
  ":Plateau",
  ":GradScaler",
  ":SummaryWriter",
  ":DataLoader",
  ":Generator",
  ":Profile",
  ":Averages",
  ":Event",
  ":Distribution",
  ":PackedSequence",
]);

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function read({ made = false, calls = [], gives = "", order = "" }: Stored): Entry {
  return {
    made,
    calls: calls.map(readForm),
    gives: kindOf(gives),
    order: order === "" ? [] : order.split(" ").map(camelCase),
  };
}

/** `dim keepdim?|dtype|Tensor` */
function readForm(text: string): CallForm {
  const [positional = "", options = "", gives = ""] = text.split("|");
  return {
    positional: words(positional).map((word) => ({
      name: word.replace(/^\.\.\.|\?$/g, ""),
      optional: word.endsWith("?"),
      rest: word.startsWith("..."),
    })),
    options: words(options),
    gives: kindOf(gives),
  };
}

const words = (text: string): string[] => (text === "" ? [] : text.split(" "));

const KINDS: Readonly<Record<string, Kind>> = {
  Tensor: "tensor",
  "Tensor[]": "list tensor",
  "number[]": "list number",
  string: "text",
  void: "",
};

const kindOf = (stored: string): Kind => KINDS[stored] ?? stored;
