// The architecture table on the device under test: ten steps of each kind of model, whose memory stays where it is.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type Tensor, lab, torch } from "../../lib/index.ts";
import { device } from "./device_under_test.ts";

const NAMES = ["MLP", "ResNet", "LSTM", "transformer", "diffusion model", "GAN", "graph network"];

describe("ten training steps", () => {
  const table = lab.architectures({ device });

  it.each(NAMES)("of the kind %s keep no memory, need no fallback, and their losses are numbers", (name) => {
    const row = table.rows.find((one) => one.name === name)!;
    expect(row).toMatchObject({ steps: 10, finite: true, growthBytes: 0, error: null });
    // A Mac's own libtorch does not tell them.
    if (row.fallbacks !== null) expect(row.fallbacks).toEqual([]);
    expect(row.losses).toHaveLength(10);
    expect(row.losses.at(-1)).toBeLessThan(row.losses[0]!);
    expect(row.peakBytes).toBeGreaterThan(4 * row.parameters);
  });

  it("are a table of one row each, and plain data", () => {
    expect(table.rows.map(({ name }) => name)).toEqual(NAMES);
    expect(inspect(table)).toContain("7 of 7 ran to their end with finite losses and without growth.");
    expect(JSON.parse(JSON.stringify(table))).toEqual(table);
  });
});

it("the same seed gives the same losses, and leaves the session's random numbers alone", () => {
  torch.manualSeed(5);
  const expected = torch.rand([4], { device }).tolist();
  torch.manualSeed(5);
  const once = lab.architectures({ device, only: ["MLP"], steps: 2 });
  expect(torch.rand([4], { device }).tolist()).toEqual(expected);
  expect(lab.architectures({ device, only: ["MLP"], steps: 2 }).rows[0]!.losses).toEqual(
    once.rows[0]!.losses,
  );
  expect(lab.architectures({ device, only: ["MLP"], steps: 2, seed: 1 }).rows[0]!.losses).not.toEqual(
    once.rows[0]!.losses,
  );
});

it("what one of them cannot do is in its row", () => {
  const { rows } = torch.noGrad(() => lab.architectures({ device, only: ["MLP", "GAN"] }));
  expect(rows.map(({ name, steps, finite, growthBytes }) => [name, steps, finite, growthBytes])).toEqual([
    ["MLP", 0, false, null],
    ["GAN", 0, false, null],
  ]);
  for (const { error } of rows) expect(error).toMatch(/backward/);
});

it.each<[string, unknown, string, string]>([
  ["a list", [], "TypeError", "the options must be an object"],
  ["one step", { steps: 1 }, "RangeError", "steps must be an integer of at least 2"],
  ["a kind that there is not", { only: ["VAE"] }, "RangeError", 'there is no "VAE"; there are MLP, ResNet'],
  ["no kinds", { only: [] }, "TypeError", "only must be a list of MLP"],
  ["a kind without a list", { only: "MLP" }, "TypeError", "only must be a list of MLP"],
  ["a device that is none", { device: "tpu" }, "TypeError", "tpu"],
  ["a tensor", { seed: torch.ones([1]) as Tensor }, "TypeError", "seed must be an integer"],
])("misuse: %s", (_name, options, kind, words) => {
  const call = () => lab.architectures(options as never);
  expect(call).toThrow(expect.objectContaining({ name: kind, message: expect.stringContaining(words) }));
});
