// Mends what a user of pandas does with a date: fields that have other names here, and a comparison with a text.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import { memberAt, type Place, receiver, replacing, type Rule, written } from "./place.ts";

export const DATE_RULES: readonly Rule[] = [
  // "Property 'month' does not exist on type 'Date'."
  { codes: new Set([2339, 2551]), offer: field },
  // "Operator '>' cannot be applied to types 'Date' and 'string'.", "This comparison appears to be unintentional ..."
  { codes: new Set([2365, 2367]), offer: comparedWithText },
];

/** Dates of a table are of UTC: the others depend on where the program runs. */
const FIELDS: Readonly<Record<string, string>> = {
  year: "getUTCFullYear()",
  month: "getUTCMonth() + 1",
  day: "getUTCDate()",
  hour: "getUTCHours()",
  minute: "getUTCMinutes()",
  second: "getUTCSeconds()",
};

/** `row.built.month` */
function* field(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node?.property.type !== "Identifier" || !Object.hasOwn(FIELDS, node.property.name)) return;
  const { name } = node.property;
  const code = `${receiver(place, node.object)}.${FIELDS[name]}`;
  const why = name === "month" ? "A date counts its months from 0" : "A date has methods for its parts";
  yield {
    ...replacing(node, name === "month" ? `(${code})` : code, why),
    tried: ofDate(place, node.object, name),
  };
}

const ofDate = (place: Place, object: Node, name: string): string =>
  `((${receiver(place, object)} satisfies Date).${FIELDS[name]})`;

/** `row.built > "2024-02-10"`, `row.built === "2024-02-15"` */
function* comparedWithText(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "BinaryExpression");
  if (node?.type !== "BinaryExpression") return;
  const { left, right, operator } = node;
  const text = [left, right].find((one) => one.type === "Literal" && typeof one.value === "string");
  if (text?.type !== "Literal" || Number.isNaN(Date.parse(String(text.value)))) return;
  const compared = (before: string, after: string): string =>
    [left, right]
      .map((one) =>
        one === text ? `Date.parse(${written(place, one)})` : `${before}${receiver(place, one)}${after}`,
      )
      .join(` ${operator} `);
  yield {
    ...replacing(node, compared("", ".getTime()"), "A date is compared by its milliseconds"),
    tried: compared("(", " satisfies Date).getTime()"),
  };
}
