// Says which name a call gives that there is not: of a table's column, or another text of several. The compiler explains it by
// the type of all lists of such names:
//
//     flats.groupBy("distrikt")    Argument of type '["distrikt"]' is not assignable to parameter of type 'NamesAmong<"area" |
//                                  "district", "distrikt">'.    ->    There is no column "distrikt"; "district" is near.
import { nearestName } from "../../lib/magics/nearest_name.ts";
import { listed } from "../../lib/words.ts";

const OF_COLUMNS =
  /^Argument of type '[^\n]*' is not assignable to parameter of type 'NamesAmong<((?:"[^"]*"|[^",\n])*), ([^\n]*)>'\.(?:\n|$)/;
/** One of several texts as an argument, and, as for `{ on: "district" }`, where it may also be a list of them. */
const OF_TEXTS = [
  /^Argument of type '([^\n]*?)' is not assignable to parameter of type '((?:"[^"]*" \| )+"[^"]*")'\./,
  /^(?:Argument of type|Type) '([^\n]*?)' is not assignable to (?:parameter of )?type '((?:"[^"]*" \| )+readonly [^\n']*"\)?\[\])'\./,
];
/** The compiler shortens a long type. */
const LEFT_OUT = /\.\.\. (\d+) more \.\.\./;
/** A list of more names does not help. */
const MOST_NAMES = 30;

const textsIn = (type: string): string[] => [
  ...new Set([...type.matchAll(/"([^"]*)"/g)].map(([, text = ""]) => text)),
];

/** A sentence about names that there are not; null for a message that says something else. */
export function unknownNames(message: string): string | null {
  const columns = OF_COLUMNS.exec(message);
  if (columns !== null) return sentence("column ", columns[2]!, columns[1]!);
  const texts = OF_TEXTS.map((form) => form.exec(message)).find((found) => found !== null);
  return texts ? sentence("", texts[1]!, texts[2]!) : null;
}

function sentence(kind: string, givenType: string, knownType: string): string | null {
  const [given, known] = [textsIn(givenType), textsIn(knownType)];
  const left = Number(LEFT_OUT.exec(knownType)?.[1] ?? 0);
  const missing = given.filter((name) => !known.includes(name));
  // Where the compiler shortened the type, it names only some of what there is.
  if (missing.length === 0 || known.length === 0 || (left > 0 && given.length > 1)) return null;
  const quotedNames = missing.map((name) => `"${name}"`);
  const what = `There is no ${kind}${listed(quotedNames, "or")}`;
  const near = missing.length === 1 ? nearestName(missing[0]!, known) : null;
  if (near !== null) return `${what}; "${near}" is near.`;
  const shown = known.slice(0, MOST_NAMES);
  const more = left + known.length - shown.length;
  const all = more > 0 ? `${shown.join(", ")} and ${more} more` : listed(shown);
  return `${what}; there ${known.length + left === 1 ? "is" : "are"} ${all}.`;
}
