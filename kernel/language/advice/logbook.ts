// Mends what a user of MLflow or Weights & Biases writes of the logbook: the best run, and where a run's results stand.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import {
  callAround,
  calledWith,
  callNear,
  callOf,
  memberAt,
  nameOf,
  type Place,
  receiver,
  replacing,
  type Rule,
  written,
} from "./place.ts";

export const LOGBOOK_RULES: readonly Rule[] = [
  // "Property 'x' does not exist on type 'y'.", and the same with a guess.
  { codes: new Set([2339, 2551, 2570]), offer: ofLogbook },
  // "Object literal may only specify known properties, and 'x' does not exist in type 'y'."
  { codes: new Set([2353, 2561]), offer: resultsOfRun },
  // "Type 'string[]' is not assignable to type 'Readonly<Record<string, string>>'."
  { codes: new Set([2322]), offer: namedTags },
  // "Type '"my run"' has no properties in common with type 'RunGiven'.", "Argument of type ... is not assignable ..."
  { codes: new Set([2559, 2345, 2554]), offer: inOneObject },
  // "Argument of type 'RunEntry[]' is not assignable ...", "Argument of type '{ stage: string; }' is not assignable ..."
  { codes: new Set([2345]), offer: chosenRuns },
];

/** Metrics of which the least is the best. */
const COST = /loss|cost|err|mse|mae|nll|perplexity|latency|time|seconds|ms$|bytes|memory/i;

/** `lab.logbook.best("accuracy")`: the table of runs is sorted. */
function* ofLogbook(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node?.property.type !== "Identifier") return;
  const object = receiver(place, node.object);
  const call = callOf(place, node);
  const { name: asked } = node.property;
  const isRun = `(${object} satisfies { readonly filledBy: unknown })`;
  // `run.accuracy`, `run.parameters`
  if (asked === "parameters" || asked === "params")
    yield {
      ...replacing(node, `${object}.fields.parameters`, "A run has it among its fields"),
      tried: `${isRun}.fields.parameters`,
    };
  else
    yield {
      ...replacing(node, `${object}.results.${asked}`, "What a run found stands in its results"),
      tried: `${isRun}.results.${asked}`,
    };
  if (asked === "log" && object.endsWith(".logbook"))
    yield replacing(
      node,
      `${object.slice(0, -".logbook".length)}.log`,
      "An epoch's metrics are logged by lab.log",
    );
  if (asked === "compare" && call !== null)
    yield replacing(
      call,
      `${object}.diff${place.text.slice(node.end, call.end)}`,
      "What differs between two runs is told by diff",
    );
  if (!/^(?:best|top|get_?[bB]est)(?:_?[rR]un)?$/.test(asked)) return;
  const [metric] = call?.arguments ?? [];
  const name = metric?.type === "Literal" ? written(place, metric) : '"loss"';
  const isCost = COST.test(name);
  const code = `.runs().sortBy(${name}${isCost ? "" : ", { descending: true }"}).get(0)`;
  yield {
    ...replacing(
      call ?? node,
      `${object}${code}`,
      isCost
        ? "The least of a metric comes first in the sorted table of runs"
        : "The greatest of a metric comes first in the table of runs that is sorted so",
    ),
    tried: `(${object} satisfies { readonly draft: unknown })${code}`,
  };
}

/** `record({ tags: ["tuned"] })` */
function* namedTags(place: Place): Iterable<Candidate> {
  const property = place.around.find((one) => one.type === "Property" && one.key.start === place.start);
  if (property?.type !== "Property" || written(place, property.key) !== "tags") return;
  if (property.value.type !== "ArrayExpression") return;
  const tags = property.value.elements.map((one) => `${written(place, one!)}: "true"`);
  yield replacing(property.value, `{ ${tags.join(", ")} }`, "A tag has a name, and a word under it", true);
}

/** `record("wide")`, `lab.log("loss", 0.4)` */
function* inOneObject(place: Place): Iterable<Candidate> {
  const call = callNear(place);
  const [first, second] = call?.arguments ?? [];
  if (call === null || first?.type !== "Literal" || typeof first.value !== "string") return;
  if (nameOf(call) === "record")
    yield calledWith(
      place,
      call,
      [`{ name: ${written(place, first)} }`],
      "record takes a run's fields by name",
    );
  if (nameOf(call) === "log" && second !== undefined)
    yield calledWith(
      place,
      call,
      [`{ ${written(place, first)}: ${written(place, second)} }`],
      "log takes each metric by its name",
    );
}

/** `lab.logbook.plot([a, b])`, `lab.logbook.runs({ stage: "tuned" })` */
function* chosenRuns(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const [given] = call?.arguments ?? [];
  if (call === null || given === undefined) return;
  if (nameOf(call) === "plot") {
    const runs = given.type === "ArrayExpression" ? given.elements.map((one) => written(place, one!)) : null;
    yield calledWith(place, call, runs ?? [`...${written(place, given)}`], "plot takes its runs one by one");
  }
  if (nameOf(call) !== "runs" || given.type !== "ObjectExpression") return;
  const tests = given.properties.flatMap((one) =>
    one.type === "Property" ? [`run.${written(place, one.key)} === ${written(place, one.value)}`] : [],
  );
  yield replacing(
    call,
    `${written(place, call.callee)}().filter((run) => ${tests.join(" && ")})`,
    "The table of runs is filtered",
    true,
  );
}

type Property = Extract<Node, { type: "Property" }>;

/** What a run is told besides its results. */
const OF_RUN = new Set(["name", "parameters", "results", "tags", "artifacts", "dataset"]);

/** `record({ accuracy: 0.9 })`, `record({ claim: "..." })`: it goes into the results, or all that has no other place. */
function* resultsOfRun(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const [given] = call?.arguments ?? [];
  if (call === null || nameOf(call) !== "record" || given?.type !== "ObjectExpression") return;
  const properties = given.properties.filter((one) => one.type === "Property");
  if (properties.length !== given.properties.length) return;
  const nameIn = (one: Property) => written(place, one.key);
  const own = properties.find((one) => nameIn(one) === "results");
  if (own !== undefined && own.value.type !== "ObjectExpression") return;
  const inside = own?.value.type === "ObjectExpression" ? own.value.properties : [];
  for (const isMoved of [
    (one: Property) => one.start === place.start,
    (one: Property) => !OF_RUN.has(nameIn(one)),
  ]) {
    const found = [...inside, ...properties.filter(isMoved)];
    const rest = properties.filter((one) => one !== own && !isMoved(one));
    const results = `results: { ${found.map((one) => written(place, one)).join(", ")} }`;
    yield replacing(
      given,
      `{ ${[...rest.map((one) => written(place, one)), results].join(", ")} }`,
      "What a run found stands in its results, and what it was made with in its parameters",
      true,
    );
  }
}
