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
  valueOf,
  written,
} from "./place.ts";
import { counted, OF_GROUPS, ofGroups, statisticOf, STATISTICS } from "./groups.ts";
import { descending } from "./options.ts";

export const TABLE_RULES: readonly Rule[] = [
  // "Property 'x' does not exist on type 'y'.", and the same with a guess.
  { codes: new Set([2339, 2551, 2570]), offer: ofTable },
  // "Object literal may only specify known properties, ..."
  { codes: new Set([2353, 2561]), offer: renamed },
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
    const [names, order] = call.arguments;
    const turned = method === "sortBy" && order !== undefined ? descending(place, order) : null;
    const given =
      turned === null ? place.text.slice(node.end, call.end) : `(${written(place, names!)}, ${turned})`;
    const code = `.${method}${given}`;
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
  if (call === null && name === "rows") yield instead(table, ".records()", "A table gives its records");
  if (name === "shape" && call === null)
    yield {
      ...replacing(
        node,
        `[${object}.length, ${object}.names.length]`,
        "A table has rows and names of columns",
      ),
      tried: `[${table}.length, ${object}.names.length]`,
    };
  const [first] = call?.arguments ?? [];
  if (/^(?:dtypes|info|isna|isnull|isNull)$/.test(name)) {
    const sentence = "The list of columns shows their kinds and how many values each misses";
    // `flats.isna().sum()` as a whole
    const asked = call === null ? null : chained(place, call, "sum");
    for (const one of asked === null ? [whole] : [asked, whole])
      yield { ...replacing(one, `${object}.columns`, sentence), tried: `${table}.columns` };
    if (asked !== null)
      yield {
        ...replacing(asked, `${object}.describe().missing`, "The summary of a column counts what it misses"),
        tried: `${column}.describe().missing`,
      };
  }
  if (call !== null && name === "nunique")
    yield instead(column, ".describe().distinct", "The summary of a column counts its values");
  if (name === "drop" && first !== undefined)
    yield instead(
      table,
      kept(written(place, valueOf(place, first, "columns") ?? first), object),
      "A table keeps columns by their names",
    );
  if (METHODS[name] === "withColumn" && first?.type === "ObjectExpression")
    yield instead(
      table,
      first.properties
        .flatMap((one) => (one.type === "Property" && !one.computed ? [one] : []))
        .map(({ key, value }) => `.withColumn(${quoted(place, key)}, ${written(place, value)})`)
        .join(""),
      "A column is made by its name and a function of the row",
    );
  if (name === "apply" && first !== undefined)
    yield instead(groups, `.aggregate({ value: ${written(place, first)} })`, OF_GROUPS);
  if (/^(?:query|filter)$/.test(name) && first?.type === "Literal" && typeof first.value === "string")
    yield instead(table, `.filter(${predicate(first.value)})`, "A function of the row chooses rows");
  if (/^(?:to_?numpy|toNumpy|values)$/.test(name))
    yield instead(table, numbersOf(object), "A tensor holds columns of numbers");
  if (name === "apply" && call !== null)
    for (const [kind, what] of [
      [table, "table"],
      [column, "column"],
    ])
      yield {
        ...replacing(
          call,
          `[...${object}].map${place.text.slice(node.end, call.end)}`,
          `A list of the ${what} has map`,
        ),
        tried: `[...${kind}].map${place.text.slice(node.end, call.end)}`,
      };
  if (/^(?:iterrows|itertuples)$/.test(name) && call !== null)
    yield instead(
      table,
      name === "iterrows" ? ".records().entries()" : ".records()",
      "A table gives its records",
    );
  if (name === "column") yield* statisticOf(place, call!, object, written(place, first ?? node), OF_GROUPS);
  if (name === "unique" && call !== null)
    yield {
      ...replacing(call, `[...new Set(${object}.values())]`, "A set holds each value once"),
      tried: `[...new Set(${column}.values())]`,
    };
  if (/^(?:valueCounts|value_counts|counts)$/.test(name) && call !== null) yield* counted(place, call);
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
  if (name === "filter" && first?.type === "Literal" && typeof first.value === "string")
    yield calledWith(place, call!, [predicate(first.value)], "A function of the row chooses rows");
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

const numbersOf = (table: string): string =>
  `.toTensor(${table}.columns.filter(({ kind }) => kind === "number").map(({ name }) => name))`;

const correlations = (table: string): string => `${numbersOf(table)}.t().corrcoef()`;

/** `rent > 500 and district == "Mitte"`, as pandas' `query` takes it */
const predicate = (query: string): string =>
  `(row) => ${query.replaceAll(
    /("[^"]*"|'[^']*')|\b(and|or)\b|([A-Za-z_]\w*)|([=!]=)/g,
    (all, text?: string, word?: string, column?: string, sign?: string) =>
      text ?? (word && QUERY_WORDS[word]) ?? (column && `row.${column}`) ?? (sign ? `${sign}=` : all),
  )}`;

const QUERY_WORDS: Readonly<Record<string, string>> = { and: "&&", or: "||" };

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

/** The call of a method on what a call gives: `flats.isna().sum()`; null where there is none. */
function chained({ around, text }: Place, call: Node, method: string): Node | null {
  const [member, outer] = around.slice(around.indexOf(call) + 1);
  if (member?.type !== "MemberExpression" || outer?.type !== "CallExpression") return null;
  return written({ text }, member.property) === method ? outer : null;
}

const quoted = (place: Place, key: Node): string =>
  key.type === "Literal" ? written(place, key) : JSON.stringify(written(place, key));

/** `flats.rename({ columns: { rent: "price" } })` */
function* renamed(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const [first] = call?.arguments ?? [];
  const names = first === undefined ? null : valueOf(place, first, "columns");
  if (call === null || names === null || nameOf(call) !== "rename") return;
  yield calledWith(place, call, [written(place, names)], "rename takes new names by the old ones");
}
