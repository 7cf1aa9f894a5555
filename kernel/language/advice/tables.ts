// Mends what a user of pandas or dplyr writes of a table, of its columns or of its groups: the names that they have here. The
// checker decides whether the object is one.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import {
  callAround,
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

export const TABLE_RULES: readonly Rule[] = [
  // "Property 'x' does not exist on type 'y'.", and the same with a guess.
  { codes: new Set([2339, 2551, 2570]), offer: ofTable },
];

/**
 * `fillMissing(0)`, `rename("rnt", "rent")`, before other rules, which would make options of them. "Argument of type 'number' is
 * not assignable ...", "Expected 1 arguments, but got 2."
 */
export const BY_COLUMN: Rule = { codes: new Set([2345, 2554]), offer: byColumn };

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
    const code = `.${method}${place.text.slice(node.end, call.end)}`;
    const sentence = `It is called ${method} here`;
    // Only a table has fillMissing, whose values may need an advice of their own: the name alone changes.
    if (method === "fillMissing")
      yield { ...replacing(node.property, method, sentence), shown: `${object}${code}` };
    else yield instead(kind, code, sentence);
  }
  if (call !== null && /^corr(?:elation|coef)?$/.test(name))
    yield instead(
      table,
      correlations(object),
      "Correlations are computed of a tensor, of columns of numbers",
    );
  if (call !== null && /^pivot(?:_?table|Table|_wider|Wider)?$/.test(name))
    yield instead(
      table,
      pivoted(place, call.arguments),
      "A table has no pivot; groups of two columns have a row for each pair of their values",
    );
  if (call === null && /^(?:rows|rowCount|nrow|height)$/.test(name))
    yield instead(table, ".length", "A table counts its rows");
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

/** More names make no readable advice. */
const MOST_COLUMNS = 5;

/** `fillMissing(0)`, `aggregate("mean")`, `rename("rnt", "rent")`: one value for all columns would be of the wrong kind in some. */
function* byColumn(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const name = call === null ? "" : nameOf(call);
  const [first, second] = call?.arguments ?? [];
  if (name === "rename" && first?.type === "Literal" && second !== undefined)
    yield calledWith(
      place,
      call!,
      [`{ ${written(place, first)}: ${written(place, second)} }`],
      "rename takes new names by the old ones",
    );
  if (call?.arguments.length !== 1 || (name !== "fillMissing" && name !== "aggregate")) return;
  const [, kind, wanted = ""] =
    /^Argument of type '(?:(string|number|boolean)|[^']*)' is not assignable to parameter of type '([^]*)'/.exec(
      place.message,
    ) ?? [];
  const columns = [...wanted.matchAll(/readonly (\w+|"[^"]*"): (\w+)/g)].flatMap(([, column = "", of]) =>
    of === kind ? [column] : [],
  );
  const value = written(place, call.arguments[0]!);
  const named = columns.length > 0 && columns.length <= MOST_COLUMNS ? columns : [columns[0] ?? "column"];
  yield calledWith(
    place,
    call,
    [`{ ${named.map((column) => `${column}: ${value}`).join(", ")} }`],
    `${name} takes a value for each column, by its name`,
  );
}

const correlations = (table: string): string =>
  `.toTensor(${table}.columns.filter(({ kind }) => kind === "number").map(({ name }) => name)).t().corrcoef()`;

/** `pivot("day", "shop", "sales")`, or by names as in pandas: `{ index: "day", columns: "shop", values: "sales" }`. */
function pivoted(place: Place, given: readonly Node[]): string {
  const [first] = given;
  const named = new Map<string, Node>();
  if (first?.type === "ObjectExpression")
    for (const one of first.properties)
      if (one.type === "Property" && one.key.type === "Identifier") named.set(one.key.name, one.value);
  const [rows, columns, values] = ["index", "columns", "values"].map((name, at) => {
    const node = first?.type === "ObjectExpression" ? named.get(name) : given[at];
    return node?.type === "Literal" ? written(place, node) : `"${name}"`;
  });
  return `.groupBy(${rows}, ${columns}).aggregate({ [${values}]: "mean" })`.replace(/\[("\w+")\]/, "$1");
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
