// What goes wrong between processes: each ends with who failed and where, within its timeout.
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort, type Outcome, Ranks } from "./ranks.ts";

const started: Ranks[] = [];
const kept = async (starting: Promise<Ranks>): Promise<Ranks> => {
  const ranks = await starting;
  started.push(ranks);
  return ranks;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map((ranks) => ranks.stop()));
});

/**
 * What becomes of a client where something else than a store listens. c10d waits for it without end, and is given up 15 s
 * after its timeout: it waits while the other tests run.
 */
let besideAnother: Promise<Outcome<void> | undefined>;
beforeAll(() => {
  besideAnother = connectToAnother();
  besideAnother.catch(() => {});
});
async function connectToAnother(): Promise<Outcome<void> | undefined> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ranks = await Ranks.start(1);
  try {
    const [outcome] = await ranks.run(
      ({ distributed, argument }) =>
        distributed.initProcessGroup({ initMethod: argument, rank: 1, worldSize: 2, timeoutMs: 1000 }),
      `tcp://127.0.0.1:${port}`,
    );
    return outcome;
  } finally {
    server.close();
    await ranks.stop();
  }
}

/** Long enough to connect on a busy machine. */
const TIMEOUT_MS = 6000;
/** A failure is explained within a second of it; the machine may be busy. */
const NEVER_MS = 60_000;

describe("a rank that is gone", () => {
  it("killed: the others name it, and the call", async () => {
    const ranks = await kept(Ranks.connect(3, TIMEOUT_MS));
    ranks.processes[1]!.kill("SIGKILL");
    const outcomes = await ranks.run(
      ({ torch, distributed }) => distributed.allReduce(torch.ones([4])),
      undefined,
      [0, 2],
    );
    for (const [i, { error, ms }] of outcomes.entries()) {
      expect(error?.name).toBe("DistBackendError");
      expect(error?.message).toMatch(
        /^distributed\.allReduce of float32 \[4\] \(call 1 of the group\): rank [02] of 3: (a connection to another rank was closed|nothing came from another rank within 6000 ms)\. No word from ranks? 1/,
      );
      expect(error?.rank).toBe([0, 2][i]);
      expect(error?.silentRanks).toContain(1);
      expect(ms).toBeLessThan(NEVER_MS);
    }
  });

  it("stopped by SIGSTOP: the others end after the timeout, and name it", async () => {
    const ranks = await kept(Ranks.connect(3, TIMEOUT_MS));
    ranks.processes[2]!.kill("SIGSTOP");
    const outcomes = await ranks.run(({ distributed }) => distributed.barrier(), undefined, [0, 1]);
    for (const { error } of outcomes) {
      expect(error?.name).toBe("DistBackendError");
      expect(error?.message).toMatch(/No word from ranks? .*2/);
      expect(error?.silentRanks).toContain(2);
    }
  });

  it("the one that keeps the store: the others say so", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    ranks.processes[0]!.kill("SIGKILL");
    const [outcome] = await ranks.run(({ distributed }) => distributed.barrier(), undefined, [1]);
    expect(outcome?.error?.message).toMatch(
      /^distributed\.barrier \(call 1 of the group\): rank 1 of 2: .* The store at 127\.0\.0\.1:\d+ does not answer: the process that keeps it, rank 0 or the launcher, has ended or is stopped\.$/,
    );
  });

  it("is told by an awaited operation too", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    ranks.processes[1]!.kill("SIGKILL");
    const [outcome] = await ranks.run(
      ({ torch, distributed }) => distributed.irecv(torch.zeros([2]), 1).getFuture(),
      undefined,
      [0],
    );
    expect(outcome?.error?.message).toMatch(/^distributed\.irecv of float32 \[2\].*No word from rank 1/);
  });

  it("in backward: the others name it", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    const dying = ranks.run(({ torch, nn, distributed, rank }) => {
      const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(4, 2));
      const loss = ddp(torch.ones([1, 4])).sum();
      distributed.barrier();
      if (rank === 1) process.kill(process.pid, "SIGKILL");
      loss.backward();
    });
    const [outcome, killed] = await dying;
    expect(killed?.ended).toBe("SIGKILL");
    expect(outcome?.error?.message).toMatch(/^backward: rank 0 of 2: .* No word from rank 1/);
  });
});

