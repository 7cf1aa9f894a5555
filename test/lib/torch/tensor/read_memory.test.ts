// Who reads a tensor holds none of its memory after: not even in a program that never yields, whose event loop cannot
// turn. `data()` alone does, as it says.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, expect, it } from "vitest";
import { serialize, type Tensor, torch } from "../../../../lib/index.ts";
import { drawGrid } from "../../../../lib/torch/tensor/view/images.ts";
import { tensorHtml } from "../../../../lib/torch/tensor/view/html.ts";
import { collectedBytes } from "../../../helpers/memory.ts";

const folder = mkdtempSync(join(tmpdir(), "mpslab-read-memory-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [checkpoint, safetensors] = [join(folder, "x.pt"), join(folder, "x.safetensors")];

const readers: Record<string, (x: Tensor) => void> = {
  "tolist()": (x) => x.tolist(),
  "tolist() of half precision": (x) => x.to("float16").tolist(),
  "tolist() of complex numbers": (x) => x.to("complex64").tolist(),
  "tolist() of integers": (x) => x.to("int64").tolist(),
  "tolist() of booleans": (x) => x.gt(0).tolist(),
  "printing it": (x) => inspect(x),
  "its HTML view": (x) => tensorHtml(x),
  "a picture of it": (x) => drawGrid(x, {}),
  "saving and loading safetensors": (x) => {
    serialize.saveSafetensors({ x }, safetensors);
    serialize.loadSafetensors(safetensors);
  },
  "saving and loading a checkpoint": (x) => {
    torch.save({ x }, checkpoint);
    torch.load(checkpoint);
  },
  "the state of the random numbers": () => torch.setRngState(torch.getRngState()),
};

it.each(Object.entries(readers))("%s", (_, read) => {
  const x = torch.rand([16, 16]);
  read(x); // what it loads and makes once
  const before = collectedBytes();
  for (let time = 0; time < 3; time++) read(torch.rand([16, 16]));
  expect(collectedBytes()).toBeLessThanOrEqual(before);
});
