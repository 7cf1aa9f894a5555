// Tests the search for the tensors that variables hold: its order, its paths, the end of its time, and that it runs no code
// of the user. The clock counts how often it is read, so no assertion depends on the machine.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSession, type Session } from "../../../../lib/session.ts";
import { searchVariables, type SearchLimits } from "../../../../lib/torch/engine/held_tensors.ts";
import { nn, torch } from "../../../../lib/index.ts";

const stopFlag = new Int32Array(1);
let variables: Record<string, unknown> = {};
beforeAll(() => {
  torch.zeros([1]);
  installSession({ stopFlag, variables: () => Object.entries(variables) } as unknown as Session);
});
// Other files share this process, and have no session.
afterAll(() => installSession(null as unknown as Session));

/** One tick at each reading. */
function ticks(): () => number {
  let now = 0;
  return () => now++;
}

function search(held: Record<string, unknown>, limits: SearchLimits = { budgetMs: 10_000, nowMs: ticks() }) {
  variables = held;
  const { tensors, unseen } = searchVariables(limits);
  return { paths: [...tensors].map(({ path }) => path), unseen: Object.fromEntries(unseen) };
}

const records = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ i, name: `record ${i}`, tags: [i] }));

describe("tensors of variables", () => {
  it("are found in lists, Maps, Sets, records and modules, with their paths", () => {
    const key = torch.zeros([1]);
    expect(
      search({
        model: new nn.Sequential(new nn.Linear(2, 1)),
        losses: [1, torch.zeros([1]), [torch.zeros([2])]],
        cache: new Map<unknown, unknown>([
          ["a", torch.zeros([1])],
          [key, 1],
        ]),
        kept: new Set([torch.zeros([1])]),
        best: { state: { weight: torch.zeros([1]) } },
      }).paths.toSorted(),
    ).toEqual([
      "best.state.weight",
      "cache",
      'cache.get("a")',
      "kept",
      "losses[1]",
      "losses[2][0]",
      "model.0.bias",
      "model.0.weight",
    ]);
  });

  it("of a list beside a million records are found when the time is over long before the records are", () => {
    const limits = { budgetMs: 20, nowMs: ticks() };
    const found = search(
      { data: records(1_000_000), kept: [torch.zeros([1])], state: { list: [torch.ones([1])] } },
      limits,
    );
    expect(found.paths).toEqual(["kept[0]", "state.list[0]"]);
    expect(Object.keys(found.unseen)).toEqual(["data"]);
    expect(found.unseen["data"]).toBeGreaterThan(950_000);
  });

  it("and beside them in one object are found as soon", () => {
    const limits = { budgetMs: 20, nowMs: ticks() };
    const state = { data: records(1_000_000), history: { kept: [torch.zeros([1])] } };
    expect(search({ state }, limits).paths).toEqual(["state.history.kept[0]"]);
  });

  it("are looked for among ten million numbers and a row of texts to the end", () => {
    const numbers = Array.from({ length: 10_000_000 }, (_, i) => i / 2);
    const mixed: unknown[] = [...numbers.slice(0, 100_000), torch.zeros([1])];
    const rows = Array.from({ length: 1000 }, () => Array.from({ length: 784 }, (_, i) => i));
    const texts = new Map(rows.map((_, i) => [`text ${i}`, "word"]));
    expect(search({ numbers, rows, texts, mixed })).toEqual({ paths: ["mixed[100000]"], unseen: {} });
  });

  it("are looked for by keys in an array of holes", () => {
    const sparse: unknown[] = [];
    sparse[7] = torch.zeros([1]);
    sparse[4_000_000_000] = 2;
    expect(search({ sparse })).toEqual({ paths: ["sparse[7]"], unseen: {} });
  });

  it("are found at the end of a chain of any length, whose path is cut", () => {
    let chain: object = { tensor: torch.zeros([1]) };
    for (let i = 0; i < 100_000; i++) chain = { next: chain };
    expect(search({ chain }).paths).toEqual(["chain.next.next.next.next ... .next.next.next.tensor"]);
  });

  it("are each named once, also in a cycle", () => {
    const node: Record<string, unknown> = { tensor: torch.zeros([1]) };
    node["self"] = node;
    expect(search({ node, again: [node, node["tensor"]] }).paths).toEqual(["node.tensor"]);
  });
});

it("a tensor that was added to a long list, in a record too, is found first and known to be later", () => {
  const rows: unknown[] = records(1_000_000);
  const log = [torch.zeros([1])];
  variables = { state: { rows, log } };
  const limits = { budgetMs: 20, nowMs: ticks() };
  const before = searchVariables(limits);
  expect([...before.tensors].map((held) => held.path)).toEqual(["state.log[0]"]);
  rows.push({ loss: torch.zeros([1]) });
  log.push(torch.zeros([1]));
  const after = searchVariables({ budgetMs: 20, nowMs: ticks() });
  expect([...after.tensors].map((held) => [held.path, held.isLaterThan(before.lengths)])).toEqual([
    ["state.log[0]", false],
    ["state.log[1]", true],
    ["state.rows[1000000].loss", true],
  ]);
});

describe("the search", () => {
  it("runs no getter, no proxy trap and no iterator of the user's", () => {
    const refuse = (): never => {
      throw new Error("code of the user ran");
    };
    const watched = Array.from({ length: 2000 });
    for (const index of watched.keys()) Object.defineProperty(watched, index, { get: refuse });
    class Own extends Map<string, unknown> {
      override [Symbol.iterator] = refuse;
      override entries = refuse;
      override get size(): number {
        return refuse();
      }
    }
    const proxy = new Proxy(
      {},
      { get: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
    );
    expect(
      search({
        watched,
        proxies: [proxy],
        proxy,
        computed: {
          get loss() {
            return refuse();
          },
        },
        own: new Own([["a", torch.zeros([1])]]),
      }).paths,
    ).toEqual(['own.get("a")']);
  });

  it("ends where the user stops the cell, and tells what is left", () => {
    stopFlag[0] = 1;
    const { unseen } = search({ data: records(100_000) });
    stopFlag[0] = 0;
    expect(unseen["data"]).toBeGreaterThan(90_000);
  });

  it("lists a million keys once, and not again where that takes longer than it has", () => {
    const table = Object.fromEntries(records(100_000).map((record) => [record.name, record.i]));
    expect(search({ table }).unseen).toEqual({});
    expect(search({ table }, { budgetMs: 20, nowMs: ticks() })).toEqual({
      paths: [],
      unseen: { table: 100_000 },
    });
    expect(search({ table }).unseen).toEqual({});
  });
});