describe("a gradient that is not finite", () => {
  it("on one rank: with checkGradients all say on which, and of what parameter", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    const outcomes = await ranks.run(({ torch, nn, rank }) => {
      const model = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 1));
      const ddp = new nn.parallel.DistributedDataParallel(model, { checkGradients: true });
      ddp(torch.full([1, 2], rank === 1 ? NaN : 0.5))
        .sum()
        .backward();
    });
    expect(outcomes[1]?.error?.message).toBe(
      "backward: the gradient of 1.weight is not finite on rank 1: look at its batch and loss, or lower the learning rate; autograd.detectAnomaly finds the operator.",
    );
    expect(outcomes[0]?.error?.message).toBe(
      "backward: rank 0 of 2: nothing came from another rank within 6000 ms. Meanwhile rank 1 was in backward, where the gradient of 1.weight is not finite.",
    );
  });
});

describe("ranks that do not fit together", () => {
  it("of other numbers of processes: all say which", async () => {
    const ranks = await kept(Ranks.start(2));
    const outcomes = await ranks.run(({ distributed, rank }) =>
      distributed.initProcessGroup({ worldSize: rank === 0 ? 3 : 2, timeoutMs: 6000 }),
    );
    expect(outcomes[0]?.error?.message).toMatch(
      /^distributed\.initProcessGroup: rank 0 was started with worldSize 3, but rank 1 \(process \d+ on .*\) with 2: start all with the same number\.$/,
    );
    expect(outcomes[1]?.error?.message).toMatch(/rank 1 was started with worldSize 2, but rank 0 .* with 3/);
  });

  it("the same rank twice: the second is refused", async () => {
    const ranks = await kept(Ranks.start(3, {}));
    const outcomes = await ranks.run(({ distributed, rank }) =>
      distributed.initProcessGroup({ rank: Math.min(rank, 1), worldSize: 3, timeoutMs: 6000 }),
    );
    const messages = outcomes.map(({ error }) => error?.message ?? "");
    expect(messages[0]).toMatch(/rank 0 waited 6000 ms .* of 3 ranks 2 did not come \(0, 1 did\)/);
    expect(messages.filter((text) => text.includes("rank 1 is there already"))).toHaveLength(1);
  });

  it("too few: those that came say which are missing", async () => {
    const ranks = await kept(Ranks.start(1));
    const [outcome] = await ranks.run(({ distributed }) =>
      distributed.initProcessGroup({ worldSize: 3, timeoutMs: 1000 }),
    );
    expect(outcome?.error?.name).toBe("DistStoreError");
    expect(outcome?.error?.message).toMatch(
      /^distributed\.initProcessGroup: rank 0 waited 1000 ms at 127\.0\.0\.1:\d+, and of 3 ranks 1, 2 did not come \(0 did\): start the missing ones, or raise timeoutMs\.$/,
    );
  });

  it("one that comes to the store and no further: the others name it", async () => {
    const ranks = await kept(Ranks.start(2));
    const [waiting, failing] = await ranks.run(({ distributed, rank }) => {
      if (rank === 1) process.env["GLOO_SOCKET_IFNAME"] = "none0";
      distributed.initProcessGroup({ timeoutMs: 3000 });
    });
    expect(failing?.error?.message).toMatch(
      /^distributed\.initProcessGroup: rank 1 of 2 could not connect to the others, though all came to the store: .*none0/,
    );
    expect(waiting?.error?.message).toBe(
      "distributed.initProcessGroup: rank 0 of 2 could not connect to the others within 3000 ms: it waited for rank 1, which came to the store and then no further. That rank has ended, is stopped, or has an error of its own.",
    );
  });

  it("another model: all ranks say so", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    const outcomes = await ranks.run(
      ({ nn, rank }) => void new nn.parallel.DistributedDataParallel(new nn.Linear(4 + rank, 2)),
    );
    for (const { error } of outcomes)
      expect(error?.message).toBe(
        "new nn.parallel.DistributedDataParallel: the ranks have other models. Rank 0 has weight: float32 [2, 4], where rank 1 has weight: float32 [2, 5]: build the same model on all ranks.",
      );
  });

  it("another order of collectives: all ranks say what each of them runs, where they are compared", async () => {
    const ranks = await kept(Ranks.start(2));
    await ranks.values(({ distributed }) =>
      distributed.initProcessGroup({ timeoutMs: 6000, checkCollectives: true }),
    );
    const outcomes = await ranks.run(({ torch, distributed, rank }) => {
      distributed.allReduce(torch.ones([2]));
      if (rank === 0) distributed.allReduce(torch.ones([2]));
      else distributed.broadcast(torch.ones([2]), 0);
    });
    for (const { error } of outcomes)
      expect(error?.message).toMatch(/ALLREDUCE.*BROADCAST|BROADCAST.*ALLREDUCE/s);
  });

  it("another shape: all ranks say so, where they are compared", async () => {
    const ranks = await kept(Ranks.start(2));
    await ranks.values(({ distributed }) =>
      distributed.initProcessGroup({ timeoutMs: 6000, checkCollectives: true }),
    );
    const outcomes = await ranks.run(({ torch, distributed, rank }) =>
      distributed.broadcast(torch.ones([2 + 2 * rank]), 0),
    );
    for (const { error } of outcomes)
      expect(error?.message).toMatch(
        /TensorShape=\[2\].*TensorShape=\[4\]|TensorShape=\[4\].*TensorShape=\[2\]/s,
      );
  });
});

