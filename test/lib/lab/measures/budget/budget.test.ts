// Compares a budget with the memory that a step then takes: within 5% for an MLP, a CNN and a transformer. The budget
// comes from batches an eighth and a quarter as large.
import { describe, expect, it } from "vitest";
import { accelerator, lab, nn, torch } from "../../../../../lib/index.ts";
import { probePeaks } from "../../../../../lib/lab/measures/budget/probe.ts";
import { runSteps } from "../../../../../lib/lab/core/run_steps.ts";
import { collectGarbage } from "../../../../../lib/torch/engine/garbage.ts";
import { cnn, mlp, transformer } from "./models.ts";

torch.setNumThreads(1);

/** Peak of live bytes in a step like all others, the model's own bytes included, what lay there before it aside. */
function measured(build: lab.BudgetOptions["build"], batch: number): number {
  collectGarbage("full");
  const before = accelerator.memoryAllocated("cpu");
  const subject = build();
  subject.step(batch, undefined);
  collectGarbage("full");
  accelerator.resetPeakMemoryStats("cpu");
  subject.step(batch, undefined);
  return accelerator.maxMemoryAllocated("cpu") - before;
}

const within = (part: number, estimate: number, taken: number) => Math.abs(estimate / taken - 1) < part;
const budgetOf = (options: lab.BudgetOptions) => lab.budget(options) as lab.Budget;

const attention = budgetOf({ build: transformer, batch: 32, sequence: 64 });

describe("a training step takes what its budget says, within 5%", () => {
  it.each([
    ["an MLP", mlp, 8192],
    ["a CNN", cnn, 512],
  ] as const)("of %s", (_, build, batch) => {
    const { peakBytes } = budgetOf({ build, batch });
    expect([peakBytes, measured(build, batch)]).toSatisfy(([estimate, taken]: number[]) =>
      within(0.05, estimate!, taken!),
    );
  });

  it.each<[string, number, number]>([
    ["at the length that was asked about", 64, 0.05],
    ["at twice the length within 15%: the parts of a step change places", 128, 0.15],
  ])("of a transformer, of which dead results are collected as they die, %s", (_, sequence, part) => {
    const subject = transformer();
    subject.step(32, sequence);
    const probe = runSteps(probePeaks(subject.model, () => subject.step(32, sequence))) as {
      peakBytes: Record<string, number>;
    };
    const taken =
      attention.parameterBytes + attention.optimizerBytes + Math.max(...Object.values(probe.peakBytes));
    const estimate = attention.scaling.find(
      (one) => one.batch === 32 && one.sequence === sequence,
    )!.peakBytes;
    expect([estimate, taken]).toSatisfy(([one, other]: number[]) => within(part, one!, other!));
  });
});

describe("the parts of a budget", () => {
  const budget = budgetOf({ build: mlp, batch: 64 });
  const numbers = 784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10;

  it("parameters, gradients and Adam's two moments are counted", () => {
    expect(budget.parameterBytes).toBe(4 * numbers);
    expect(budget.gradientBytes).toBe(4 * numbers);
    // Beside the moments a count of steps for each of the six parameters.
    expect(budget.optimizerBytes).toBe(2 * 4 * numbers + 6 * 4);
    expect(budget.bufferBytes).toBe(0);
  });

  it("activations are told by the layer that saves them: the inputs of each, largest first", () => {
    expect(budget.layers.slice(0, 3)).toEqual([
      { layer: "0", savedBytes: 64 * 784 * 4 },
      { layer: "1", savedBytes: 64 * 512 * 4 },
      { layer: "3", savedBytes: 64 * 512 * 4 },
    ]);
  });

  it("workspaces are the rest of the peak, gradients counted where it comes after the forward", () => {
    const { peakIn, peakBytes, parameterBytes, bufferBytes, optimizerBytes, gradientBytes } = budget;
    expect(peakIn).not.toBe("forward");
    const counted = parameterBytes + bufferBytes + optimizerBytes + gradientBytes + budget.activationBytes;
    expect(budget.workspaceBytes).toBe(Math.max(0, peakBytes - counted));
    expect(budget.scaling.find(({ batch }) => batch === 64)!.peakBytes).toBe(peakBytes);
  });

  it("buffers are there all the time, and part of the peak", () => {
    const buildWith = (buffered: number) => () => {
      const model = new nn.Linear(8, 4);
      model.registerBuffer("table", torch.zeros([buffered]));
      return {
        model,
        step: (batch: number) =>
          model(torch.ones([batch, 8]))
            .sum()
            .backward(),
      };
    };
    const [small, large] = [1, 2 ** 20 + 1].map((size) => budgetOf({ build: buildWith(size), batch: 16 }));
    expect(large!.bufferBytes).toBe(4 * (2 ** 20 + 1));
    expect(large!.peakBytes - small!.peakBytes).toBe(4 * 2 ** 20);
  });

  it("is plain data, with the batches that were run for it", () => {
    expect(budget.probes).toEqual([8, 16]);
    expect(JSON.parse(JSON.stringify(budget))).toEqual(budget);
  });
});

describe("of a shape", () => {
  it.each([
    [[512, 784], "float32", 512 * 784 * 4],
    [[512, 784], "float16", 512 * 784 * 2],
    [[3], "int64", 24],
    [[], "float64", 8],
    [[0, 5], "float32", 0],
    [[2 ** 20, 2 ** 20], "bfloat16", 2 ** 41],
  ] as const)("%j of %s takes %d bytes, and none are allocated", (shape, dtype, bytes) => {
    const before = accelerator.memoryAllocated("cpu");
    expect(lab.budget(shape, dtype)).toBe(bytes);
    expect(accelerator.memoryAllocated("cpu")).toBe(before);
  });
});

describe("misuse", () => {
  it.each<[string, unknown, string, string]>([
    ["nothing", undefined, "TypeError", "lab.budget takes a shape and a dtype, or { build, batch }"],
    ["a shape below zero", [-1], "RangeError", "shape[0] must be an integer of at least 0"],
    [
      "no build",
      { batch: 4 },
      "TypeError",
      "build must be a function that returns { model, optimizer, step }",
    ],
    ["no batch", { build: mlp }, "TypeError", "batch must be an integer"],
    [
      "a build of something else",
      { build: () => ({}), batch: 4 },
      "TypeError",
      "build must return { model, optimizer, step }",
    ],
    [
      "probes the wrong way round",
      { build: mlp, batch: 4, probes: [4, 2] },
      "RangeError",
      "the second probe must be larger",
    ],
  ])("%s is refused", (_, given, name, message) => {
    expect(() => lab.budget(given as never)).toThrow(
      expect.objectContaining({ name, message: expect.stringContaining(message) }),
    );
  });
});
