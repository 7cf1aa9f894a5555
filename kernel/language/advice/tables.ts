// Mends what a user of pandas or dplyr writes of a table, of its columns or of its groups: the names that they have here. The
// checker decides whether the object is one.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import { callOf, memberAt, type Place, receiver, replacing, type Rule, written } from "./place.ts";

export const TABLE_RULES: readonly Rule[] = [
  // "Property 'x' does not exist on type 'y'.", and the same with a guess.
  { codes: new Set([2339, 2551, 2570]), offer: ofTable },
];

/** Methods that take the same arguments. */
const METHODS: Readonly<Record<string, string>> = {
  dropna: "dropMissing",
  drop_na: "dropMissing",
  dropNa: "dropMissing",
  sort: "sortBy",
  sort_values: "sortBy",
  sortValues: "sortBy",
  orderBy: "sortBy",
  arrange: "sortBy",
  query: "filter",
  where: "filter",
  agg: "aggregate",
  summarize: "aggregate",
  fillna: "fillMissing",
  fillNa: "fillMissing",
  fill_null: "fillMissing",
  fillNull: "fillMissing",
  replace_na: "fillMissing",
  renameColumns: "rename",
  append: "concat",
  vstack: "concat",
  bind_rows: "concat",
  merge: "join",
  assign: "withColumn",
  mutate: "withColumn",
  iloc: "get",
  loc: "get",
  at: "get",
  row: "get",
  record: "get",
  groupby: "groupBy",
  group_by: "groupBy",
};

/** Statistics of a group. */
const STATISTICS = new Set(["mean", "median", "sum", "min", "max", "std"]);

function* ofTable(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node?.property.type !== "Identifier") return;
  const { name } = node.property;
  const object = receiver(place, node.object);
  const call = callOf(place, node);
  const whole = call ?? node;
  const [table, column, groups] = ["groupBy", "categories", "aggregate"].map(
    (method) => `(${object} satisfies { readonly ${method}: unknown })`,
  );
  const instead = (kind: string | undefined, code: string, sentence: string): Candidate => ({
    ...replacing(whole, `${object}${code}`, sentence),
    tried: `${kind}${code}`,
  });
  if (call !== null && Object.hasOwn(METHODS, name)) {
    const method = METHODS[name]!;
    const kind = method === "aggregate" ? groups : table;
    yield instead(kind, `.${method}${place.text.slice(node.end, call.end)}`, `It is called ${method} here`);
  }
  if (name === "shape" && call === null)
    yield {
      ...replacing(
        node,
        `[${object}.length, ${object}.names.length]`,
        "A table has rows and names of columns",
      ),
      tried: `[${table}.length, ${object}.names.length]`,
    };
  if (name === "dtypes" || name === "info" || name === "isna" || name === "isnull")
    yield instead(table, ".columns", "The list of columns shows their kinds and how many values each misses");
  if (name === "drop" && call?.arguments.length === 1)
    yield instead(
      table,
      kept(written(place, call.arguments[0]!), object),
      "A table keeps columns by their names",
    );
  if (name === "unique" && call !== null)
    yield {
      ...replacing(call, `[...new Set(${object}.values())]`, "A set holds each value once"),
      tried: `[...new Set(${column}.values())]`,
    };
  if (/^(?:valueCounts|value_counts|counts)$/.test(name) && call !== null)
    yield instead(column, ".describe()", "The summary of a column of words counts its values");
  if (call !== null && STATISTICS.has(name))
    yield* ofGroups(name, call.arguments, instead.bind(null, groups));
  if (call?.arguments.length === 0 && (name === "count" || name === "size"))
    yield instead(
      groups,
      ".aggregate({ rows: (group) => group.length })",
      "The rows of each group are counted by a function",
    );
  if (call === null) yield instead(table, `.column("${name}")`, "A table gives its columns by their names");
}

const kept = (dropped: string, table: string): string =>
  `.select(${table}.names.filter((name) => ${dropped.startsWith("[") ? `!${dropped}.includes(name)` : `name !== ${dropped}`}))`;

/** `groups.mean("rent")`, and without a name all of them */
function* ofGroups(
  name: string,
  given: readonly Node[],
  instead: (code: string, sentence: string) => Candidate,
): Iterable<Candidate> {
  const columns = given.flatMap((one) =>
    one.type === "Literal" && typeof one.value === "string" ? [one.value] : [],
  );
  const fields = columns.map((column) => `${JSON.stringify(column)}: "${name}"`);
  if (columns.length > 0 && columns.length === given.length)
    yield instead(`.aggregate({ ${fields.join(", ")} })`, "Groups are told what to compute of each column");
  if (given.length === 0) yield instead(".describe()", "The summary of groups has it of every column");
}
