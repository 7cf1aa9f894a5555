// The warning at 90% of what Metal recommends: of 4 GiB two thirds are recommended, 2,863,311,530 bytes, 2,730.7 MiB; 90%
// of them are 2,457.6 MiB.
import { beforeAll, beforeEach, expect, it } from "vitest";
import { mps, type Tensor, torch } from "../../lib/index.ts";
import { cellEnded, cellStarted } from "../../lib/session.ts";

const MiB = 2 ** 20;
const empty = (bytes: number): Tensor => torch.empty([bytes], { dtype: "uint8", device: "mps" });

const warnings: string[] = [];
async function warned(): Promise<string[]> {
  await new Promise(setImmediate);
  return warnings.splice(0);
}

beforeAll(() => {
  mps.simulate({ memory: "4GB" });
  process.on("warning", ({ message }) => warnings.push(message));
});
beforeEach(() => {
  mps.emptyCache();
  cellStarted("Cell [1]");
});

it("tells what tensors hold, what is recommended, and what to do, once a cell", async () => {
  const held = [empty(1216 * MiB), empty(1216 * MiB), empty(24 * MiB)];
  expect(await warned()).toEqual([]);
  held.push(empty(4 * MiB));
  expect(await warned()).toEqual([
    "Tensors on mps hold 2.4 GiB, 90% of the 2.67 GiB that Metal recommends; beyond them macOS may swap. Take a " +
      "smaller batch, or free tensors with tidy() and dispose().",
  ]);
  held.push(empty(20 * MiB));
  held.pop()!.dispose();
  held.pop()!.dispose();
  held.push(empty(20 * MiB));
  expect(await warned()).toEqual([]);
  cellEnded();
  cellStarted("Cell [2]");
  held.pop()!.dispose();
  held.push(empty(8 * MiB));
  expect(await warned()).toHaveLength(1);
  for (const tensor of held) tensor.dispose();
});

it("what nobody holds any more is collected first, and no reason to warn", async () => {
  for (let i = 0; i < 40; i++) empty(100 * MiB);
  expect(await warned()).toEqual([]);
});
