// The verdict on memory of short epoch loops in the real kernel: with and without a leak, in both styles of freeing, on the
// CPU and on simulated Metal, and what is named as the holder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

/** In MiB of tensors: the model is 8. `step` makes and drops 12. */
const setup = (device: string) => `import { lab, torch, type Tensor } from "mpslab";
const device = ${JSON.stringify(device)};
const mebibytes = (count: number) => torch.zeros([Math.round(count * 2 ** 18)], { device });
const model = [mebibytes(4), mebibytes(4)];
const weight = torch.ones([1 << 18], { device }).requiresGrad_();
function step(disposed: boolean) {
  const a = model[0]!.add(1), b = a.mul(2), c = b.sum();
  if (disposed) for (const each of [a, b, c]) each.dispose();
}
const verdict = () => lab.growth(lab.ledger.epochs).verdict;
const holders = () => [...lab.ledger.holders.values()].flat().join("; ");`;

const LOOPS: readonly (readonly [what: string, body: string, verdict: string])[] = [
  ["keeps nothing", "", "steady"],
  ["keeps 1% an epoch", "kept.push(mebibytes(0.08));", "climbing"],
  ["keeps 10% an epoch", "kept.push(mebibytes(0.8));", "growing"],
  ["keeps 100% an epoch", "kept.push(mebibytes(8));", "growing"],
  ["fills a ring of eight", "kept.push(mebibytes(1)); if (kept.length > 8) kept.shift();", "rose, then flat"],
  ["keeps one checkpoint at epoch six", "if (epoch === 5) kept.push(mebibytes(8));", "rose, then flat"],
  ["alternates", "kept.length = 0; if (epoch % 2) kept.push(mebibytes(4));", "steady"],
];

describe.each(["cpu", "simulated Metal"])("on %s, a loop that", (device) => {
  const folder = mkdtempSync(path.join(tmpdir(), "growth-"));
  let kernel: KernelProcess;
  const run = async (code: string) => (await kernel.client.execute(code)).result;

  beforeAll(async () => {
    kernel = await KernelProcess.start({
      directory: folder,
      environment: device === "cpu" ? {} : { MPSLAB_METAL: "simulated" },
    });
    await run(setup(device === "cpu" ? "cpu" : "mps"));
  });
  afterAll(async () => {
    await kernel.stop();
    rmSync(folder, { recursive: true });
  });

  const loop = (epochs: number, body: string, disposed: boolean) =>
    run(`lab.ledger.clear(); var kept: Tensor[] = [];
for (let epoch = 0; epoch < ${epochs}; epoch++) { step(${disposed}); ${body} }
verdict()`);

  for (const [what, body, verdict] of LOOPS) {
    it.each([
      [10, "dropped", false],
      [10, "disposed", true],
      [30, "dropped", false],
    ] as const)(`${what}, in %i epochs whose tensors are %s: ${verdict}`, async (epochs, _, disposed) => {
      expect(await loop(epochs, body, disposed)).toBe(`'${verdict}'`);
    });
  }

  it("keeps tensors in a variable: it is named, with its cell, in the chart's line and by lab.diagnose()", async () => {
    await loop(12, "kept.push(mebibytes(8));", false);
    expect(await run("holders()")).toMatch(/^'kept \(8 MiB more in 1 tensor, of Cell \[\d+\]\)'$/);
    expect(
      await run(`lab.diagnose().found.find(({ symptom }) => symptom === "growing memory")?.evidence[0]`),
    ).toMatch(/growing: 8 MiB an epoch, .*, held by kept \(8 MiB more in 1 tensor, of Cell \[\d+\]\)/);
  });

  it("keeps tensors in a list beside a million and a half objects: the list is named", async () => {
    await run("let records = Array.from({ length: 1_500_000 }, (_, i) => ({ i, name: `record ${i}` }));");
    await loop(12, "kept.push(mebibytes(4));", false);
    expect(await run("holders()")).toMatch(/^'kept \(4 MiB more in 1 tensor, of Cell \[\d+\]\)'$/);
    await run("records = [];");
  });

  it("makes a graph longer behind a scalar: the variable is named", async () => {
    expect(
      await run(`lab.ledger.clear(); kept = []; let total = torch.zeros([], { device }) as Tensor;
for (let epoch = 0; epoch < 12; epoch++) total = total.add(weight.exp().sum());
[verdict(), holders()].join(": ")`),
    ).toMatch(/^'growing: total \(its graph grew from \d+ to \d+ nodes, of Cell \[\d+\]\)'$/);
  });

  it("keeps tensors in a closure: the line that makes them is named", async () => {
    expect(
      await run(`lab.ledger.clear(); total = torch.zeros([]);
const remember = (() => { const all: Tensor[] = []; return () => {
  all.push(mebibytes(1));
}; })();
for (let epoch = 0; epoch < 12; epoch++) remember();
[verdict(), holders()].join(": ")`),
    ).toMatch(
      /^'growing: 1 tensor made at Cell \[\d+\]:3 \(1 MiB in all, the largest float32 \[262144\].*\)'$/,
    );
  });

  it("is of four epochs has its verdict and its holder, a variable or the cell of a closure", async () => {
    await loop(4, "kept.push(mebibytes(8));", false);
    expect(await run("[verdict(), holders()].join(': ')")).toMatch(
      /^'growing: kept \(24 MiB more in 3 tensors, of Cell \[\d+\]\)'$/,
    );
    await loop(4, "const t = mebibytes(8); kept.push((() => t) as never);", false);
    expect(await run("[verdict(), holders()].join(': ')")).toMatch(
      /^'growing: 3 tensors made in Cell \[\d+\] \(24 MiB more\), to which no variable leads: a closure, .*'$/,
    );
    await run("kept = [];");
  });

  it("keeps JavaScript's own objects: V8's heap is told apart from tensors", async () => {
    expect(
      await run(`lab.ledger.clear(); const objects: object[] = [];
for (let epoch = 0; epoch < 12; epoch++) for (let i = 0; i < 20_000; i++) objects.push({ i, list: [i] });
lab.diagnose().found.find(({ symptom }) => symptom === "growing memory")?.evidence[0]`),
    ).toMatch(/tensors are flat, but V8's heap grows: [\d.]+ MiB an epoch/);
  });

  it("keeps losses with their graphs: the list is named, not only the graph", async () => {
    expect(
      await run(`lab.ledger.clear(); objects.length = 0; total = torch.zeros([]); const losses: Tensor[] = [];
for (let epoch = 0; epoch < 10; epoch++) for (let i = 0; i < 4; i++) losses.push(weight.exp().tanh().sum());
[verdict(), holders()].join(": ")`),
    ).toMatch(/^'growing: losses \(4 more tensors with their graphs, of Cell \[\d+\]\)'$/);
  });
});
