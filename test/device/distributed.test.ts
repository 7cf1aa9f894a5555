// Processes that work together on the device under test: NCCL carries CUDA's tensors, one GPU a process; tensors of
// Metal are copied to the host, where gloo carries them.
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cuda } from "../../lib/index.ts";
import { Ranks } from "../lib/torch/distributed/ranks.ts";
import { device } from "./device_under_test.ts";

const isCuda = device.startsWith("cuda");
const size = isCuda ? Math.min(2, cuda.deviceCount()) : 2;
/** Why some tests are skipped. */
const NEEDS_TWO = size < 2 ? " (needs two GPUs)" : "";
const SIZES = Array.from({ length: size }, (_, rank) => rank);

/** Each process takes its own GPU. */
const connect = async (timeoutMs = 60_000, backend?: "gloo" | "nccl"): Promise<Ranks> => {
  const ranks = await Ranks.start(size);
  await ranks.values(
    ({ distributed, cuda, rank, argument }) => {
      if (argument.device === "cuda") cuda.setDevice(rank);
      distributed.initProcessGroup({
        timeoutMs: argument.timeoutMs,
        ...(argument.backend ? { backend: argument.backend } : {}),
      });
    },
    { device, timeoutMs, backend },
  );
  return ranks;
};

describe(`collectives of ${device}`, () => {
  let ranks: Ranks;
  beforeAll(async () => {
    ranks = await connect();
  });
  afterAll(() => ranks.stop());

  it.skipIf(!isCuda)(isCuda ? "are carried by NCCL" : "NCCL needs an NVIDIA GPU", async () => {
    expect(await ranks.values(({ distributed }) => distributed.getBackend())).toEqual(
      SIZES.map(() => "cpu:gloo,cuda:nccl"),
    );
  });

  it("give what they give on the CPU", async () => {
    const given = await ranks.values(({ torch, distributed, rank, size, argument }) => {
      const of = (device: string): unknown[] => {
        const on = torch.device(device);
        const values = torch
          .arange(4, { dtype: "float32" })
          .add(10 * rank)
          .to(on);
        const results = (["sum", "product", "min", "max"] as const).map((op) => {
          const x = values.clone();
          distributed.allReduce(x, { op });
          return x;
        });
        const sent = values.clone();
        distributed.broadcast(sent, size - 1);
        const whole = torch.zeros([size, 4], { device: on });
        distributed.allGatherIntoTensor(whole, values);
        const list = Array.from({ length: size }, () => torch.zeros([4], { device: on }));
        distributed.allGather(list, values);
        const reduced = values.clone();
        distributed.reduce(reduced, 0);
        const part = torch.zeros([2], { device: on });
        distributed.reduceScatterTensor(
          part,
          torch
            .arange(2 * size, { dtype: "float32" })
            .add(rank)
            .to(on),
        );
        const rows = torch.zeros([size], { device: on });
        distributed.allToAllSingle(
          rows,
          torch
            .arange(size, { dtype: "float32" })
            .add(10 * rank)
            .to(on),
        );
        const gathered =
          rank === 0 ? Array.from({ length: size }, () => torch.zeros([4], { device: on })) : null;
        distributed.gather(values, gathered, 0);
        const scattered = torch.zeros([4], { device: on });
        distributed.scatter(scattered, gathered, 0);
        distributed.barrier();
        return [
          ...results,
          sent,
          whole,
          ...list,
          ...(rank === 0 ? [reduced] : []),
          part,
          rows,
          scattered,
        ].map((tensor) => tensor.cpu().tolist());
      };
      return { here: of(argument), onHost: of("cpu") };
    }, device);
    for (const { here, onHost } of given) expect(here).toEqual(onHost);
  });

  it("go on while other code runs", async () => {
    const given = await ranks.values(async ({ torch, distributed, size, argument }) => {
      const x = torch.ones([1000], { device: torch.device(argument) });
      const work = distributed.allReduce(x, { asyncOp: true });
      await work.getFuture();
      return [work.isCompleted(), x.sum().item() === 1000 * size];
    }, device);
    expect(given).toEqual(SIZES.map(() => [true, true]));
  });

  it.skipIf(size < 2)(`bring messages from rank to rank${NEEDS_TWO}`, async () => {
    const given = await ranks.values(({ torch, distributed, rank, argument }) => {
      const x = torch.full([3], rank + 1, { dtype: "float32", device: torch.device(argument) });
      if (rank === 0) distributed.send(x, 1);
      else distributed.recv(x, 0);
      return x.cpu().tolist();
    }, device);
    expect(given).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
  });
});

