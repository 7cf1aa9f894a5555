// `lab.shadow` over the kept part of PyTorch's own samples of its operators: results, gradients, in-place and `out=`
// forms. Whatever a device does otherwise than the CPU and may do otherwise must raise no alarm.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { torch } from "../../lib/index.ts";
import { keptSamples } from "../operators/kept_samples.ts";
import type { Sample } from "../operators/samples.ts";
import { watch } from "../operators/watch.ts";
import { device } from "./device_under_test.ts";

const samples = keptSamples().map((line) => JSON.parse(line) as Sample);

/** Of the CPU none: it would be compared with itself. */
const operators = device === "cpu" ? [] : [...new Set(samples.map(({ operator }) => operator))];

describe.skipIf(device === "cpu")("PyTorch's samples (on the CPU there is nothing to compare)", () => {
  const before = torch.getDefaultDevice();
  beforeAll(() => torch.setDefaultDevice(device));
  afterAll(() => torch.setDefaultDevice(before));
  const compared = new Set<string>();

  it.each(operators)("of %s raise no alarm", (operator) => {
    const watched = samples.filter((one) => one.operator === operator).map((one) => watch(one, device));
    expect(watched.flatMap(({ alarm }) => alarm ?? [])).toEqual([]);
    for (const one of watched.flatMap(({ operators }) => operators)) compared.add(one);
  });

  it("compare most operators", () => {
    expect(compared.size).toBeGreaterThan(400);
  });
});
