// Mends what a user of pandas computes with whole columns: arithmetic, several statistics of one, several names that stand in one
// list, a join of columns of two names, and a plot of groups.
import type { Node } from "oxc-parser";
import { isIdentifier } from "../../../lib/typescript/identifiers.ts";
import { walk } from "../../../lib/typescript/walk.ts";
import type { Candidate } from "./advice.ts";
import {
  callAround,
  callNear,
  calledWith,
  callOf,
  memberAt,
  nameOf,
  type Place,
  receiver,
  replacing,
  type Rule,
  written,
} from "./place.ts";

export const COLUMN_RULES: readonly Rule[] = [
  // "The left-hand side of an arithmetic operation must be ...", "Operator '+' cannot be applied to types ..."
  { codes: new Set([2362, 2363, 2365, 2345]), offer: computed },
  // "Property 'x' does not exist on type 'Column<number>'."
  { codes: new Set([2339, 2551]), offer: ofTensor },
  // "Type '"area"' has no properties in common with type ...", "Expected 1-2 arguments, but got 3."
  { codes: new Set([2559, 2345, 2554]), offer: inOneList },
  // "Type 'string[]' is not assignable to type ..."
  { codes: new Set([2322]), offer: severalStatistics },
  // "Object literal may only specify known properties, ..."
  { codes: new Set([2353, 2561, 2345]), offer: joinedByTwoNames },
  // "Argument of type 'Groups<...>' is not assignable ...", "No overload matches this call."
  { codes: new Set([2345, 2769]), offer: plottedGroups },
];

interface ColumnCall {
  readonly node: Node;
  readonly table: string;
  readonly name: string;
}

/** `flats.column("rent")` */
function columnsIn(place: Place, within: Node): ColumnCall[] {
  const found: ColumnCall[] = [];
  walk(within, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return;
    const [name] = node.arguments;
    const isColumn = written(place, node.callee.property) === "column" && node.arguments.length === 1;
    if (isColumn && name?.type === "Literal" && typeof name.value === "string")
      found.push({ node, table: written(place, node.callee.object), name: name.value });
  });
  return found;
}

/** The node's text with other texts in place of some nodes in it. */
function rewritten(place: Place, node: Node, edits: readonly { node: Node; text: string }[]): string {
  let text = written(place, node);
  for (const { node: one, text: other } of edits.toSorted((a, b) => b.node.start - a.node.start))
    text = text.slice(0, one.start - node.start) + other + text.slice(one.end - node.start);
  return text;
}

/** `flats.column("rent") / flats.column("area")`, alone or as the values of a column */
function* computed(place: Place): Iterable<Candidate> {
  const whole = place.around.findLast((one) => one.type === "BinaryExpression");
  if (whole === undefined) return;
  const columns = columnsIn(place, whole);
  const [first] = columns;
  if (first === undefined || columns.some(({ table }) => table !== first.table)) return;
  const edits = columns.map(({ node, name }) => ({
    node,
    text: isIdentifier(name) ? `row.${name}` : `row[${JSON.stringify(name)}]`,
  }));
  const values = `(row) => ${rewritten(place, whole, edits)}`;
  const call = callAround(place);
  const isGiven = call !== null && nameOf(call) === "withColumn" && call.arguments.includes(whole as never);
  const sentence = "What is computed of columns is computed of each row";
  yield isGiven
    ? replacing(whole, values, sentence, true)
    : replacing(whole, `${first.table}.withColumn("computed", ${values}).column("computed")`, sentence, true);
}

/** `flats.column("rent").quantile(0.9)` */
function* ofTensor(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  const call = node === null ? null : callOf(place, node);
  if (node === null || call === null) return;
  const object = receiver(place, node.object);
  const given = call.arguments.map((one) =>
    rewritten(
      place,
      one,
      columnsIn(place, one).map((column) => ({
        node: column.node,
        text: `${written(place, column.node)}.toTensor()`,
      })),
    ),
  );
  const rest = `.toTensor().${written(place, node.property)}(${given.join(", ")})`;
  yield {
    ...replacing(call, `${object}${rest}`, "A tensor of the column computes it"),
    tried: `(${object} satisfies { readonly categories: unknown })${rest}`,
  };
}

