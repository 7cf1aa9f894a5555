// Mends what is asked of the groups of a table, and of what stands in brackets: statistics that are told for each column, rows that are
// counted, kinds and statistics by other names.
import type { Node } from "oxc-parser";
import { isIdentifier } from "../../../lib/typescript/identifiers.ts";
import type { Candidate } from "./advice.ts";
import { type Call, nameOf, type Place, receiver, replacing, type Rule, written } from "./place.ts";

export const GROUP_RULES: readonly Rule[] = [
  // "A table is not indexed by brackets ..."
  { codes: new Set([7052, 7053]), offer: inBrackets },
  // "Type '"int"' is not assignable to type 'ColumnKind'."
  { codes: new Set([2322, 2820]), offer: calledOtherwise },
];

/** Statistics of a group. */
export const STATISTICS = new Set(["mean", "median", "sum", "min", "max", "std"]);

export const OF_GROUPS = "Groups are told what to compute of each column";

/** `flats.column("district").value_counts()`, `flats.value_counts("district")` */
export function* counted(place: Place, call: Call): Iterable<Candidate> {
  if (call.callee.type !== "MemberExpression") return;
  const { object } = call.callee;
  const isColumn = object.type === "CallExpression" && nameOf(object) === "column";
  const [name] = (isColumn ? object : call).arguments;
  if (name === undefined) return;
  const table =
    isColumn && object.callee.type === "MemberExpression" ? object.callee.object : call.callee.object;
  const rest = `.groupBy(${written(place, name)}).aggregate({ rows: (group) => group.length })`;
  yield {
    ...replacing(
      call,
      `${receiver(place, table)}${rest}`,
      "The rows of each group are counted by a function",
    ),
    tried: `(${receiver(place, table)} satisfies { readonly groupBy: unknown })${rest}`,
  };
}

/** `flats["rent"]`, `flats[0]`, `flats.groupBy("district")["rent"].mean()` */
function* inBrackets(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "MemberExpression" && one.computed);
  const sentence = /^[^:]* not indexed by brackets(?=:)/.exec(place.message)?.[0];
  if (node?.type !== "MemberExpression" || sentence === undefined) return;
  const [object, index] = [receiver(place, node.object), written(place, node.property)];
  const parent = place.around[place.around.indexOf(node) + 1];
  if (parent?.type === "AssignmentExpression" && parent.left === node)
    yield replacing(
      parent,
      `${object}.withColumn(${index}, ${ofEachRow(written(place, parent.right), object)})`,
      "A table never changes, and withColumn returns a new one",
      true,
    );
  yield* statisticOf(place, node, object, index, sentence);
  for (const method of ["column", "get"])
    yield replacing(node, `${object}.${method}(${index})`, sentence, true);
}

/** `flats["rent"] * 2`  ->  `(row) => row.rent * 2` */
function ofEachRow(value: string, table: string): string {
  if (value.includes("=>")) return value;
  const columns = /\[("[^"]+")\]|\.column\(("[^"]+")\)/g;
  const fields = value.replaceAll(columns, (all, first?: string, second?: string, at = 0) => {
    const name = (first ?? second)!;
    const isOfTable = value.slice(0, at).endsWith(table);
    return isOfTable ? (isIdentifier(name.slice(1, -1)) ? `.${name.slice(1, -1)}` : `[${name}]`) : all;
  });
  return fields === value
    ? `() => ${value}`
    : `(row) => ${fields.replaceAll(new RegExp(`\\b${table}(?=[.[])`, "g"), "row")}`;
}

/** `.mean()` of a column of groups, which has no columns itself */
export function* statisticOf(
  place: Place,
  column: Node,
  groups: string,
  name: string,
  sentence: string,
): Iterable<Candidate> {
  const at = place.around.indexOf(column);
  const [member, call] = [place.around[at + 1], place.around[at + 2]];
  if (member?.type !== "MemberExpression" || call?.type !== "CallExpression") return;
  const statistic = written(place, member.property);
  if (STATISTICS.has(statistic))
    yield replacing(call, `${groups}.aggregate({ ${name}: "${statistic}" })`, sentence, true);
}

/** Kinds and statistics by other names. */
const WORDS: Readonly<Record<string, string>> = {
  ...words("number", "int integer int32 int64 float float32 float64 double numeric"),
  ...words("string", "str object category text"),
  ...words("date", "datetime datetime64 datetime64[ns] timestamp"),
  ...words("boolean", "bool"),
  ...words("mean", "average avg"),
  ...words("std", "stdev sd"),
  ...words("count", "size n"),
  ...words("min", "minimum"),
  ...words("max", "maximum"),
};

function words(own: string, others: string): Readonly<Record<string, string>> {
  return Object.fromEntries(others.split(" ").map((other) => [other, own]));
}

/** `types: { rent: "int" }`, `aggregate({ rent: "average" })` */
function* calledOtherwise(place: Place): Iterable<Candidate> {
  const property = place.around.find((one) => one.type === "Property" && one.key.start === place.start);
  if (property?.type !== "Property" || property.value.type !== "Literal") return;
  const given = String(property.value.value);
  if (Object.hasOwn(WORDS, given) && /\b(?:ColumnKind|Statistic)\b/.test(place.message))
    yield replacing(property.value, JSON.stringify(WORDS[given]), `It is called ${WORDS[given]} here`);
}

/** `groups.mean("rent")`, and without a name all of them */
export function* ofGroups(
  name: string,
  given: readonly Node[],
  instead: (code: string, sentence: string) => Candidate,
): Iterable<Candidate> {
  const columns = given.flatMap((one) =>
    one.type === "Literal" && typeof one.value === "string" ? [one.value] : [],
  );
  const fields = columns.map((column) => `${JSON.stringify(column)}: "${name}"`);
  if (columns.length > 0 && columns.length === given.length)
    yield instead(`.aggregate({ ${fields.join(", ")} })`, OF_GROUPS);
  if (given.length === 0) yield instead(".describe()", "The summary of groups has it of every column");
}
