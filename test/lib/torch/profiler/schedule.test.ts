// When a profiler records: the schedule only, as PyTorch's.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const { schedule } = torch.profiler;
const first = (count: number, options: Parameters<typeof schedule>[0]) =>
  Array.from({ length: count }, (_, i) => schedule(options)(i));

describe("schedule", () => {
  it("waits, warms up and records, over and over", () => {
    expect(first(9, { wait: 1, warmup: 1, active: 2 })).toEqual([
      "none",
      "warmup",
      "record",
      "recordAndSave",
      "none",
      "warmup",
      "record",
      "recordAndSave",
      "none",
    ]);
  });

  it("stops after so many cycles, and starts after so many steps", () => {
    expect(first(6, { active: 1, wait: 1, repeat: 2, skipFirst: 1 })).toEqual([
      "none",
      "none",
      "recordAndSave",
      "none",
      "recordAndSave",
      "none",
    ]);
  });

  refuses([
    [
      "no active step",
      () => schedule({ active: 0 }),
      "RangeError",
      "profiler.schedule: active must be an integer of at least 1, got 0.",
    ],
    [
      "a step that is no number",
      () => schedule({ active: 1, wait: "1" as never }),
      "TypeError",
      'profiler.schedule: wait must be an integer, got "1".',
    ],
    [
      "an unknown option",
      () => schedule({ active: 1, skip: 1 } as never),
      "TypeError",
      'profiler.schedule: unknown option "skip"; it takes wait, warmup, active, repeat, skipFirst.',
    ],
  ]);
});
