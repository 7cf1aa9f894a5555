// `lab.shadow` over the kept part of PyTorch's own samples of its operators: results, gradients, in-place and `out=`
// forms. Whatever a device does otherwise than the CPU and may do otherwise must raise no alarm.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab, torch } from "../../lib/index.ts";
import { check } from "../operators/check.ts";
import type { Sample } from "../operators/samples.ts";
import { folder } from "../operators/tally.ts";
import { device } from "./device_under_test.ts";

const samples = gunzipSync(readFileSync(path.join(folder, "samples.jsonl.gz")))
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Sample);

/** The alarms of an operator's samples, and the dispatcher's operators that were compared. */
function watch(operator: string) {
  const alarms: string[] = [];
  const compared = new Set<string>();
  for (const sample of samples.filter((one) => one.operator === operator)) {
    try {
      const found = lab.shadow(() => void check(sample), { device, sample: "all" });
      for (const one of found.operators) if (one.compared > 0) compared.add(one.operator);
    } catch (error) {
      alarms.push(`${sample.variant} ${sample.dtype}: ${(error as Error).message}`);
    }
  }
  return { alarms, compared };
}

describe.skipIf(device === "cpu")("PyTorch's samples", () => {
  const before = torch.getDefaultDevice();
  beforeAll(() => torch.setDefaultDevice(device));
  afterAll(() => torch.setDefaultDevice(before));
  const compared = new Set<string>();

  it.each([...new Set(samples.map(({ operator }) => operator))])("of %s raise no alarm", (operator) => {
    const watched = watch(operator);
    expect(watched.alarms).toEqual([]);
    for (const one of watched.compared) compared.add(one);
  });

  it("compare most operators", () => {
    expect(compared.size).toBeGreaterThan(400);
  });
});