describe("a store that cannot be had", () => {
  it("nobody listens: the client says so after the timeout", async () => {
    const ranks = await kept(Ranks.start(2));
    const [outcome] = await ranks.run(
      ({ distributed }) => distributed.initProcessGroup({ timeoutMs: 1000 }),
      undefined,
      [1],
    );
    expect(outcome?.error?.name).toBe("DistStoreError");
    expect(outcome?.error?.message).toMatch(/no store answers at 127\.0\.0\.1:\d+ within 1000 ms/);
  });

  it("the port is in use: the server says so", async () => {
    const ranks = await kept(Ranks.start(1));
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, resolve));
    const [outcome] = await ranks.run(
      ({ distributed, argument }) =>
        distributed.initProcessGroup({ initMethod: argument, rank: 0, worldSize: 1, timeoutMs: 1000 }),
      `tcp://127.0.0.1:${port}`,
    );
    server.close();
    expect(outcome?.error?.message).toBe(
      `new distributed.TCPStore: the port of 127.0.0.1:${port} is in use by another program: take another port, or end the program that has it.`,
    );
    expect(ranks.output).toBe("");
  });

  it("something else listens there: the client ends within its timeout", async () => {
    const outcome = await besideAnother;
    expect(outcome?.error?.message).toMatch(/no store answers at 127\.0\.0\.1:\d+ within 1000 ms/);
  });
});

describe("a rank that ends well", () => {
  it("leaves no process, and the port is free", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    await ranks.values(({ distributed }) => distributed.destroyProcessGroup());
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.listen(ranks.port, "127.0.0.1", resolve).once("error", reject),
    );
    server.close();
    const codes = ranks.processes.map((child) => new Promise((resolve) => child.once("exit", resolve)));
    for (const child of ranks.processes) child.disconnect();
    expect(await Promise.all(codes)).toEqual([0, 0]);
  });

  it("ends by itself without destroying the group", async () => {
    const ranks = await kept(Ranks.connect(2, TIMEOUT_MS));
    await ranks.values(({ torch, distributed }) => distributed.allReduce(torch.ones([2])));
    const codes = ranks.processes.map((child) => new Promise((resolve) => child.once("exit", resolve)));
    for (const child of ranks.processes) child.disconnect();
    expect(await Promise.all(codes)).toEqual([0, 0]);
  });
});
