// Names the option that no form of a call takes. TypeScript explains an error by the last form of a call, which may take no
// options: "'paddin' does not exist in type 'readonly number[]'". Does not know where the list of a call's options is from.
import { nearestName } from "../../../lib/magics/nearest_name.ts";
import { listed } from "../../../lib/words.ts";
import type { Candidate } from "./advice.ts";
import { OPPOSITES } from "./names.ts";
import { type Call, callNear, calledWith, nameOf, type Place, replacing, written } from "./place.ts";

/** "... 'x' does not exist in type 'y'.", "Argument of type 'x' ...", "No overload matches this call." */
const CODES = new Set([2353, 2561, 2345, 2769]);

/** @param optionsOf gives the names of the options of all forms of a call */
export async function unknownOption(
  place: Place,
  optionsOf: (call: Call) => Promise<readonly string[]>,
): Promise<readonly Candidate[]> {
  const call = CODES.has(place.code) ? callNear(place) : null;
  const options = call?.arguments.at(-1);
  if (call === null || options?.type !== "ObjectExpression") return [];
  const known = await optionsOf(call);
  if (known.length === 0) return [];
  return options.properties.flatMap((property) => {
    if (property.type !== "Property" || property.key.type !== "Identifier") return [];
    const { name } = property.key;
    if (known.includes(name)) return [];
    const near = nearestName(name, known);
    const isNear = near !== null && !OPPOSITES.has(near);
    const said = `${nameOf(call)} has no option ${name}`;
    const renamed = `${near}: ${written(place, property.value)}`;
    const others = options.properties.filter((one) => one !== property).map((one) => written(place, one));
    const before = call.arguments.slice(0, -1).map((one) => written(place, one));
    const given = [...before, ...(others.length === 0 ? [] : [`{ ${others.join(", ")} }`])];
    return [
      ...(isNear ? [replacing(property, renamed, `${said}; ${near} is near`, true)] : []),
      // The call without the option is tried, to find the option that is to blame, and not told.
      { ...calledWith(place, call, given, `${said}; it has ${listed(known)}`), shown: "" },
    ];
  });
}
