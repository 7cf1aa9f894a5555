// Mends the names in a call's last object: a name that no form of the call takes, and one of an argument that has a place
// alone, as a tensor has. TypeScript explains an error by the last form of a call, which may take no options: "'paddin'
// does not exist in type 'readonly number[]'". Does not know where the list of what a call takes is from.
import type { ObjectProperty } from "oxc-parser";
import { nearestName } from "../../../lib/magics/nearest_name.ts";
import { listed } from "../../../lib/words.ts";
import type { Takes } from "../editor/option_list.ts";
import type { Candidate } from "./advice.ts";
import { OPPOSITES } from "./names.ts";
import { type Call, callNear, calledWith, nameOf, type Place, replacing, written } from "./place.ts";

/**
 * "... 'x' does not exist in type 'y'.", "Argument of type 'x' ...", "No overload matches this call.", "Type 'x' is not
 * assignable to type 'y'.", "Expected 2 arguments, but got 1."
 */
const CODES = new Set([2353, 2561, 2345, 2769, 2322, 2554]);

interface Named {
  readonly place: Place;
  readonly call: Call;
  readonly before: readonly string[];
  readonly properties: readonly ObjectProperty[];
}

interface Offers {
  /** A call with arguments at their places. They come before any other advice: that may mend one argument alone. */
  readonly placed: readonly Candidate[];
  readonly unknown: readonly Candidate[];
}

const NOTHING: Offers = { placed: [], unknown: [] };

export async function namedArguments(place: Place, takenBy: (call: Call) => Promise<Takes>): Promise<Offers> {
  const call = CODES.has(place.code) ? callNear(place) : null;
  const options = call?.arguments.at(-1);
  if (call === null || options?.type !== "ObjectExpression") return NOTHING;
  const properties = options.properties.filter((one) => one.type === "Property");
  if (properties.length < options.properties.length) return NOTHING;
  const before = call.arguments.slice(0, -1).map((one) => written(place, one));
  const named = { place, call, before, properties };
  const taken = await takenBy(call);
  return { placed: placed(named, taken), unknown: unknown(named, taken) };
}

/** `torch.sub({ other: y, input: x })`  ->  `torch.sub(x, y)` */
function placed({ place, call, before, properties }: Named, { forms }: Takes): Candidate[] {
  return forms.flatMap((form) => {
    const moved: ObjectProperty[] = [];
    for (const name of form.slice(before.length)) {
      const found = properties.find(({ key }) => nameIn(form, written(place, key)) === name);
      if (found === undefined) break;
      moved.push(found);
    }
    if (moved.length === 0) return [];
    const values = moved.map(({ value }) => written(place, value));
    const rest = properties.filter((one) => !moved.includes(one));
    const given = [...before, ...values, ...asObject(place, rest)];
    const said = `${nameOf(call)} takes ${listed(moved.map(({ key }) => written(place, key)))} at ${moved.length === 1 ? "its place" : "their places"}`;
    return [calledWith(place, call, given, said)];
  });
}

/** PyTorch calls an operator's first tensor `input`, its schema `self`. */
const nameIn = (form: readonly string[], name: string): string =>
  name === "input" && !form.includes(name) ? "self" : name;

function unknown({ place, call, before, properties }: Named, { options, forms }: Takes): Candidate[] {
  const known = options.map(({ name }) => name);
  if (known.length === 0) return [];
  // Most arguments that have places can be given by name too, and the trial finds out which.
  const names = [...new Set([...known, ...forms.flat()])];
  return properties.flatMap((property) => {
    if (property.key.type !== "Identifier") return [];
    const { name } = property.key;
    if (known.includes(name)) return [];
    const near = nearestName(name, names);
    const isNear = near !== null && !OPPOSITES.has(near);
    const said = `${nameOf(call)} has no option ${name}`;
    const renamed = `${near}: ${written(place, property.value)}`;
    const others = properties.filter((one) => one !== property);
    return [
      ...(isNear ? [replacing(property, renamed, `${said}; ${near} is near`, true)] : []),
      // The call without the option is tried, to find the option that is to blame, and not told.
      {
        ...calledWith(
          place,
          call,
          [...before, ...asObject(place, others)],
          `${said}; it has ${listed(known)}`,
        ),
        shown: "",
      },
    ];
  });
}

function asObject(place: Place, properties: readonly ObjectProperty[]): string[] {
  return properties.length === 0 ? [] : [`{ ${properties.map((one) => written(place, one)).join(", ")} }`];
}
