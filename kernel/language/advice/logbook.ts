// Mends what a user of MLflow or Weights & Biases writes of the logbook: the best run, and where a run's results stand.
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

export const LOGBOOK_RULES: readonly Rule[] = [
  // "Property 'x' does not exist on type 'y'.", and the same with a guess.
  { codes: new Set([2339, 2551, 2570]), offer: ofLogbook },
  // "Object literal may only specify known properties, and 'x' does not exist in type 'y'."
  { codes: new Set([2353, 2561]), offer: resultsOfRun },
];

/** Metrics of which the least is the best. */
const COST = /loss|cost|err|mse|mae|nll|perplexity|latency|time|seconds|ms$|bytes|memory/i;

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
