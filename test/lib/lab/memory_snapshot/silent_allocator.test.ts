// Recording on a device whose allocator reports nothing, as Metal's on a Mac: the storages of operators' results. On the CPU,
// whose allocator reports too, both accounts are in one recording, and are compared.
import { afterEach, beforeEach, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/engine/native.ts";
import { readHistory } from "../../../../lib/lab/memory_snapshot/history.ts";
import { Places } from "../../../../lib/lab/memory_snapshot/places.ts";

torch.setNumThreads(1);
const places = new Places();
const KiB = 1024;

interface Event {
  readonly address: number;
  readonly bytes: number;
  readonly operator: string;
}

/** Events of large blocks, in their order: each one twice where both accounts have it. */
function eventsOf(work: () => void): Event[] {
  native.startMemoryHistory({ maxEvents: 10_000, everyLine: true, resultsOf: "cpu" }, places.here);
  work();
  const history = readHistory(native.memoryHistory(), places);
  native.stopMemoryHistory();
  const { all } = history.devices.find(({ device }) => device === "cpu")!;
  return Array.from({ length: all.count }, (_, at) => ({
    address: all.address(at),
    bytes: all.bytes(at),
    operator: history.operations[all.operation(at)]!,
  })).filter(({ bytes }) => Math.abs(bytes) >= 16 * KiB);
}

const counted = (events: readonly Event[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { address, bytes } of events) {
    const key = `${bytes > 0 ? "allocated" : "released"} ${Math.abs(bytes)} at ${address}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

let before: Tensor;
beforeEach(() => {
  before = torch.ones([64, 256]);
});
afterEach(() => before.dispose());

it("tells of each result once, with its operator, and of its release", () => {
  const events = eventsOf(() => {
    const negative = before.neg();
    negative.add_(1);
    const transposed = negative.t();
    const copy = transposed.contiguous();
    for (const tensor of [copy, transposed, negative]) tensor.dispose();
  });
  const counts = counted(events);
  expect(Object.keys(counts)).toHaveLength(4);
  expect(Object.values(counts)).toEqual([2, 2, 2, 2]);
  expect(events.filter(({ bytes }) => bytes > 0).map(({ operator }) => operator)).toEqual([
    "aten::neg",
    "aten::neg",
    "aten::contiguous",
    "aten::contiguous",
  ]);
});

it("tells of a tensor from before when it is released, and of no allocation", () => {
  const old = torch.ones([64, 256]);
  const events = eventsOf(() => {
    old.mul_(2);
    old.dispose();
  });
  expect(events.map(({ bytes }) => bytes)).toEqual([-64 * KiB, -64 * KiB]);
});

it("has each block of a training step that outlives it, those of the backward too", () => {
  const model = new nn.Sequential(new nn.Linear(256, 128), new nn.ReLU(), new nn.Linear(128, 64));
  const adam = new optim.Adam(model.parameters());
  const events = eventsOf(() => {
    model.forward(before).square().mean().backward();
    adam.step();
  });
  const alive = new Map<number, number>();
  const times = new Map<number, number>();
  for (const { address, bytes } of events) {
    alive.set(address, (alive.get(address) ?? 0) + bytes);
    times.set(address, (times.get(address) ?? 0) + 1);
  }
  const bytesOf = (count: number) => [...alive.values()].filter((bytes) => bytes === count).length;
  // A weight of 128 KiB and one of 32 KiB, each with its gradient and Adam's two averages: twice in the recording.
  expect(bytesOf(2 * 128 * KiB)).toBe(3);
  expect(bytesOf(2 * 32 * KiB)).toBe(3);
});
