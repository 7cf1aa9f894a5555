// Each fault of Metal that can be planted in simulated Metal, found by `lab.shadow` in the step that it spoils, forward or
// backward. The programs that the error writes show it again.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lab, mps, nn, functional as F, torch, type Tensor } from "../../lib/index.ts";
import { native } from "../../lib/torch/engine/native.ts";
import { SIMULATED_FAULTS, type SimulatedFault } from "../../lib/torch/vocabulary/simulated_faults.ts";

beforeAll(() => void mps.simulate({ memory: "4GB" }));
afterEach(() => void mps.simulation({ fault: null }));

const options = { device: "mps" } as const;
const randn = (...shape: number[]): Tensor => torch.randn(shape, options);

/** What a step does that the fault spoils, and where it shows. */
interface Spoiled {
  readonly step: () => unknown;
  readonly operator: string;
  readonly result: string;
  readonly node?: string;
}

const SPOILED: Record<SimulatedFault, () => Spoiled> = {
  "conv2d wrong for non-contiguous weights": () => {
    const [x, weight] = [randn(2, 8, 16, 16), randn(4, 8, 3, 3, 3)];
    return {
      step: () => F.conv2d(x, weight.select(2, 1)),
      operator: "convolution",
      result: "result",
    };
  },
  "bmm wrong past 2^16 elements": () => {
    const [a, b] = [randn(40, 64, 8).requiresGrad_(), randn(40, 8, 64)];
    return {
      step: () => a.bmm(b).square().sum().backward(),
      operator: "bmm",
      result: "result",
      node: "BmmBackward0",
    };
  },
  "addcmul_ and addcdiv_ lost for non-contiguous outputs": () => {
    const [average, gradient] = [torch.zeros([6, 4], options).t(), randn(4, 6)];
    return {
      step: () => average.mul_(0.9).addcmul_(gradient, gradient, { value: 0.1 }),
      operator: "addcmul_",
      result: "self after the call",
    };
  },
  "softplus zero after moveaxis": () => {
    const x = randn(2, 3);
    return { step: () => F.softplus(x.moveaxis(0, 1)), operator: "softplus", result: "result" };
  },
  "layer_norm ignores where a slice begins": () => {
    const x = randn(8, 4);
    return {
      step: () => F.layerNorm(x.narrow(0, 3, 2), [4]),
      operator: "native_layer_norm",
      result: "result 0",
    };
  },
  "batch_norm backward wrong for channels-last inputs": () => {
    const norm = new nn.BatchNorm2d(3).to("mps");
    const x = randn(4, 8, 8, 3).permute([0, 3, 1, 2]).requiresGrad_();
    const weights = randn(4, 3, 8, 8);
    return {
      step: () => norm(x).mul(weights).sum().backward(),
      operator: "native_batch_norm_backward",
      result: "result 0",
      node: "NativeBatchNormBackward0",
    };
  },
  "layer_norm weight gradients wrong for inputs without gradient": () => {
    const norm = new nn.LayerNorm(8).to("mps");
    const x = randn(4, 8);
    return {
      step: () => norm(x).square().sum().backward(),
      operator: "native_layer_norm_backward",
      result: "result 1",
      node: "NativeLayerNormBackward0",
    };
  },
  "linear wrong for sliced weights": () => {
    const [x, weight] = [randn(2, 8), randn(12, 8).at(torch.slice(0, 12, 2))];
    return { step: () => F.linear(x, weight), operator: "mm", result: "result" };
  },
  "cumsum of int64 gives its input": () => {
    const x = torch.ones([9], { device: "mps", dtype: "int64" });
    return { step: () => x.cumsum(0), operator: "cumsum", result: "result" };
  },
  "scatter_ lost after permute": () => {
    const [index, source] = [torch.tensor([[0, 2, 1]], options), randn(1, 3)];
    return {
      step: () => torch.zeros([3, 2], options).t().scatter_(1, index, source),
      operator: "scatter_",
      result: "self after the call",
    };
  },
};

function caught(step: () => unknown, more: { sample?: "all" } = {}): InstanceType<typeof lab.ShadowError> {
  try {
    lab.shadow(step, { device: "mps", ...more });
  } catch (error) {
    if (error instanceof lab.ShadowError) return error;
    throw error;
  }
  throw new Error("the fault was not found");
}

