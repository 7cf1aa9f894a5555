// Tests what is named as the holder of growing memory: variables that hold more, lines whose tensors outlive an epoch,
// graphs that become longer.
import { describe, expect, it } from "vitest";
import { lab, nn, torch } from "../../../../lib/index.ts";
import { survivorsOf } from "../../../../lib/lab/epochs/growth_search.ts";
import {
  grownHoldings,
  grownSince,
  type Holding,
  unseenText,
} from "../../../../lib/lab/epochs/variable_holdings.ts";
import { traceOrigins } from "../../../../lib/lab/core/traced_origins.ts";
import { native } from "../../../../lib/torch/engine/native.ts";
import type { Tensor } from "../../../../lib/torch/tensor/tensor.ts";

const MIB = 2 ** 20;

const holding = (change: Partial<Holding> = {}): Holding => ({
  bytes: 8 * MIB,
  tensors: 4,
  graphs: 0,
  graphNodes: 0,
  largestBytes: 4 * MIB,
  origin: "Cell [2]",
  ...change,
});

describe("variables that hold more than an epoch before", () => {
  const before = new Map([
    ["model", holding()],
    ["losses", holding({ bytes: MIB, tensors: 1 })],
    ["total", holding({ bytes: 512, tensors: 1, graphNodes: 12 })],
  ]);

  it("are named, the largest first, and the others are not", () => {
    const after = new Map([
      ["model", holding()],
      ["losses", holding({ bytes: 3 * MIB, tensors: 3, origin: "Cell [3]" })],
      ["cache", holding({ bytes: 4 * MIB, tensors: 1, origin: "" })],
      ["total", holding({ bytes: 512, tensors: 1, graphNodes: 24 })],
    ]);
    expect(grownHoldings(before, after, 6 * MIB)).toEqual({
      texts: ["cache (4 MiB more in 1 tensor)", "losses (2 MiB more in 2 tensors, of Cell [3])"],
      explained: true,
    });
  });

  it("and do not explain the growth leave it to graphs, whose bytes belong to no tensor", () => {
    const after = new Map([
      ...before,
      ["total", holding({ tensors: 1, graphNodes: 24, bytes: 512 })] as const,
    ]);
    expect(grownHoldings(before, after, 6 * MIB)).toEqual({
      texts: ["total (its graph grew from 12 to 24 nodes, of Cell [2])"],
      explained: true,
    });
  });

  it("and hold more tensors with graphs are named: a list of losses keeps the activations of every step", () => {
    const after = new Map([...before, ["losses", holding({ bytes: MIB, tensors: 21, graphs: 20 })] as const]);
    expect(grownHoldings(before, after, 6 * MIB)).toEqual({
      texts: ["losses (20 more tensors with their graphs, of Cell [2])"],
      explained: true,
    });
  });

  it("are none where something else holds the memory", () => {
    expect(grownHoldings(before, before, 6 * MIB)).toEqual({ texts: [], explained: false });
  });
});

describe("variables that were not looked through in time", () => {
  const sampled = (bytes: number, held: Holding, unseen: readonly (readonly [string, number])[]) => ({
    bytes,
    holdings: new Map([["records", held]]),
    unseen: new Map(unseen),
    lengths: new WeakMap<object, number>(),
    later: new Map<string, Holding>(),
  });
  const left = [["records", 1_250_000]] as const;

  it.each([
    ["before", left, []],
    ["after", [], left],
  ] as const)("%s the epoch are not said to hold more, but named as not looked at", (_, before, after) => {
    const more = holding({ bytes: 12 * MIB, tensors: 5 });
    const grown = grownSince(sampled(8 * MIB, holding(), before), sampled(12 * MIB, more, after));
    expect(grown).toMatchObject({ texts: [], explained: false });
    expect(unseenText(grown.unseen)).toBe("not looked at: 1,250,000 values of records");
  });

  it("are named by what came to their lists since", () => {
    const after = {
      ...sampled(12 * MIB, holding({ bytes: MIB }), left),
      later: new Map([["records", holding({ bytes: 4 * MIB, tensors: 1 })]]),
    };
    expect(grownSince(sampled(8 * MIB, holding(), left), after)).toMatchObject({
      texts: ["records (4 MiB more in 1 tensor, of Cell [2])"],
      explained: true,
    });
  });
});

describe("what was made in a traced epoch and outlives the next", () => {
  const lines = new Set(["Cell [3]:7", "Cell [3]:9"]);
  const retained = { bytes: MIB, tensors: 2, largest: "float32 [512, 256]", graphNodes: 0 };

  it("is named by its line", () => {
    const found = [
      { ...retained, origin: "Cell [3]:7" },
      { ...retained, origin: "Cell [3]:9", bytes: 64 },
      { ...retained, origin: "Cell [3]" },
    ];
    expect(survivorsOf(found, lines, 4 * MIB, { origin: "", graphNodes: 0 })).toEqual([
      "2 tensors made at Cell [3]:7 (1 MiB in all, the largest float32 [512, 256])",
    ]);
  });

  it("may be a graph that is longer by now", () => {
    const found = [{ ...retained, origin: "Cell [3]", bytes: 64, graphNodes: 40 }];
    expect(survivorsOf(found, lines, 4 * MIB, { origin: "Cell [3]:7", graphNodes: 20 })).toEqual([
      "the graph behind a tensor made at Cell [3]:7 (it grew from 20 to 40 nodes)",
    ]);
    expect(survivorsOf(found, lines, 4 * MIB, { origin: "Cell [3]:7", graphNodes: 40 })).toEqual([]);
  });
});

describe("tensors are marked with the line that made them", () => {
  const layer = new nn.Linear(4, 4);
  const input = torch.ones([2, 4]);
  it.each([
    ["by an operator", () => input.add(1)],
    ["by a layer", () => layer(input)],
  ])("%s, and only while they are traced", (_, make) => {
    const traced = traceOrigins();
    const made = make();
    traced.stop();
    expect(native.originOf(made)).toMatch(/growth_search\.test\.ts:\d+$/);
    expect(traced.lines).toEqual(new Set([native.originOf(made)]));
    expect(native.originOf(make())).toBe("");
  });
});

describe("a loop names what holds its memory", () => {
  const holdersOf = (epochs: number, body: (epoch: number) => void): readonly string[] => {
    lab.ledger.clear();
    for (const epoch of lab.epochs(epochs)) body(epoch);
    return [...lab.ledger.holders.values()].flat();
  };

  it("a closure, by the line that made what it holds", () => {
    const kept: Tensor[] = [];
    const remember = () => void kept.push(torch.ones([64, 1024]));
    expect(holdersOf(30, remember)).toEqual([
      expect.stringMatching(
        /^1 tensor made at .*growth_search\.test\.ts:\d+ \(256 KiB in all, the largest float32 \[64, 1024\]\)$/,
      ),
    ]);
  });

  it("a graph behind a scalar", () => {
    const weight = torch.ones([64, 1024]).requiresGrad_();
    let total: Tensor = torch.zeros([]);
    const add = () => void (total = total.add(weight.exp().sum()));
    expect(holdersOf(30, add)).toEqual([
      expect.stringMatching(
        /^the graph behind a tensor made at .*growth_search\.test\.ts:\d+ \(it grew from \d+ to \d+ nodes\)$/,
      ),
    ]);
    expect(total.item()).toBeGreaterThan(0);
  });

  it("nothing, where memory is steady", () => {
    expect(holdersOf(12, () => void torch.ones([64, 1024]).mul(2))).toEqual([]);
  });
});
