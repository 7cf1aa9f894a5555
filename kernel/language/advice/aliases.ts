// Mends names under which Python imports its packages: `np.array`, `plt.plot`, `F.relu`, `pd.read_csv`. What they have is in this
// library under its own names; the checker decides whether it is.
import type { Candidate } from "./advice.ts";
import { callOf, camelCase, type Place, replacing, type Rule, written } from "./place.ts";

/** "Cannot find name 'plt'." */
export const ALIAS: Rule = { codes: new Set([2304, 2552]), offer: aliased };

const OWN: Readonly<Record<string, string>> = {
  np: "torch",
  numpy: "torch",
  F: "functional",
  pd: "data",
  plt: "lab.plot",
  sns: "lab.plot",
};

/** Names of members that are other ones here; of `plot`, the function itself. */
const MEMBERS: Readonly<Record<string, string>> = {
  "torch.array": "torch.tensor",
  "torch.concatenate": "torch.cat",
  "data.DataFrame": "new data.Table",
  "lab.plot.plot": "lab.plot",
  "lab.plot.lineplot": "lab.plot",
  "lab.plot.hist": "lab.plot.histogram",
  "lab.plot.histplot": "lab.plot.histogram",
  "lab.plot.bar": "lab.plot.bars",
  "lab.plot.barplot": "lab.plot.bars",
  "lab.plot.boxplot": "lab.plot.box",
  "lab.plot.imshow": "lab.plot.heatmap",
  "lab.plot.scatter": "lab.plot.points",
  "lab.plot.scatterplot": "lab.plot.points",
};

function* aliased(place: Place): Iterable<Candidate> {
  const { around, start, end, text } = place;
  const own = OWN[text.slice(start, end)];
  const node = around.find((one) => one.type === "MemberExpression" && one.object.start === start);
  if (own === undefined || node?.type !== "MemberExpression" || node.computed) return;
  const name = `${own}.${written(place, node.property)}`;
  const call = callOf(place, node);
  for (const member of new Set([MEMBERS[name], camelCase(name), name])) {
    if (member === undefined) continue;
    const sentence = `It is called ${member.replace(/^new /, "")} here`;
    // The name alone changes: arguments may need an advice of their own.
    yield {
      ...replacing(node, member, sentence),
      shown: `${member}${text.slice(node.end, call?.end ?? node.end)}`,
    };
  }
}