/** `flats.toTensor("rent", "area")` */
function* inOneList(place: Place): Iterable<Candidate> {
  const call = callNear(place);
  if (call?.type !== "CallExpression" || !/^(?:toTensor|sortBy)$/.test(nameOf(call))) return;
  const names = call.arguments.filter((one) => one.type === "Literal" && typeof one.value === "string");
  if (names.length < 2) return;
  const rest = call.arguments.slice(names.length).map((one) => written(place, one));
  const list = `[${names.map((one) => written(place, one)).join(", ")}]`;
  yield calledWith(place, call, [list, ...rest], `${nameOf(call)} takes several names as one list`);
}

/** `aggregate({ rent: ["mean", "std"] })` */
function* severalStatistics(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const property = place.around.find((one) => one.type === "Property" && one.key.start === place.start);
  if (call === null || nameOf(call) !== "aggregate" || property?.type !== "Property") return;
  const { key, value } = property;
  if (value.type !== "ArrayExpression") return;
  const name = key.type === "Literal" ? String(key.value) : written(place, key);
  const names = value.elements.flatMap((one) =>
    one?.type === "Literal" && typeof one.value === "string" ? [one.value] : [],
  );
  if (names.length < 2 || names.length !== value.elements.length) return;
  const [first, ...others] = names;
  const field = (statistic: string) =>
    `${JSON.stringify(`${name} ${statistic}`)}: (group) => group.column(${JSON.stringify(name)}).${statistic}()`;
  yield replacing(
    property,
    [`${written(place, key)}: ${JSON.stringify(first)}`, ...others.map(field)].join(", "),
    "A column of the result is one statistic",
    true,
  );
}

/** `flats.join(districts, { leftOn: "home", rightOn: "name" })` */
function* joinedByTwoNames(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const [other, options] = call?.arguments ?? [];
  if (call === null || nameOf(call) !== "join" || other === undefined || options?.type !== "ObjectExpression")
    return;
  const named = (pattern: RegExp) =>
    options.properties.find((one) => one.type === "Property" && pattern.test(written(place, one.key)));
  const [left, right] = [named(/^left_?[oO]n$/), named(/^right_?[oO]n$/)];
  if (left?.type !== "Property" || right?.type !== "Property") return;
  const [own, others] = [written(place, left.value), written(place, right.value)];
  const rest = options.properties.filter((one) => one !== left && one !== right);
  const renamed = own === others ? "" : `.rename({ ${others}: ${own} })`;
  yield calledWith(
    place,
    call,
    [
      `${receiver(place, other)}${renamed}`,
      `{ ${[`on: ${own}`, ...rest.map((one) => written(place, one))].join(", ")} }`,
    ],
    "Columns of a join have one name in both tables",
  );
}

/** `lab.plot.box(flats.groupBy("district"), { y: "rent" })` */
function* plottedGroups(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const [groups, options] = call?.arguments ?? [];
  if (call === null || !/^(?:box|points|lines?|plot)$/.test(nameOf(call))) return;
  if (groups?.type !== "CallExpression" || groups.callee.type !== "MemberExpression") return;
  const [field] = groups.arguments;
  if (nameOf(groups) !== "groupBy" || groups.arguments.length !== 1 || field?.type !== "Literal") return;
  const given = options?.type === "ObjectExpression" ? options.properties : [];
  const option = `${nameOf(call) === "box" ? "x" : "color"}: ${written(place, field)}`;
  yield calledWith(
    place,
    call,
    [
      receiver(place, groups.callee.object),
      `{ ${[option, ...given.map((one) => written(place, one))].join(", ")} }`,
    ],
    "A plot takes the table, and the field of its groups by name",
  );
}
