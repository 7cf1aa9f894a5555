// Looks for what holds the memory that a loop leaves behind. First it compares what the session's variables hold with
// what they hold an epoch later. If no variable explains the growth, it compares which cells made the tensors that are
// alive now with those at first. Then it finds the lines that made tensors which are still alive an epoch later.
import { native, type RetainedByOrigin } from "../../torch/engine/native.ts";
import { formatBytes } from "../../units.ts";
import {
  countTensors,
  type Grown,
  grownSince,
  type HoldingsSample,
  MAX_NAMED,
  NAMED_SHARE,
  sampleHoldings,
  unseenText,
} from "./variable_holdings.ts";
import { traceOrigins, type TracedOrigins } from "../core/traced_origins.ts";

/** At most this many epochs are traced. */
const MAX_TRACES = 4;

/** The longest graph behind a tensor, and where that tensor was made. */
export interface LongestGraph {
  readonly origin: string;
  readonly graphNodes: number;
}

/** What the variables held at the loop's first complete flush, and which cells had made the tensors alive then. */
interface First {
  readonly held: HoldingsSample;
  readonly made: readonly RetainedByOrigin[];
}

type Stage =
  /**
   * Holdings were sampled at the first complete flush, because a short loop may end before they can be compared epoch
   * by epoch.
   */
  | { readonly name: "waiting"; readonly first: First | null }
  /** Holdings were sampled after one epoch, and are compared after the next. */
  | { readonly name: "comparing"; readonly before: HoldingsSample }
  /** The running epoch marks its tensors with the lines that make them. */
  | { readonly name: "tracing"; readonly bytes: number; readonly traced: TracedOrigins }
  /**
   * The epoch after the traced one is running: traced tensors that are still alive at its end have outlived their
   * epoch.
   */
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
  #grown: Grown = { texts: [], explained: false, unseen: new Map() };
  #survivors: readonly string[] = [];
  #madeSince: readonly string[] = [];
  #traces = 0;

  /** Whether the search is under way, so that the next flush must be a complete one. */
  get needsCompleteFlush(): boolean {
    return this.#stage.name !== "waiting" && this.#stage.name !== "done";
  }

  /**
   * The variables that hold the memory, the largest first: `losses (8 MiB more in 1 tensor of Cell [3])`. Empty until
   * the search has found some, or could not look at every value.
   */
  get holders(): readonly string[] {
    const { texts, explained, unseen } = this.#grown;
    const made = this.#survivors.length > 0 ? this.#survivors : this.#madeSince;
    if (explained) return texts;
    if (unseen.size === 0)
      return [...texts, ...(texts.length > 0 ? this.#survivors : made)].slice(0, MAX_NAMED);
    const lines = made.map((one) => `something that was not found, in ${one}`);
    const named = [...texts, ...lines].slice(0, MAX_NAMED);
    return [...(named.length === 0 ? ["something that was not found"] : named), unseenText(unseen)];
  }

  /**
   * Takes the state after a complete flush.
   *
   * @param isRising whether memory grows or climbs, by the samples so far
   * @param budgetMs how long the variables may be searched: more once memory is known to rise
   */
  flushed(allocatedBytes: number, isRising: () => boolean, budgetMs: (rising: boolean) => number): void {
    const stage = this.#stage;
    switch (stage.name) {
      case "waiting": {
        const { first } = stage;
        if (first === null) {
          const held = sampleHoldings(allocatedBytes, budgetMs(false));
          this.#stage = { name: "waiting", first: { held, made: native.retainedByOrigin() } };
        } else if (isRising()) {
          const now = sampleHoldings(allocatedBytes, budgetMs(true), first.held);
          this.#grown = grownSince(first.held, now);
          this.#madeSince = madeSince(first.made, native.retainedByOrigin(), now.bytes - first.held.bytes);
          this.#stage = { name: "comparing", before: now };
        }
        return;
      }
      case "comparing": {
        this.#grown = grownSince(stage.before, sampleHoldings(allocatedBytes, budgetMs(true), stage.before));
        this.#stage = this.#grown.explained
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
        this.#survivors = survivors;
        // Without survivors another epoch is traced: to stay cheap, tracing does not mark every call, so it may have
        // missed them.
        this.#stage =
          survivors.length === 0 && ++this.#traces < MAX_TRACES
            ? { name: "tracing", bytes: allocatedBytes, traced: traceOrigins() }
            : { name: "done" };
        return;
      }
      case "done":
    }
  }

  /** Ends the search with the loop, whichever way the loop ended. */
  stop(): void {
    if (this.#stage.name === "tracing") this.#stage.traced.stop();
    this.#stage = { name: "done" };
  }
}

/**
 * Tensors made in the traced epoch that are alive at the end of the next: a closure, a module or a package holds them.
 * If there are none, returns a graph that is longer than at the end of the traced epoch.
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

/**
 * The cells that made more of what is alive than at first. For a tensor that a closure holds, nothing more can be said
 * in a loop that ends before its lines are traced.
 */
function madeSince(
  first: readonly RetainedByOrigin[],
  now: readonly RetainedByOrigin[],
  grownBytes: number,
): string[] {
  const earlier = new Map(first.map((made) => [made.origin, made]));
  return now
    .map(({ origin, bytes, tensors }) => ({
      origin,
      bytes: bytes - (earlier.get(origin)?.bytes ?? 0),
      tensors: tensors - (earlier.get(origin)?.tensors ?? 0),
    }))
    .filter(({ origin, bytes }) => origin !== "" && bytes > 0 && bytes >= NAMED_SHARE * grownBytes)
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(
      ({ origin, bytes, tensors }) =>
        `${tensors > 0 ? countTensors(tensors) : "tensors"} made in ${origin} (${formatBytes(bytes)} more), to which no variable leads: a closure, a private field or a package`,
    );
}

function longestGraph(retained: readonly RetainedByOrigin[]): LongestGraph {
  return retained.reduce<LongestGraph>(
    (longest, made) => (made.graphNodes > longest.graphNodes ? made : longest),
    { origin: "", graphNodes: 0 },
  );
}