describe.each(SIMULATED_FAULTS)("%s", (fault) => {
  it("is not there unless it is planted", () => {
    const { step } = SPOILED[fault]();
    expect(lab.shadow(step, { device: "mps", sample: "all" }).compared).toBeGreaterThan(0);
  });

  it("is found, with the operator and both results", () => {
    torch.manualSeed(0);
    const { step, operator, result, node } = SPOILED[fault]();
    mps.simulation({ fault });
    const { finding, message } = caught(step);
    expect(finding).toMatchObject({
      ...{ operator, result, node: node ?? null, pass: node === undefined ? "forward" : "backward" },
      device: "mps (simulated)",
      place: expect.stringContaining("faults.test.ts:"),
    });
    const { worst, results, wrongElements } = finding;
    expect(Math.abs(Number(worst!.device) - Number(worst!.exact))).toBeGreaterThan(worst!.allowed);
    expect(results!.device.at(...worst!.index).item()).toBe(worst!.device);
    expect(results!.cpu.at(...worst!.index).item()).toBe(worst!.cpu);
    expect(wrongElements).toBeGreaterThan(0);
    expect(message).toContain(`lab.shadow: ${operator} on mps (simulated)`);
  });

  it("shows again in both programs", async () => {
    const { step } = SPOILED[fault]();
    mps.simulation({ fault });
    const { reproduction } = caught(step).finding;
    expect(reproduction.drawn).toBe(true);
    const folder = mkdtempSync(path.join(tmpdir(), "mpslab-shadow-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const cell = path.join(folder, "cell.ts");
    writeFileSync(
      cell,
      `${reproduction.cell.replace('"mpslab"', JSON.stringify(path.resolve("dist/lib/index.js")))}\nexport { apart };\n`,
    );
    const run = (await import(cell)) as { readonly apart: number };
    expect(run.apart).toBeGreaterThan(0.01);
    mps.simulation({ fault: null });
    execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], {
      input: reproduction.python,
    });
    // About ten lines: a normalization's backward has seven tensors.
    for (const program of [reproduction.cell, reproduction.python])
      expect(program.split("\n").length).toBeLessThanOrEqual(22);
  });
});

describe("what a wrong result may hide in", () => {
  it("an int64 that is off by one beyond 2^53, where both are one double", () => {
    mps.simulation({ fault: "cumsum of int64 gives its input" });
    const x = torch.tensor([1n, 2n ** 53n], options);
    const { finding, message } = caught(() => x.cumsum(0));
    expect(finding.worst).toMatchObject({ index: [1], exact: 2n ** 53n + 1n, allowed: 0 });
    expect(finding.wrongElements).toBe(1);
    expect(message).toContain(
      "at [1] it is 9007199254740992, and 9007199254740993 on the CPU, which must be equal",
    );
    expect(finding.reproduction.cell).toContain('torch.tensor([1, 9007199254740992n], { dtype: "int64" })');
    expect(finding.reproduction.python).toContain("torch.tensor([1, 9007199254740992], dtype=torch.int64)");
    expect(finding.reproduction.python).toContain('run("cpu").to(torch.int64)');
  });

  it("a call whose like was left out before", () => {
    mps.simulation({ fault: "scatter_ lost after permute" });
    const zeros = () => torch.zeros([3, 2], options).t();
    const source = randn(1, 3);
    const scatters = () => {
      // Which of two values element 2 keeps is for the device to decide.
      zeros().scatter_(1, torch.tensor([[0, 2, 2]], options), source);
      zeros().scatter_(1, torch.tensor([[0, 2, 1]], options), source);
    };
    const { finding } = caught(scatters, { sample: "all" });
    expect(finding).toMatchObject({ operator: "scatter_", result: "self after the call" });
  });
});

describe("mps.simulation", () => {
  it("names the faults that there are, each with the report that it follows", () => {
    expect(native.metalFaults().map(({ name }) => name)).toEqual(SIMULATED_FAULTS);
    for (const { report } of native.metalFaults()) expect(report).toMatch(/^pytorch\/pytorch#\d+$/);
  });

  it("says what is planted, and takes it away", () => {
    const [fault] = SIMULATED_FAULTS;
    expect(mps.simulation({ fault }).fault).toBe(fault);
    expect(mps.simulation()!.fault).toBe(fault);
    expect(mps.simulation({ fault: null }).fault).toBeNull();
  });

  it("refuses a fault that there is not", () => {
    expect(() => mps.simulation({ fault: "conv3d wrong" as never })).toThrow(
      /^mps\.simulation: fault must be one of "conv2d wrong for non-contiguous weights", .*, got "conv3d wrong"\.$/,
    );
  });
});
