// Every collective on three processes, against what it must give.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ranks } from "./ranks.ts";

let ranks: Ranks;
beforeAll(async () => {
  ranks = await Ranks.connect(3);
});
afterAll(() => ranks.stop());

describe("a group of three processes", () => {
  it("knows rank and size", async () => {
    const known = await ranks.values(({ distributed }) => [
      distributed.isAvailable(),
      distributed.isInitialized(),
      distributed.getRank(),
      distributed.getWorldSize(),
      distributed.getBackend(),
      distributed.getProcessGroupRanks(),
    ]);
    expect(known).toEqual([0, 1, 2].map((rank) => [true, true, rank, 3, "gloo", [0, 1, 2]]));
  });

  it.each([
    ["sum", [6, 3]],
    ["product", [6, 1]],
    ["min", [1, 1]],
    ["max", [3, 1]],
  ] as const)("allReduce with %s gives all the combined values", async (op, expected) => {
    const reduced = await ranks.values(({ torch, distributed, rank, argument }) => {
      const x = torch.tensor([rank + 1, 1], { dtype: "float32" });
      distributed.allReduce(x, { op: argument });
      return x.tolist();
    }, op);
    expect(reduced).toEqual([expected, expected, expected]);
  });

  it("allReduce combines bits of integers", async () => {
    const reduced = await ranks.values(({ torch, distributed, rank }) =>
      (["band", "bor", "bxor"] as const).map((op) => {
        const x = torch.tensor([1 << rank, 7], { dtype: "int32" });
        distributed.allReduce(x, { op });
        return x.tolist();
      }),
    );
    expect(reduced[2]).toEqual([
      [0, 7],
      [7, 7],
      [7, 7],
    ]);
  });

  it.each(["float64", "float16", "bfloat16", "int64", "uint8"] as const)(
    "allReduce adds %s",
    async (dtype) => {
      const reduced = await ranks.values(({ torch, distributed, rank, argument }) => {
        const x = torch.full([3], rank + 1, { dtype: argument });
        distributed.allReduce(x);
        return x.to("float32").tolist();
      }, dtype);
      expect(reduced).toEqual([1, 2, 3].map(() => [6, 6, 6]));
    },
  );

  it("broadcast gives all the tensor of one", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const x = torch.full([2, 2], rank, { dtype: "float32" });
      distributed.broadcast(x, 2);
      return x.tolist();
    });
    expect(got).toEqual(
      [0, 1, 2].map(() => [
        [2, 2],
        [2, 2],
      ]),
    );
  });

  it("what a collective writes counts as changed for backward(), but not on the rank that sends it", async () => {
    const messages = await ranks.values(({ torch, distributed, messageOf }) => {
      const received = (receive: (x: ReturnType<typeof torch.ones>) => void) => {
        const x = torch.ones([2]).requiresGrad_();
        const loss = x.square().sum();
        torch.noGrad(() => receive(x.detach()));
        return messageOf(() => loss.backward());
      };
      return [received((x) => distributed.allReduce(x)), received((x) => distributed.broadcast(x, 1))].map(
        (message) => message.includes("was changed in place after it was used"),
      );
    });
    expect(messages).toEqual([
      [true, true],
      [true, false],
      [true, true],
    ]);
  });

  it("reduce gives one the combined values", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const x = torch.full([2], 10 ** rank, { dtype: "float32" });
      distributed.reduce(x, 1);
      return x.tolist();
    });
    expect(got[1]).toEqual([111, 111]);
  });

  it("allGather and allGatherIntoTensor give all the tensors of all", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const list = [0, 1, 2].map(() => torch.zeros([2]));
      distributed.allGather(list, torch.full([2], rank, { dtype: "float32" }));
      const whole = torch.zeros([3, 2]);
      distributed.allGatherIntoTensor(whole, torch.full([1, 2], rank, { dtype: "float32" }));
      return [list.map((x) => x.tolist()), whole.tolist()];
    });
    const rows = [
      [0, 0],
      [1, 1],
      [2, 2],
    ];
    expect(got).toEqual([0, 1, 2].map(() => [rows, rows]));
  });

  it("gather gives one the tensors of all, and scatter all their tensor of one", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const list = rank === 1 ? [0, 1, 2].map(() => torch.zeros([1])) : null;
      distributed.gather(torch.full([1], rank * 2, { dtype: "float32" }), list, 1);
      const part = torch.zeros([1]);
      distributed.scatter(part, list, 1);
      return [list?.map((x) => x.item()) ?? null, part.item()];
    });
    expect(got).toEqual([
      [null, 0],
      [[0, 2, 4], 2],
      [null, 4],
    ]);
  });

  it("reduceScatter and reduceScatterTensor give each its part of the sums", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const part = torch.zeros([2]);
      distributed.reduceScatter(
        part,
        [0, 1, 2].map((to) => torch.full([2], 10 * to + rank, { dtype: "float32" })),
      );
      const rows = torch.zeros([1, 2]);
      distributed.reduceScatterTensor(rows, torch.arange(6, { dtype: "float32" }).reshape([3, 2]).add(rank));
      return [part.tolist(), rows.tolist()];
    });
    expect(got).toEqual([
      [[3, 3], [[3, 6]]],
      [[33, 33], [[9, 12]]],
      [[63, 63], [[15, 18]]],
    ]);
  });

  it("allToAll and allToAllSingle give each a part of each", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const into = [0, 1, 2].map(() => torch.zeros([1]));
      distributed.allToAll(
        into,
        [0, 1, 2].map((to) => torch.full([1], 10 * rank + to, { dtype: "float32" })),
      );
      const rows = torch.zeros([3]);
      distributed.allToAllSingle(rows, torch.tensor([0, 1, 2].map((to) => 10 * rank + to + 0.5)));
      return [into.map((x) => x.item()), rows.tolist()];
    });
    expect(got).toEqual(
      [0, 1, 2].map((to) => [
        [to, 10 + to, 20 + to],
        [to + 0.5, 10.5 + to, 20.5 + to],
      ]),
    );
  });

  it("allToAllSingle takes parts of different lengths", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      // Rank r sends r rows to each.
      const rows = torch.zeros([3]);
      distributed.allToAllSingle(rows, torch.full([3 * rank], rank, { dtype: "float32" }), {
        inputSplitSizes: [rank, rank, rank],
        outputSplitSizes: [0, 1, 2],
      });
      return rows.tolist();
    });
    expect(got).toEqual([0, 1, 2].map(() => [1, 2, 2]));
  });

  it("send and recv carry a tensor, from a rank that is named or from any", async () => {
    const got = await ranks.values(({ torch, distributed, rank }) => {
      const x = torch.zeros([2]);
      if (rank === 0) distributed.send(torch.tensor([1.5, 2.5]), 1);
      if (rank === 1) {
        const from = distributed.recv(x);
        distributed.send(x.mul(2), 2, { tag: 7 });
        return [from, x.tolist()];
      }
      if (rank === 2) return [distributed.recv(x, 1, { tag: 7 }), x.tolist()];
      return [];
    });
    expect(got).toEqual([[], [0, [1.5, 2.5]], [1, [3, 5]]]);
  });

  it("runs asynchronously: other code runs meanwhile, and the results are there after await", async () => {
    const got = await ranks.values(async ({ torch, distributed, rank }) => {
      const x = torch.full([1000], rank, { dtype: "float32" });
      const works = [distributed.allReduce(x, { asyncOp: true }), distributed.barrier({ asyncOp: true })];
      let turns = 0;
      const ticking = setInterval(() => turns++, 1);
      if (rank === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      const next = (rank + 1) % 3;
      const y = torch.zeros([1]);
      works.push(
        distributed.isend(torch.full([1], rank, { dtype: "float32" }), next),
        distributed.irecv(y, (rank + 2) % 3),
      );
      for (const work of works) await work.getFuture();
      clearInterval(ticking);
      return [x.sum().item(), y.item(), works.every((work) => work.isCompleted()), turns > 0];
    });
    expect(got).toEqual([
      [3000, 2, true, true],
      [3000, 0, true, true],
      [3000, 1, true, true],
    ]);
  });

  it("has groups of some ranks", async () => {
    const got = await ranks.values(({ torch, distributed, rank, messageOf }) => {
      const pair = distributed.newGroup([2, 0]);
      const x = torch.full([1], rank + 1, { dtype: "float32" });
      if (rank !== 1) {
        distributed.allReduce(x, { group: pair });
        distributed.broadcast(x, 2, { group: pair });
      }
      const known = [pair.rank(), pair.size(), pair.ranks, distributed.getRank(pair)];
      const refused = messageOf(() => rank === 1 && distributed.barrier({ group: pair }));
      distributed.barrier();
      if (rank !== 1) distributed.destroyProcessGroup(pair);
      return [x.item(), ...known, refused];
    });
    expect(got).toEqual([
      [4, 0, 2, [0, 2], 0, ""],
      [2, -1, 2, [0, 2], -1, "distributed.barrier: this process, rank 1, is not in the group of ranks 0, 2."],
      [4, 1, 2, [0, 2], 1, ""],
    ]);
  });

  it("ends, and begins anew", async () => {
    const between = await ranks.values(({ distributed }) => {
      distributed.destroyProcessGroup();
      return distributed.isInitialized();
    });
    expect(between).toEqual([false, false, false]);
    const again = await ranks.values(({ torch, distributed, rank, port, size }) => {
      distributed.initProcessGroup({
        initMethod: `tcp://127.0.0.1:${port}?rank=${rank}&world_size=${size}`,
        timeoutMs: 60_000,
      });
      const x = torch.full([1], rank, { dtype: "float32" });
      distributed.allReduce(x);
      return x.item();
    });
    expect(again).toEqual([3, 3, 3]);
  });
});

describe("tensors of another device", () => {
  it("go over the host: collectives on simulated Metal", async () => {
    const metal = await Ranks.start(2, { MPSLAB_METAL: "simulated" });
    try {
      const got = await metal.values(async ({ torch, distributed, rank }) => {
        distributed.initProcessGroup({ timeoutMs: 60_000 });
        const x = torch.full([2], rank + 1, { dtype: "float32", device: "mps" });
        distributed.allReduce(x);
        const list = [0, 1].map(() => torch.zeros([1], { device: "mps" }));
        const work = distributed.allGather(list, torch.full([1], rank, { dtype: "float32", device: "mps" }), {
          asyncOp: true,
        });
        await work.getFuture();
        return [x.device, x.tolist(), list.map((part) => part.item())];
      });
      expect(got).toEqual([0, 1].map(() => ["mps", [3, 3], [0, 1]]));
    } finally {
      await metal.stop();
    }
  });
});
