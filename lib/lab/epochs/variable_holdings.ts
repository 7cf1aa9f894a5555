// Compares what the session's variables hold after one flush with what they held after an earlier one. A variable that was
// not looked through in time is not compared: what more was seen of it need not be new.
import { searchVariables } from "../../torch/engine/held_tensors.ts";
import { native } from "../../torch/engine/native.ts";
import { formatBytes } from "../../units.ts";

export const MAX_NAMED = 3;

/** A holder is named if it holds this share of what memory has grown by, and the search ends when the named ones hold half. */
export const NAMED_SHARE = 0.2;
const EXPLAINED_SHARE = 0.5;

/** The memory that one variable holds. */
export interface Holding {
  readonly bytes: number;
  readonly tensors: number;
  /** Tensors with a graph behind them, as a loss that was computed with gradients. */
  readonly graphs: number;
  /** The length of the longest of these graphs. */
  readonly graphNodes: number;
  /** The cell that made the tensor with the largest storage. */
  readonly origin: string;
}

/** What the variables hold, and what is allocated in all, after one flush. */
export interface HoldingsSample {
  readonly bytes: number;
  readonly holdings: ReadonlyMap<string, Holding>;
  /** Values that were not looked at in time, by the variable that leads to them. */
  readonly unseen: ReadonlyMap<string, number>;
}

export interface Grown {
  /** The variables that hold more, the largest first. */
  readonly texts: readonly string[];
  /** Whether they explain by how much memory has grown. */
  readonly explained: boolean;
  readonly unseen: ReadonlyMap<string, number>;
}

/** Returns the memory of each variable. A storage counts for the first variable that leads to it. */
export function sampleHoldings(bytes: number, budgetMs: number): HoldingsSample {
  const found = new Map<string, Holding>();
  const storages = new Set<bigint>();
  const largest = new Map<string, number>();
  const { tensors, unseen } = searchVariables({ budgetMs });
  for (const { tensor, variable } of tensors) {
    const known = found.get(variable) ?? {
      bytes: 0,
      tensors: 0,
      graphs: 0,
      graphNodes: 0,
      origin: native.originOf(tensor),
    };
    const storage = native.layout(tensor) === "strided" ? native.storage(tensor) : null;
    const isNew = storage !== null && !storages.has(storage.address);
    if (isNew) storages.add(storage.address);
    const ownBytes = isNew ? storage.bytes : 0;
    const graphNodes = native.graphNodes(tensor);
    found.set(variable, {
      bytes: known.bytes + ownBytes,
      tensors: known.tensors + 1,
      graphs: known.graphs + (graphNodes > 0 ? 1 : 0),
      graphNodes: Math.max(known.graphNodes, graphNodes),
      origin: ownBytes > (largest.get(variable) ?? 0) ? native.originOf(tensor) : known.origin,
    });
    largest.set(variable, Math.max(largest.get(variable) ?? 0, ownBytes));
  }
  return { bytes, holdings: found, unseen };
}

export function grownSince(before: HoldingsSample, after: HoldingsSample): Grown {
  const unseen = new Map([...before.unseen, ...after.unseen]);
  const compared = new Map([...after.holdings].filter(([name]) => !unseen.has(name)));
  return { ...grownHoldings(before.holdings, compared, after.bytes - before.bytes), unseen };
}

const NOTHING: Holding = { bytes: 0, tensors: 0, graphs: 0, graphNodes: 0, origin: "" };

/** The variables that hold more than before, and whether these explain by how much memory has grown. */
export function grownHoldings(
  before: ReadonlyMap<string, Holding>,
  after: ReadonlyMap<string, Holding>,
  grownBytes: number,
): { readonly texts: readonly string[]; readonly explained: boolean } {
  const changes = [...after].map(([name, holding]) => {
    const earlier = before.get(name) ?? NOTHING;
    return {
      name,
      origin: holding.origin,
      bytes: holding.bytes - earlier.bytes,
      tensors: holding.tensors - earlier.tensors,
      graphs: holding.graphs - earlier.graphs,
      nodes: [earlier.graphNodes, holding.graphNodes] as const,
    };
  });
  const heavier = changes
    .filter(({ bytes }) => bytes > 0 && bytes >= NAMED_SHARE * grownBytes)
    .toSorted((a, b) => b.bytes - a.bytes);
  const heldBytes = heavier.reduce((sum, { bytes }) => sum + bytes, 0);
  const texts = heavier.map(({ name, bytes, tensors, origin }) =>
    textOf(name, `${formatBytes(bytes)} more${tensors > 0 ? ` in ${countTensors(tensors)}` : ""}`, origin),
  );
  const explained = heldBytes >= EXPLAINED_SHARE * grownBytes;
  if (!explained) {
    // No JavaScript tensor owns what a graph holds for its backward pass.
    const longer = changes
      .filter(({ nodes: [from, to] }) => from > 0 && to > from)
      .toSorted((a, b) => b.nodes[1] - a.nodes[1]);
    for (const { name, nodes, origin } of longer)
      texts.push(textOf(name, `its graph grew from ${nodes[0]} to ${nodes[1]} nodes`, origin));
    // `losses.push(loss)`: each loss is small, and keeps the activations of its step.
    const more = changes.filter(({ graphs }) => graphs > 0).toSorted((a, b) => b.graphs - a.graphs);
    for (const { name, graphs, origin } of more)
      texts.push(
        textOf(
          name,
          `${graphs} more ${graphs === 1 ? "tensor with its graph" : "tensors with their graphs"}`,
          origin,
        ),
      );
    return { texts: texts.slice(0, MAX_NAMED), explained: longer.length + more.length > 0 };
  }
  return { texts: texts.slice(0, MAX_NAMED), explained };
}

/** `not looked at: 1,250,000 values of records` */
export function unseenText(unseen: ReadonlyMap<string, number>): string {
  const shown = [...unseen]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MAX_NAMED)
    .map(
      ([name, values]) => `${values.toLocaleString("en-US")} ${values === 1 ? "value" : "values"} of ${name}`,
    );
  return `not looked at: ${shown.join(", ")}`;
}

const textOf = (name: string, what: string, origin: string): string =>
  `${name} (${what}${origin === "" ? "" : `, of ${origin}`})`;

export const countTensors = (count: number): string => (count === 1 ? "1 tensor" : `${count} tensors`);