describe.skipIf(!isCuda)(isCuda ? "NCCL" : "NCCL needs an NVIDIA GPU", () => {
  it("refuses what it does not carry, and says what to do", async () => {
    const ranks = await connect(60_000, "nccl");
    const messages = await ranks.values(({ torch, distributed, messageOf }) => {
      return [
        messageOf(() => distributed.allReduce(torch.ones([2], { device: "cpu" }))),
        messageOf(() => distributed.recv(torch.ones([2], { device: "cuda" }))),
        messageOf(() => distributed.allReduce(torch.ones([2], { dtype: "int16", device: "cuda" }))),
        messageOf(() =>
          distributed.allGatherIntoTensor(
            torch.ones([2 * distributed.getWorldSize()], { device: "cpu" }),
            torch.ones([2], { device: "cuda" }),
          ),
        ),
      ];
    });
    await ranks.stop();
    expect(messages[0]).toEqual([
      'distributed.allReduce: the backend "nccl" carries tensors of CUDA, and float32 [2] is on cpu: move it with to("cuda"), or connect with { backend: "cpu:gloo,cuda:nccl" }.',
      "distributed.recv: NCCL receives from a rank that is named: pass src.",
      "distributed.allReduce: NCCL does not carry int16 [2]: convert the tensor to another dtype.",
      'distributed.allGatherIntoTensor: the tensors are on cpu and cuda:0: pass tensors of one device, moved with to("cuda:0").',
    ]);
  });

  it("refuses two ranks on one GPU", async () => {
    const ranks = await Ranks.start(2);
    const outcomes = await ranks.run(({ torch, distributed }) => {
      distributed.initProcessGroup({ timeoutMs: 20_000 });
      distributed.allReduce(torch.ones([2], { device: "cuda:0" }));
    });
    await ranks.stop();
    for (const { error } of outcomes)
      expect(error?.message).toMatch(
        /ranks \d and \d use the same GPU, and NCCL wants one for each: call cuda\.setDevice/,
      );
  });

  it("takes the GPU that deviceId names, at once", async () => {
    const ranks = await Ranks.start(size);
    const given = await ranks.values(({ torch, distributed, rank }) => {
      distributed.initProcessGroup({ backend: "nccl", deviceId: `cuda:${rank}`, timeoutMs: 60_000 });
      const x = torch.ones([2], { device: `cuda:${rank}` });
      distributed.allReduce(x);
      const sum = x.cpu().tolist();
      distributed.destroyProcessGroup();
      return sum;
    });
    await ranks.stop();
    expect(given).toEqual(SIZES.map(() => [size, size]));
  });
});

/** What the others are told. */
const told = ({ error }: { readonly error?: { readonly name: string; readonly message: string } }) => [
  error?.name,
  /No word from rank 1: it has ended, is stopped, or works on something else\./.test(error?.message ?? ""),
];

// `test/lib/torch/distributed/failures.test.ts` has the CPU's.
describe.skipIf(device === "cpu" || size < 2)(`a rank that fails on ${device}${NEEDS_TWO}`, () => {
  const TIMEOUT_MS = 5000;

  it.each(["SIGKILL", "SIGSTOP"] as const)("ends the others, which say its number: %s", async (signal) => {
    const ranks = await connect(TIMEOUT_MS);
    await ranks.values(({ torch, distributed, argument }) => {
      distributed.allReduce(torch.ones([4], { device: torch.device(argument) }));
    }, device);
    ranks.processes[1]!.kill(signal);
    const [outcome] = await ranks.run(
      ({ torch, distributed, argument }) => {
        const x = torch.ones([4], { device: torch.device(argument) });
        distributed.allReduce(x);
        return x.cpu().tolist();
      },
      device,
      [0],
    );
    expect(told(outcome!)).toEqual(["DistBackendError", true]);
    // The group ends without the other, and the GPU works on.
    const [after] = await ranks.run(
      ({ torch, distributed, argument }) => {
        distributed.destroyProcessGroup();
        return torch
          .ones([4], { device: torch.device(argument) })
          .sum()
          .item();
      },
      device,
      [0],
    );
    await ranks.stop();
    expect(after).toMatchObject({ value: 4 });
  });

  it("ends the others where it comes too late, and itself when it goes on", async () => {
    const ranks = await connect(TIMEOUT_MS);
    await ranks.values(({ torch, distributed, argument }) => {
      distributed.allReduce(torch.ones([4], { device: torch.device(argument) }));
    }, device);
    const outcomes = await ranks.run(
      async ({ torch, distributed, rank, argument }) => {
        if (rank === 1) await new Promise((resolve) => setTimeout(resolve, argument.timeoutMs * 2));
        const x = torch.ones([4], { device: torch.device(argument.device) });
        // What the other rank has sent may be there, so that the late one fails at its next call.
        for (let call = 0; call < 2; call++) {
          distributed.allReduce(x);
          x.cpu();
        }
      },
      { device, timeoutMs: TIMEOUT_MS },
    );
    await ranks.stop();
    for (const { error } of outcomes) expect(error?.name).toBe("DistBackendError");
  });
});

/** Used megabytes of each GPU, as the driver sees them. */
const usedMegabytes = (): number[] =>
  execFileSync("nvidia-smi", ["--query-gpu=memory.used", "--format=csv,noheader,nounits"], {
    encoding: "utf8",
  })
    .trim()
    .split("\n")
    .map(Number);

it.skipIf(!isCuda)(
  `killed ranks leave no memory of the GPU behind${isCuda ? "" : " (needs one)"}`,
  async () => {
    const before = usedMegabytes();
    const ranks = await connect();
    await ranks.values(({ cuda, torch, distributed }) => {
      const x = torch.ones([512, 1024, 1024], { device: "cuda" });
      distributed.allReduce(x);
      cuda.synchronize();
    });
    const during = usedMegabytes();
    await ranks.stop();
    for (const rank of SIZES) expect(during[rank]! - before[rank]!).toBeGreaterThan(2000);
    await expect.poll(() => usedMegabytes().map((used, at) => used - before[at]! < 50)).not.toContain(false);
  },
);
