// Runs every example of the library's docstrings in a kernel: the compiler accepts it, and it does not throw.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "./helpers/kernel_process.ts";
import { filesOf, root } from "./house/sources.ts";

interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

const DOCSTRING = /\/\*\*(?:(?!\*\/)[^])*\*\//g;
/** Up to the next tag or the end. */
const EXAMPLE = /@example[ \n]([^]*?)(?=\n@|$)/;

function examplesOf(file: string): Example[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(DOCSTRING)].flatMap(({ 0: docstring, index }) => {
    const inner = docstring.slice(3, -2).replaceAll(/^ *\* ?/gm, "");
    const code = EXAMPLE.exec(inner)?.[1]?.trim();
    return code === undefined ? [] : [{ file, line: text.slice(0, index).split("\n").length, code }];
  });
}

const examples = filesOf("lib").flatMap(examplesOf);

/** What the examples name and do not make. */
const CONTEXT = `
import { AnyWidget, button, lab, mps, slider, torch, type Tensor } from "mpslab";
if (!mps.isAvailable()) mps.simulate({ memory: "4GB" });
const x = torch.ones([4, 4], { device: "mps" });
const half = (tensor: Tensor) => tensor.div(2);
const weight = torch.ones([4], { requiresGrad: true });
weight.sum().backward();
const train = () => {};
`;

let kernel: KernelProcess;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "mpslab-docstrings-"));
  kernel = await KernelProcess.start({ directory });
  expect((await kernel.client.execute(CONTEXT)).errors).toEqual([]);
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true, force: true });
});

it("are found", () => {
  expect(examples.map(({ file }) => file)).toContain("lib/lab/teaching/quiz.ts");
});

it.each(examples)("the example of $file:$line runs", async ({ code }) => {
  expect((await kernel.client.execute(code)).errors).toEqual([]);
});
