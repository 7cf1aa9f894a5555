// Looks for what holds the memory that a loop leaves behind. First it looks at the session's variables, by what more
// they hold after the next epoch. If no variable explains the growth, it looks at the lines that made tensors which are
// alive an epoch later.
import { native, type RetainedByOrigin } from "../../torch/engine/native.ts";
import { tensorsOfVariables } from "../../torch/engine/held_tensors.ts";
import { formatBytes } from "../../units.ts";
import { traceOrigins, type TracedOrigins } from "../core/traced_origins.ts";

const MAX_NAMED = 3;

/** Epochs that are traced at most. */
const MAX_TRACES = 4;

/** A holder is named if it holds this share of what memory has grown by, and the search ends when the named ones hold half. */
const NAMED_SHARE = 0.2;
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

/** The longest graph behind a tensor, and where that tensor was made. */
export interface LongestGraph {
  readonly origin: string;
  readonly graphNodes: number;
}

/** What the variables hold, and what is allocated in all, after one flush. */
interface Sample {
  readonly bytes: number;
  readonly holdings: ReadonlyMap<string, Holding>;
}

type Stage =
  /** Holdings were taken at the first complete flush: a short loop may end before they can be compared epoch by epoch. */
  | { readonly name: "waiting"; readonly first: Sample | null }
  /** Holdings were taken after one epoch, and are compared after the next. */
  | { readonly name: "comparing"; readonly before: Sample }
  /** The epoch that runs marks its tensors with their lines. */
  | { readonly name: "tracing"; readonly bytes: number; readonly traced: TracedOrigins }
  /** The epoch after that runs: what is still alive at its end is kept. */
  | {
      readonly name: "outliving";
      readonly bytes: number;
      readonly lines: ReadonlySet<string>;
      readonly longest: LongestGraph;
    }
  | { readonly name: "done" };

/** The search of one loop. It runs once and takes up to nine epochs after the first sign of growth. */
export class GrowthSearch {
  #stage: Stage = { name: "waiting", first: null };
  #holders: readonly string[] = [];
  #traces = 0;

  /** Whether the search is under way, so that the next flush must be a complete one. */
  get needsCompleteFlush(): boolean {
    return this.#stage.name !== "waiting" && this.#stage.name !== "done";
  }

  /**
   * The variables that hold the memory, the largest first: `losses (8 MiB more in 1 tensor of Cell [3])`. Empty until
   * the search has found them.
   */
  get holders(): readonly string[] {
    return this.#holders;
  }

  /** Takes the state after a complete flush. @param isRising whether memory grows or climbs, by the samples so far */
  flushed(allocatedBytes: number, isRising: () => boolean): void {
    const stage = this.#stage;
    switch (stage.name) {
      case "waiting": {
        if (stage.first === null) this.#stage = { name: "waiting", first: sample(allocatedBytes) };
        else if (isRising()) {
          const now = sample(allocatedBytes);
          this.#holders = grownSince(stage.first, now).texts;
          this.#stage = { name: "comparing", before: now };
        }
        return;
      }
      case "comparing": {
        const found = grownSince(stage.before, sample(allocatedBytes));
        this.#holders = found.texts;
        this.#stage = found.explained
          ? { name: "done" }
          : { name: "tracing", bytes: allocatedBytes, traced: traceOrigins() };
        return;
      }
      case "tracing": {
        stage.traced.stop();
        const longest = longestGraph(native.retainedByOrigin());
        this.#stage = { name: "outliving", bytes: stage.bytes, lines: stage.traced.lines, longest };
        return;
      }
      case "outliving": {
        const grownBytes = allocatedBytes - stage.bytes;
        const survivors = survivorsOf(native.retainedByOrigin(), stage.lines, grownBytes, stage.longest);
        this.#holders = [...this.#holders, ...survivors].slice(0, MAX_NAMED);
        // Marking stays cheap because not every call is marked.
        this.#stage =
          survivors.length === 0 && ++this.#traces < MAX_TRACES
            ? { name: "tracing", bytes: allocatedBytes, traced: traceOrigins() }
            : { name: "done" };
        return;
      }
      case "done":
    }
  }

  /** Ends the search with the loop, however that ended. */
  stop(): void {
    if (this.#stage.name === "tracing") this.#stage.traced.stop();
    this.#stage = { name: "done" };
  }
}

const sample = (bytes: number): Sample => ({ bytes, holdings: holdings() });

const grownSince = (before: Sample, after: Sample) =>
  grownHoldings(before.holdings, after.holdings, after.bytes - before.bytes);

/** Returns the memory of each variable. A storage counts for the first variable that leads to it. */
function holdings(): Map<string, Holding> {
  const found = new Map<string, Holding>();
  const storages = new Set<bigint>();
  let largestBytes = 0;
  let latest = "";
  for (const { tensor, variable } of tensorsOfVariables()) {
    if (variable !== latest) largestBytes = 0;
    latest = variable;
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
    const bytes = isNew ? storage.bytes : 0;
    const graphNodes = native.graphNodes(tensor);
    found.set(variable, {
      bytes: known.bytes + bytes,
      tensors: known.tensors + 1,
      graphs: known.graphs + (graphNodes > 0 ? 1 : 0),
      graphNodes: Math.max(known.graphNodes, graphNodes),
      origin: bytes > largestBytes ? native.originOf(tensor) : known.origin,
    });
    largestBytes = Math.max(largestBytes, bytes);
  }
  return found;
}

const NOTHING: Holding = { bytes: 0, tensors: 0, graphs: 0, graphNodes: 0, origin: "" };

/** The variables that hold more than before, and whether they explain by how much memory has grown. */
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

const textOf = (name: string, what: string, origin: string): string =>
  `${name} (${what}${origin === "" ? "" : `, of ${origin}`})`;

/**
 * Tensors made in the traced epoch that are alive at the end of the next: a closure, a module or a package holds them.
 * If there are none, a graph that is longer than at the end of the traced epoch.
 */
export function survivorsOf(
  retained: readonly RetainedByOrigin[],
  lines: ReadonlySet<string>,
  grownBytes: number,
  longest: LongestGraph,
): string[] {
  const survivors = retained
    .filter(({ origin, bytes }) => lines.has(origin) && bytes > 0 && bytes >= NAMED_SHARE * grownBytes)
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(
      ({ origin, bytes, tensors, largest }) =>
        `${countTensors(tensors)} made at ${origin} (${formatBytes(bytes)} in all, the largest ${largest})`,
    );
  if (survivors.length > 0) return survivors;
  const { graphNodes } = longestGraph(retained);
  if (graphNodes <= longest.graphNodes) return [];
  const where = longest.origin === "" ? "" : ` made at ${longest.origin}`;
  return [`the graph behind a tensor${where} (it grew from ${longest.graphNodes} to ${graphNodes} nodes)`];
}

function longestGraph(retained: readonly RetainedByOrigin[]): LongestGraph {
  return retained.reduce<LongestGraph>(
    (longest, made) => (made.graphNodes > longest.graphNodes ? made : longest),
    { origin: "", graphNodes: 0 },
  );
}

const countTensors = (count: number): string => (count === 1 ? "1 tensor" : `${count} tensors`);
