// The lab on the session's real device: what epochs of tensor work leave behind.
import { beforeEach, expect, it } from "vitest";
import { installOutputSink } from "../../../../lib/display.ts";
import { lab, nn, optim, type Tensor, torch } from "../../../../lib/index.ts";
import { ScriptedSink } from "../scripted_sink.ts";

const MIB = 2 ** 20;
const device = torch.device();
// Tests run beside each other, and libtorch's threads spin while they wait.
torch.setNumThreads(1);

beforeEach(() => {
  lab.ledger.clear();
  const sink = new ScriptedSink();
  sink.live = false;
  installOutputSink(sink);
});

const afterFlushes = (): number[] => lab.ledger.epochs.map((record) => record.after.allocatedBytes);

it("fifty epochs of training leave not one byte more than two", () => {
  torch.manualSeed(0);
  const model = new nn.Sequential(new nn.Linear(64, 32), new nn.ReLU(), new nn.Linear(32, 10)).to(device);
  const optimizer = new optim.Adam(model.parameters());
  const x = torch.randn([256, 64], { device });
  const target = torch.randint(0, 10, [256], { device });
  function step(): void {
    optimizer.zeroGrad();
    nn.functional.crossEntropy(model(x), target).backward();
    optimizer.step();
  }

  for (const _ of lab.epochs(50)) for (let i = 0; i < 5; i++) step();

  expect(afterFlushes().at(-1)).toBeLessThanOrEqual(afterFlushes()[1]!);
});

it("tensors that something holds are found growing: a list of losses with their graphs", () => {
  const weight = torch.randn([512, 512], { device }).requiresGrad_();
  const losses: Tensor[] = [];

  for (const _ of lab.epochs(12)) losses.push(weight.mul(2).exp().sum());

  // exp's result is 1 MiB, and its graph keeps it.
  const held = afterFlushes();
  expect(held[11]! - held[1]!).toBeGreaterThanOrEqual(10 * MIB);
  expect(lab.growth(lab.ledger.epochs)).toMatchObject({
    verdict: "growing",
    epochs: 10,
  });
});

it("a flush frees what a cell dropped, and gives the cache back", () => {
  lab.flush();
  lab.flush();
  const before = lab.memory();
  (() => void torch.ones([1024, 1024], { device }).mul(2))();

  const report = lab.flush();

  expect(report.freedBytes).toBe(8 * MIB);
  expect(report.releasedBytes).toBeGreaterThanOrEqual(8 * MIB);
  expect(report.after.allocatedBytes).toBe(before.allocatedBytes);
});

it("a mark sees the memory of its moment, the record the epoch's peak", () => {
  lab.flush();
  const { allocatedBytes } = lab.memory();
  for (const _ of lab.epochs(1)) {
    const held = torch.ones([1024, 1024], { device });
    lab.mark("held");
    held.dispose();
  }
  const [mark] = lab.ledger.marks;
  const [record] = lab.ledger.epochs;
  expect(mark!.sample.allocatedBytes - allocatedBytes).toBe(4 * MIB);
  expect(record!.before.peakBytes - allocatedBytes).toBe(4 * MIB);
  expect(record!.before.allocatedBytes).toBe(allocatedBytes);
});
