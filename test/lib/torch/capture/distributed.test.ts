// A captured step and other processes: a replay would leave them waiting, so both collectives and data parallel refuse.
import { afterAll, beforeAll, expect, it } from "vitest";
import { functional as F, nn, type Tensor, torch } from "../../../../lib/index.ts";

const { distributed } = torch;
let store: InstanceType<typeof distributed.TCPStore>;

beforeAll(() => {
  store = new distributed.TCPStore("127.0.0.1", 0, { isMaster: true });
  distributed.initProcessGroup({ store, rank: 0, worldSize: 1 });
});
afterAll(() => {
  distributed.destroyProcessGroup();
  store.close();
});

it("a collective in a captured step is refused, and works outside of it", () => {
  const x = torch.ones([2]);
  expect(() => torch.capture(() => distributed.allReduce(x))()).toThrow(
    "torch.capture: distributed.allReduce works with the other ranks, and a replay with none: call it outside of the step.",
  );
  distributed.allReduce(x);
  expect(x.tolist()).toEqual([1, 1]);
});

it("a step of DistributedDataParallel is refused, and one of the model inside is not", () => {
  const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(2, 1));
  const x = torch.ones([3, 2]);
  const target: Tensor = torch.zeros([3, 1]);
  const step = (forward: () => Tensor) => () => F.mseLoss(forward(), target);
  expect(torch.capture(step(() => ddp(x)))).toThrow(
    "torch.capture: DistributedDataParallel averages gradients with the other ranks, and a replay with none: train the model without torch.capture, or capture a forward of ddp.module.",
  );
  const captured = torch.capture(step(() => ddp.module(x)));
  const losses = Array.from({ length: 4 }, () => captured().item());
  expect(new Set(losses).size).toBe(1);
  expect(captured.replays).toBeGreaterThan(0);
});
