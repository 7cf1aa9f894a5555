// `lab.shadow` on the device under test: no false alarm, what it compares and leaves out, its budget, its refusals.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { functional as F, lab, nn, optim, torch, type Tensor } from "../../lib/index.ts";
import { device } from "./device_under_test.ts";

const here = device !== "cpu";

describe.skipIf(!here)("a step without a fault", () => {
  it.each(["MLP", "ResNet", "LSTM", "transformer", "diffusion model", "GAN", "graph network"])(
    "of the kind %s: every operator agrees with the CPU, forward and backward",
    (name) => {
      const found = lab.shadow(() => lab.architectures({ device, only: [name], steps: 3 }), {
        device,
        sample: "all",
      });
      const comparable = found.operators.filter(({ leftOut }) => leftOut === null);
      for (const { calls, compared } of comparable) expect(compared).toBe(calls);
      expect(found.compared).toBeGreaterThan(50);
    },
  );

  it("is a table of its operators, and plain data", () => {
    const x = torch.ones([4, 4], { device });
    const found = lab.shadow(() => x.mm(x).relu().sum(), { device, steps: 2, sample: "all" });
    expect(found).toMatchObject({ steps: 2, sample: null, calls: 6, compared: 6 });
    expect(found.operators.map(({ operator }) => operator).toSorted()).toEqual(["mm", "relu", "sum"]);
    expect(inspect(found)).toContain("in 2 steps: 6 of 6 calls compared, none is wrong");
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });

  it("may be asynchronous", async () => {
    const x = torch.ones([4], { device });
    const found = await lab.shadow(async () => (await Promise.resolve(x)).add(1), { device, sample: "all" });
    expect(found.operators).toMatchObject([{ operator: "add", calls: 1, compared: 1 }]);
  });

  it("draws as it would without: random operators are left out, and what is computed of their draws is not", () => {
    const step = () => {
      torch.manualSeed(3);
      return F.dropout(torch.ones([64], { device }), 0.5, true)
        .sum()
        .item();
    };
    const expected = step();
    const sums: unknown[] = [];
    const found = lab.shadow(() => void sums.push(step()), { device, sample: "all" });
    expect(sums).toEqual([expected]);
    const leftOut = found.operators.filter((one) => one.leftOut?.includes("random numbers"));
    expect(leftOut.map(({ compared }) => compared)).toEqual([0]);
    expect(found.operators.find(({ operator }) => operator === "sum")).toMatchObject({ compared: 1 });
  });

  it("compares in-place operators, lists, several results and values that the host reads", () => {
    const x = torch.rand([6, 4], { device });
    const found = lab.shadow(
      () => {
        x.t().mul_(2);
        x.add_(x);
        torch.cat([x, x.flip([0])], 0);
        torch.varMean(x, 1);
        x.sort(1);
        return x.sum().item();
      },
      { device, sample: "all" },
    );
    const compared = found.operators.filter((one) => one.compared > 0).map(({ operator }) => operator);
    expect(compared).toEqual(
      expect.arrayContaining([
        "mul_",
        "add_",
        "cat",
        "flip",
        "var_mean",
        "sort",
        "sum",
        "_local_scalar_dense",
      ]),
    );
  });

  it("gives the CPU the shapes of before the call, which may transpose or resize what it is given", () => {
    const x = torch.ones([3, 3], { device });
    const found = lab.shadow(
      () => {
        torch.ones([2, 3], { device }).t_().unsqueeze_(0).squeeze_();
        x.mm(x);
        torch.mm(x, x, { out: torch.zeros([0], { device }) });
      },
      { device, sample: "all" },
    );
    const compared = Object.fromEntries(found.operators.map((one) => [one.operator, one.compared]));
    expect(compared).toMatchObject({ t_: 1, unsqueeze_: 1, squeeze_: 1, mm: 2 });
  });

  it("leaves out sparse results, forward and backward", () => {
    const found = lab.shadow(
      () => {
        const table = new nn.Embedding(10, 4, { sparse: true }).to(device);
        table
          .forward(torch.tensor([1, 2], { dtype: "int64", device }))
          .sum()
          .backward();
        return torch.ones([4, 4], { device }).toSparse();
      },
      { device, sample: "all" },
    );
    const reasons = found.operators.filter(({ operator }) => operator.includes("sparse"));
    expect(reasons).not.toEqual([]);
    for (const { compared, leftOut } of reasons)
      expect([compared, leftOut]).toEqual([0, "only dense tensors are compared"]);
  });

  it("leaves out what each device may decide: repeated writes, unsorted results", () => {
    const index = torch.tensor([1, 1], { dtype: "int64", device });
    const [x, y] = [torch.zeros([4], { device }), torch.rand([2], { device })];
    const found = lab.shadow(
      () => {
        x.clone().scatter_(0, index, y);
        x.indexCopy(0, index, y);
        x.indexPut([index], y);
        x.topk(2, 0, true, false);
      },
      { device, sample: "all" },
    );
    const reasons = Object.fromEntries(found.operators.map((one) => [one.operator, one.leftOut]));
    const repeated = "several values are written to one element, and each device may keep another";
    expect(reasons).toMatchObject({
      scatter_: repeated,
      index_copy: repeated,
      index_put: repeated,
      topk: "its results are in no order: sorted is false",
    });
  });

  it("compares each call whose like was left out for its arguments' values", () => {
    const [x, y] = [torch.zeros([4], { device }), torch.rand([2], { device })];
    const found = lab.shadow(
      () => {
        x.indexCopy(0, torch.tensor([1, 1], { dtype: "int64", device }), y);
        x.indexCopy(0, torch.tensor([1, 2], { dtype: "int64", device }), y);
      },
      { device, sample: "all" },
    );
    const copies = found.operators.find(({ operator }) => operator === "index_copy");
    expect(copies).toMatchObject({ calls: 2, compared: 1, leftOut: expect.stringContaining("one element") });
  });

  it("under autocast", () => {
    const model = new nn.Linear(8, 8).to(device);
    const x = torch.rand([4, 8], { device });
    const found = lab.shadow(
      () =>
        torch.autocast({ deviceType: device as "cuda", dtype: "bfloat16" }, () =>
          model(x).float().sum().backward(),
        ),
      { device, sample: "all" },
    );
    expect(found.operators.find(({ operator }) => operator === "addmm")?.compared).toBe(1);
  });
});

