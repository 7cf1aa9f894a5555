// The queue of simulated Metal: the host goes on while the device works, values and errors come when they are read.
import { beforeAll, describe, expect, it } from "vitest";
import { mps, nn, optim, functional as F, type Tensor, torch } from "../../lib/index.ts";

beforeAll(() => void mps.simulate());

/** Work that the device is busy with for a while. */
function busy() {
  const x = torch.full([1024, 1024], 1 / 1024, { device: "mps" });
  let y = x;
  for (let i = 0; i < 8; i++) y = y.matmul(x);
  return y;
}

describe("an operator", () => {
  it("returns before it has run, with its shape and dtype", () => {
    const event = new mps.Event();
    const y = busy();
    event.record();
    expect(event.query()).toBe(false);
    expect([y.shape, y.dtype, y.device]).toEqual([[1024, 1024], "float32", "mps"]);
    expect(y.sum().item()).toBeCloseTo(1024, 1);
    expect(event.query()).toBe(true);
  });

  it("reads its arguments in order: what is changed later does not matter", () => {
    busy();
    const x = torch.ones([4], { device: "mps" });
    const doubled = x.mul(2);
    x.fill_(100);
    expect([doubled.tolist(), x.tolist()]).toEqual([
      [2, 2, 2, 2],
      [100, 100, 100, 100],
    ]);
  });

  it("finds its memory though its tensors are gone before it runs", () => {
    busy();
    const sum = torch.tidy(() => {
      let y = torch.ones([1000], { device: "mps" });
      for (let i = 0; i < 50; i++) y = y.add(1);
      return y.sum();
    });
    torch.full([1000], -1, { device: "mps" });
    expect(sum.item()).toBe(51_000);
  });
});

describe("an error", () => {
  it("of shapes and dtypes is thrown at the call", () => {
    busy();
    const wide: Tensor = torch.ones([2, 3], { device: "mps" });
    expect(() => wide.matmul(wide)).toThrow(RangeError);
  });

  it("of elements surfaces where the host next waits, once, and names the operator", () => {
    const table = torch.ones([4, 2], { device: "mps" });
    const fits = torch.tensor([3], { dtype: "int64" }).to("mps");
    const beyond = torch.tensor([4], { dtype: "int64" }).to("mps");
    table.indexSelect(0, fits);
    const row = table.indexSelect(0, beyond);
    expect(row.shape).toEqual([1, 2]);
    expect(() => mps.synchronize()).toThrow(
      /aten::index_select, which was queued at .*queue\.test\.ts:61:\d+, failed: .*out of range/,
    );
    mps.synchronize();
    expect(table.sum().item()).toBe(8);
  });
});

describe("a training step", () => {
  const images = () => torch.randn([8, 1, 8, 8]);
  const words = () => torch.randint(0, 20, [8, 6], { dtype: "int64" });

  class Recurrent extends nn.Module {
    words = new nn.Embedding(20, 8);
    lstm = new nn.LSTM(8, 8, { batchFirst: true });
    head = new nn.Linear(8, 3);
    override forward(x: Tensor): Tensor {
      const [outputs] = this.lstm(this.words(x));
      return this.head(outputs.select(1, -1));
    }
  }

  class Attending extends nn.Module {
    words = new nn.Embedding(20, 8);
    layer = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, batchFirst: true });
    head = new nn.Linear(8, 3);
    override forward(x: Tensor): Tensor {
      return this.head(this.layer(this.words(x)).mean(1));
    }
  }

  it.each<[string, () => nn.Module, () => Tensor]>([
    [
      "MLP",
      () => new nn.Sequential(new nn.Flatten(), new nn.Linear(64, 16), new nn.ReLU(), new nn.Linear(16, 3)),
      images,
    ],
    [
      "CNN",
      () =>
        new nn.Sequential(
          new nn.Conv2d(1, 4, 3),
          new nn.BatchNorm2d(4),
          new nn.ReLU(),
          new nn.MaxPool2d(2),
          new nn.Flatten(),
          new nn.LayerNorm([36]),
          new nn.Dropout(0.1),
          new nn.Linear(36, 3),
        ),
      images,
    ],
    ["LSTM", () => new Recurrent(), words],
    ["transformer", () => new Attending(), words],
  ])("of a %s runs without the host waiting, the first one too", (_, make, input) => {
    torch.manualSeed(0);
    const model = make().to("mps") as nn.Module & ((x: Tensor) => Tensor);
    const optimizer = new optim.AdamW(model.parameters(), { lr: 0.01 });
    const x = input().to("mps");
    const target = torch.randint(0, 3, [8], { dtype: "int64" }).to("mps");
    const step = () => {
      optimizer.zeroGrad();
      const loss = F.crossEntropy(model(x), target);
      loss.backward();
      optimizer.step();
      return loss;
    };
    const before = mps.simulation()!.drains;
    const first = step();
    for (let i = 0; i < 20; i++) step();
    const last = step();
    expect(mps.simulation()!.drains).toEqual(before);
    expect(last.item()).toBeLessThan(first.item());
  });
});

describe("an event", () => {
  it("times the device's work, not the launch", () => {
    const [start, end] = [new mps.Event({ enableTiming: true }), new mps.Event({ enableTiming: true })];
    start.record();
    start.synchronize();
    const startedMs = performance.now();
    busy();
    const worked = new mps.Event();
    worked.record();
    let workingMs = performance.now();
    end.record();
    // The device reaches `end` after the last moment at which the host saw it before `worked`.
    for (let nowMs = workingMs; !worked.query(); nowMs = performance.now()) workingMs = nowMs;
    expect(start.elapsedTime(end)).toBeGreaterThanOrEqual(workingMs - startedMs);
  });
});
