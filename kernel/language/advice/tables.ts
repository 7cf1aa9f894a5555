// Mends what a user of pandas or dplyr writes of a table, of its columns or of its groups: the names that they have here. The
// checker decides whether the object is one.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import {
  callAround,
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
  { codes: new Set([2339, 2551, 2570]), offer: ofLogbook },
  // "Object literal may only specify known properties, and 'x' does not exist in type 'y'."
  { codes: new Set([2353, 2561]), offer: optionOf },
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
  const [given] = call?.arguments ?? [];
  const filled = METHODS[name] === "fillMissing" && given?.type === "Literal";
  if (call !== null && Object.hasOwn(METHODS, name) && !filled) {
    const method = METHODS[name]!;
    const kind = method === "aggregate" ? groups : table;
    yield instead(kind, `.${method}${place.text.slice(node.end, call.end)}`, `It is called ${method} here`);
  }
  // One value for all columns would be of the wrong kind in some.
  if (filled)
    yield instead(
      table,
      `.fillMissing({ column: ${written(place, given)} })`,
      "It is called fillMissing here and takes a value for each column, by its name",
    );
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

/** `lab.logbook.best("accuracy")`: the table of runs is sorted. */
function* ofLogbook(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (
    node?.property.type !== "Identifier" ||
    !/^(?:best|top|get_?[bB]est)(?:_?[rR]un)?$/.test(node.property.name)
  )
    return;
  const object = receiver(place, node.object);
  const call = callOf(place, node);
  const [metric] = call?.arguments ?? [];
  const name = metric?.type === "Literal" ? written(place, metric) : '"loss"';
  const code = `.runs().sortBy(${name}).get(0)`;
  yield {
    ...replacing(
      call ?? node,
      `${object}${code}`,
      "The least of a metric comes first in the sorted table of runs, the greatest with { descending: true }",
    ),
    tried: `(${object} satisfies { readonly draft: unknown })${code}`,
  };
}

/** Options of a function under other libraries' names: those of a CSV file in pandas, Polars and Papa Parse. */
const OPTIONS: Readonly<Record<string, string>> = {
  "readCsv.sep": "delimiter",
  "readCsv.separator": "delimiter",
  "readCsv.delim": "delimiter",
  "readCsv.names": "header",
  "readCsv.columns": "header",
  "readCsv.nrows": "rows",
  "readCsv.n_rows": "rows",
  "readCsv.preview": "rows",
  "readCsv.dtype": "types",
  "readCsv.dtypes": "types",
  "readCsv.schema": "types",
  "readCsv.na_values": "missing",
  "readCsv.naValues": "missing",
  "readCsv.null_values": "missing",
  "readCsv.date_format": "dateFormat",
  "readCsv.comments": "comment",
  // As MLflow and Weights & Biases name them.
  "record.params": "parameters",
  "record.hparams": "parameters",
  "record.hyperparameters": "parameters",
  "record.config": "parameters",
  "record.metrics": "results",
  "record.runName": "name",
  "record.run_name": "name",
};

function* optionOf(place: Place): Iterable<Candidate> {
  const { around, text, start, end } = place;
  const property = around.find((one) => one.type === "Property" && one.key.start === start);
  const call = callAround(place);
  const given = text.slice(start, end);
  const option = call === null ? undefined : OPTIONS[`${nameOf(call)}.${given}`];
  if (property?.type !== "Property" || option === undefined) return;
  const renamed = `${option}: ${written(place, property.value)}`;
  yield replacing(property, renamed, `The option ${given} is called ${option} here`, true);
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
