// Mends options that have another name here, or are given by their place already.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import {
  callAround,
  callNear,
  calledWith,
  camelCase,
  nameOf,
  type Place,
  replacing,
  type Rule,
  valueOf,
  written,
} from "./place.ts";

/** "Object literal may only specify known properties, and 'x' does not exist in type 'y'.", also behind other sentences. */
export const OPTION_RULES: readonly Rule[] = [
  { codes: new Set([2353, 2561, 2345, 2769]), offer: optionOf },
  { codes: new Set([2353, 2561, 2559]), offer: ascending },
  { codes: new Set([2353, 2561]), offer: parsedDates },
  { codes: new Set([2353, 2769]), offer: givenTwice },
];

/** Options under other libraries' names: of one function, and of any that has it. */
const OPTIONS: Readonly<Record<string, string>> = {
  // As pandas, Polars and Papa Parse name them.
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
  "sortBy.reverse": "descending",
  "sortBy.desc": "descending",
  // As MLflow and Weights & Biases name them.
  "record.params": "parameters",
  "record.hparams": "parameters",
  "record.hyperparameters": "parameters",
  "record.config": "parameters",
  "record.metrics": "results",
  "record.runName": "name",
  "record.run_name": "name",
  // As Keras and TensorFlow.js name it.
  learningRate: "lr",
  learning_rate: "lr",
  // As matplotlib and seaborn name them.
  xlabel: "xTitle",
  ylabel: "yTitle",
  xLabel: "xTitle",
  yLabel: "yTitle",
  xlim: "xLimits",
  ylim: "yLimits",
  hue: "color",
};

function* optionOf(place: Place): Iterable<Candidate> {
  const { around, start } = place;
  const call = callNear(place);
  if (call === null) return;
  const properties = call.arguments
    .flatMap((one) => (one.type === "ObjectExpression" ? one.properties : []))
    .filter((one) => one.type === "Property");
  const at = around.find((one) => one.type === "Property" && one.key.start === start);
  // TypeScript explains an error by the last form of a call, which may refuse an argument before the options. Then the error
  // is at that argument, and every option is looked at.
  const asked = at?.type === "Property" ? [at] : place.code === NO_OVERLOAD ? properties : [];
  for (const property of asked) {
    const given = written(place, property.key);
    const name = [`${nameOf(call)}.${given}`, given].find((one) => Object.hasOwn(OPTIONS, one));
    const option = name === undefined ? camelCase(given) : OPTIONS[name]!;
    if (option === given) continue;
    const renamed = `${option}: ${written(place, property.value)}`;
    yield replacing(property, renamed, `The option ${given} is called ${option} here`, true);
  }
}

/** `sortBy("rent", { ascending: false })`, `sortBy(["district", "rent"], [true, false])` */
function* ascending(place: Place): Iterable<Candidate> {
  const call = callNear(place);
  const [names, given] = call?.arguments ?? [];
  const turned = given === undefined ? null : descending(place, given);
  if (call !== null && turned !== null && nameOf(call) === "sortBy")
    yield calledWith(place, call, [written(place, names!), turned], "sortBy is told what descends");
}

/** The options of `sortBy` for pandas' `ascending`, by name or by place; null for anything else. */
export function descending(place: Place, given: Node): string | null {
  const value = given.type === "ObjectExpression" ? valueOf(place, given, "ascending") : given;
  if (value === null) return null;
  const list = value.type === "ArrayExpression" ? value.elements : [value];
  const turned = list.map((one) =>
    one?.type === "Literal" && typeof one.value === "boolean" ? String(!one.value) : null,
  );
  if (turned.includes(null)) return null;
  return `{ descending: ${value.type === "ArrayExpression" ? `[${turned.join(", ")}]` : turned[0]} }`;
}

/** `readCsv("flats.csv", { parse_dates: ["built"] })`: dates are found, and a kind is said of the column. */
function* parsedDates(place: Place): Iterable<Candidate> {
  const property = place.around.find((one) => one.type === "Property" && one.key.start === place.start);
  if (property?.type !== "Property" || !/^parse_?[dD]ates$/.test(written(place, property.key))) return;
  if (property.value.type !== "ArrayExpression") return;
  const kinds = property.value.elements.map((one) => `${written(place, one!)}: "date"`);
  yield replacing(property, `types: { ${kinds.join(", ")} }`, "Dates are found, or said by types", true);
}

/** "No overload matches this call." */
const NO_OVERLOAD = 2769;

/** `new optim.Adam(p, { params: p })`: an argument by its place and by its name. Where all are by name, it is known. */
function* givenTwice(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const options = call?.arguments.at(-1);
  if (!call || call.arguments.length < 2 || options?.type !== "ObjectExpression") return;
  const twice = options.properties.find((each) => each.type === "Property" && each.key.start === place.start);
  if (twice?.type !== "Property") return;
  const [before, rest] = [
    call.arguments.slice(0, -1),
    options.properties.filter((each) => each !== twice),
  ].map((each) => each.map((one) => written(place, one)));
  const name = written(place, twice.key);
  yield {
    ...calledWith(
      place,
      call,
      [...before!, ...(rest!.length === 0 ? [] : [`{ ${rest!.join(", ")} }`])],
      `${name} is given by its place already`,
    ),
    tried: calledWith(place, call, [written(place, options)], "").text,
  };
}