describe.skipIf(!here)("the sample", () => {
  const model = here
    ? new nn.Sequential(new nn.Linear(64, 64), new nn.Tanh(), new nn.Linear(64, 10)).to(device)
    : null!;
  const optimizer = here ? new optim.Adam(model.parameters()) : null!;
  const x = torch.rand([32, 64], { device });
  const step = () => {
    optimizer.zeroGrad();
    model(x).square().mean().backward();
    optimizer.step();
  };

  it("has each kind of call once at least, and little more than its share of a long loop", () => {
    const found = lab.shadow(step, { device, steps: 400, sample: 0.05 });
    for (const { kinds, comparedKinds, leftOut } of found.operators)
      if (leftOut === null) expect(comparedKinds).toBe(kinds);
    expect(found.compared).toBeLessThan(found.calls / 2);
  });

  it('is every call with sample: "all"', () => {
    const found = lab.shadow(step, { device, steps: 3, sample: "all" });
    expect(found.compared).toBe(found.calls);
  });
});

describe("misuse", () => {
  it("on the CPU there is nothing to compare", () => {
    expect(() => lab.shadow(() => torch.ones([2]), { device: "cpu" })).toThrow(
      /^lab\.shadow: the CPU would be compared with itself: call it where the step runs on mps or cuda/,
    );
  });

  it.skipIf(!here)("a captured step is refused, and a watch in a watch", () => {
    const x = torch.ones([2], { device });
    const captured = torch.capture(() => x.add(1));
    expect(() => lab.shadow(() => captured(), { device })).toThrow(
      /^lab\.shadow: a captured step is replayed as a whole, .* without torch\.capture\(\)\.$/,
    );
    expect(() => lab.shadow(() => lab.shadow(() => x.add(1), { device }), { device })).toThrow(
      /^lab\.shadow: a step is watched already/,
    );
    // Both have ended.
    expect(lab.shadow(() => x.add(1), { device }).compared).toBe(1);
  });

  it.skipIf(!here)("a process that ends during a step that never settles ends well", () => {
    const program = `
      import { lab, mps, torch } from ${JSON.stringify(pathToFileURL(path.resolve("dist/bundle/lib/index.js")).href)};
      if (${device === "mps"} && !mps.isAvailable()) mps.simulate();
      void lab.shadow(() => new Promise(() => {}), { device: "${device}" });
      torch.ones([3], { device: "${device}" }).add(1);`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it.skipIf(!here)("what the step throws comes through", () => {
    const x: Tensor = torch.ones([2], { device });
    expect(() => lab.shadow(() => x.mm(x), { device })).toThrow(/^mm/);
  });

  it.each<[string, unknown, string, string]>([
    ["a share of nothing", { sample: 0 }, "RangeError", "sample must be at least 0.001 and at most 1, got 0"],
    ["a share in words", { sample: "most" }, "TypeError", 'sample must be a number, got "most"'],
    ["no tolerance", { tolerance: 0 }, "RangeError", "tolerance must be at least 0.01, got 0"],
    ["an unknown operator", { tolerance: { conv2D: 2 } }, "RangeError", "no operator aten::conv2D"],
    ["no steps", { steps: 0 }, "RangeError", "steps must be an integer of at least 1"],
  ])("%s", (_name, options, kind, words) => {
    expect(() => lab.shadow(() => 1, options as never)).toThrow(
      expect.objectContaining({ name: kind, message: expect.stringContaining(words) }),
    );
  });

  it("no function", () => {
    expect(() => lab.shadow(5 as never)).toThrow(/^lab\.shadow: expected a function, got number 5|got 5/);
  });
});
