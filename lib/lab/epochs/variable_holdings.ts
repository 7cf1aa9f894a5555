// Compares what the session's variables hold after one flush with what they held after an earlier one. A variable that
// could not be searched completely in time is not compared: what a later search sees in addition need not be new.
import { type HeldTensor, type ListLengths, searchVariables } from "../../torch/engine/held_tensors.ts";
import { native } from "../../torch/engine/native.ts";
import { formatBytes } from "../../units.ts";

export const MAX_NAMED = 3;

/**
 * A variable is named if it holds this share of the growth of memory. The search ends when the named ones hold half of
 * it.
 */
export const NAMED_SHARE = 0.2;
const EXPLAINED_SHARE = 0.5;

/** The memory that one variable holds. */
export interface Holding {
  readonly bytes: number;
  readonly tensors: number;
  /** How many of the tensors have a graph behind them, such as a loss that was computed with gradients. */
  readonly graphs: number;
  /** The length of the longest of these graphs. */
  readonly graphNodes: number;
  readonly largestBytes: number;
  /** The cell that made the tensor with the largest storage. */
  readonly origin: string;
}

/** What the variables hold, and what is allocated in all, after one flush. */
export interface HoldingsSample {
  readonly bytes: number;
  readonly holdings: ReadonlyMap<string, Holding>;
  /** How many values were not looked at in time, by the variable that leads to them. */
  readonly unseen: ReadonlyMap<string, number>;
  readonly lengths: ListLengths;
  /** What was added to lists since the previous sample. */
  readonly later: ReadonlyMap<string, Holding>;
}

export interface Grown {
  /** The variables that hold more than before, the largest first. */
  readonly texts: readonly string[];
  /** Whether these variables explain the growth of memory. */
  readonly explained: boolean;
  readonly unseen: ReadonlyMap<string, number>;
}

/**
 * Returns the memory of each variable. A storage counts for the first variable that leads to it.
 *
 * @param earlier if given, `later` holds what was added to lists since that sample
 */
export function sampleHoldings(bytes: number, budgetMs: number, earlier?: HoldingsSample): HoldingsSample {
  const holdings = new Map<string, Holding>();
  const later = new Map<string, Holding>();
  const storages = new Set<bigint>();
  const { tensors, unseen, lengths } = searchVariables({ budgetMs });
  for (const held of tensors) {
    const { tensor } = held;
    const storage = native.layout(tensor) === "strided" ? native.storage(tensor) : null;
    const isNew = storage !== null && !storages.has(storage.address);
    if (isNew) storages.add(storage.address);
    const ownBytes = isNew ? storage.bytes : 0;
    add(holdings, held, ownBytes);
    if (earlier !== undefined && held.isLaterThan(earlier.lengths)) add(later, held, ownBytes);
  }
  return { bytes, holdings, unseen, lengths, later };
}

function add(found: Map<string, Holding>, { tensor, variable }: HeldTensor, bytes: number): void {
  const known = found.get(variable) ?? NOTHING;
  const graphNodes = native.graphNodes(tensor);
  const isLargest = known.tensors === 0 || bytes > known.largestBytes;
  found.set(variable, {
    bytes: known.bytes + bytes,
    tensors: known.tensors + 1,
    graphs: known.graphs + (graphNodes > 0 ? 1 : 0),
    graphNodes: Math.max(known.graphNodes, graphNodes),
    largestBytes: Math.max(known.largestBytes, bytes),
    origin: isLargest ? native.originOf(tensor) : known.origin,
  });
}

/**
 * Compares two samples. For a variable that was not searched completely in one of them, only what was added to its
 * lists counts.
 */
export function grownSince(before: HoldingsSample, after: HoldingsSample): Grown {
  const unseen = new Map([...before.unseen, ...after.unseen]);
  const wholly = ([name]: readonly [string, Holding]): boolean => !unseen.has(name);
  const partly = [...after.later].filter(([name]) => unseen.has(name));
  const earlier = new Map([...before.holdings].filter(wholly));
  const now = new Map([...[...after.holdings].filter(wholly), ...partly]);
  return { ...grownHoldings(earlier, now, after.bytes - before.bytes), unseen };
}

const NOTHING: Holding = {
  bytes: 0,
  tensors: 0,
  graphs: 0,
  graphNodes: 0,
  largestBytes: 0,
  origin: "",
};

/** The variables that hold more than before, and whether they explain the growth of memory. */
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
    // Then graphs may: no JavaScript tensor owns what a graph holds for its backward pass.
    const longer = changes
      .filter(({ nodes: [from, to] }) => from > 0 && to > from)
      .toSorted((a, b) => b.nodes[1] - a.nodes[1]);
    for (const { name, nodes, origin } of longer)
      texts.push(textOf(name, `its graph grew from ${nodes[0]} to ${nodes[1]} nodes`, origin));
    // As with `losses.push(loss)`: each loss is small, but keeps the activations of its step.
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
