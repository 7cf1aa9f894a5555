// Optimizers as text: what a cell whose last line is an optimizer shows, and `console.log`.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { optim, torch } from "../../../../lib/index.ts";

describe("an optimizer as text", () => {
  it("is its class and the options of each group, as PyTorch prints it", () => {
    const [weight, bias, head] = [torch.zeros([2, 2]), torch.zeros([2]), torch.zeros([3])];
    const optimizer = new optim.SGD([{ params: [weight, bias] }, { params: [head], lr: 0.5 }], { lr: 0.1 });
    const expected = [
      "SGD (",
      "Parameter Group 0",
      "    params: 2 tensors",
      "    lr: 0.1",
      "    momentum: 0",
      "    dampening: 0",
      "    weightDecay: 0",
      "    nesterov: false",
      "    maximize: false",
      "",
      "Parameter Group 1",
      "    params: 1 tensor",
      "    lr: 0.5",
      "    momentum: 0",
      "    dampening: 0",
      "    weightDecay: 0",
      "    nesterov: false",
      "    maximize: false",
      ")",
    ].join("\n");
    expect(String(optimizer)).toBe(expected);
    expect(inspect(optimizer)).toBe(expected);
  });

  it("has settings that are lists, words or nothing as they would be written", () => {
    expect(String(new optim.Adam([torch.zeros([1])]))).toContain("    betas: [0.9, 0.999]\n");
    expect(String(new optim.Muon([torch.zeros([2, 2])]))).toContain("    adjustLr: null\n");
  });

  it("does not read its parameters, which may be gone", () => {
    const weight = torch.zeros([1]);
    const optimizer = new optim.SGD([weight]);
    weight.dispose();
    expect(String(optimizer)).toContain("params: 1 tensor\n");
  });

  it("stands in a scheduler's too, in place of the weights", () => {
    const scheduler = new optim.lrScheduler.StepLR(new optim.SGD([torch.zeros([1000])]), 3);
    expect(inspect(scheduler)).toMatch(/^StepLR \{\n  optimizer: SGD \(\n  Parameter Group 0\n/);
  });
});
