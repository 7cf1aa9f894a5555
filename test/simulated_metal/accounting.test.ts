// Tests what a step copies between devices and what falls back, reported with the cell's line that did it: in a loop,
// in a function of another cell, in a backward, and in an installed package that a cell calls.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../helpers/kernel_process.ts";

let kernel: KernelProcess;
const folder = mkdtempSync(path.join(tmpdir(), "accounting-"));

beforeAll(async () => {
  const folderOfPackage = path.join(folder, "node_modules", "halver");
  mkdirSync(folderOfPackage, { recursive: true });
  writeFileSync(
    path.join(folderOfPackage, "package.json"),
    JSON.stringify({ name: "halver", version: "1.0.0", type: "module", exports: "./index.js" }),
  );
  writeFileSync(
    path.join(folderOfPackage, "index.js"),
    `export const halve = (x) => {
  const here = x.cpu();
  return here.mul(0.5).to("mps");
};
`,
  );
  kernel = await KernelProcess.start({
    directory: folder,
    environment: { PYTORCH_ENABLE_MPS_FALLBACK: "1", MPSLAB_METAL: "simulated 4GB" },
  });
  await run(`import { lab, torch } from "mpslab";
const x = torch.ones([2, 2], { device: "mps" });
const told = (trace: lab.Trace) => [
  ...trace.copies.map(({ from, to, bytes, line }) => \`\${from} to \${to}, \${bytes} bytes, \${line}\`),
  ...trace.switches.filter(({ cause, to }) => cause === "fallback" && to === "cpu").map(({ operator, line }) => \`\${operator}, \${line}\`),
];`);
});
afterAll(async () => {
  await kernel.stop();
  rmSync(folder, { recursive: true });
});

it("a function that computes on another device than it is timed on is refused: nobody would wait for it", async () => {
  const error =
    "exp returns a tensor on mps, but cpu is what it is timed on: it would be asked for and never waited for. Make its tensors on cpu, or name mps as the device.";
  for (const call of [
    'lab.compare({ exp: () => x.exp() }, { devices: ["cpu"] })',
    'lab.benchmark(() => [x.exp()], { name: "exp", device: "cpu" })',
    'await lab.benchmark(async () => x.exp(), { name: "exp", device: "cpu" })',
  ])
    expect((await kernel.client.execute(call)).errors).toMatchObject([
      { ename: "DeviceMismatchError", evalue: error },
    ]);
  // A result that is brought to the CPU in the end was waited for.
  const { result } = await kernel.client.execute(
    'lab.compare({ exp: () => x.exp().cpu() }, { devices: ["mps"], repeats: 3 }).results.length',
  );
  expect(result).toBe("1");
});

/** The number of the cell, and what its last line is: a list of texts. */
async function run(code: string): Promise<{ cell: string; told: string[] }> {
  const { reply, result } = await kernel.client.execute(code);
  expect(reply).toMatchObject({ status: "ok" });
  const text = String(result ?? "[]");
  return {
    cell: `Cell [${reply["execution_count"]}]`,
    told: [...text.matchAll(/'([^']*)'/g)].map(([, one]) => one!),
  };
}

it("in a loop: once for each turn, all on the loop's line", async () => {
  const { cell, told } = await run(`const looped = lab.trace(() => {
  for (let i = 0; i < 2; i++) {
    const here = x.cpu();
    torch.linalg.eig(x);
  }
});
told(looped)`);
  expect(told).toEqual([
    `mps to cpu, 16 bytes, ${cell}:3`,
    `mps to cpu, 16 bytes, ${cell}:3`,
    `linalg_eig, ${cell}:4`,
    `linalg_eig, ${cell}:4`,
  ]);
});

it("in a function of another cell: the line of the function", async () => {
  const { cell } = await run(`function there(tensor: typeof x) {
  torch.linalg.eig(tensor);
  return tensor.cpu();
}`);
  const { told } = await run("told(lab.trace(() => there(x)))");
  expect(told).toEqual([`mps to cpu, 16 bytes, ${cell}:3`, `linalg_eig, ${cell}:2`]);
});

it("in a backward: the line that runs it, apart from the line of the forward", async () => {
  const { cell, told } = await run(`const weight = torch.eye(2, { device: "mps" }).requiresGrad_();
const stepped = lab.trace(() => {
  const loss = weight.cpu().sum();
  const [values] = torch.linalg.eig(weight);
  loss.backward();
  torch.real(values).sum().backward();
});
told(stepped)`);
  expect(told.slice(0, 2)).toEqual([`mps to cpu, 16 bytes, ${cell}:3`, `cpu to mps, 16 bytes, ${cell}:5`]);
  // The gradient of eig solves a system of complex numbers, which PyTorch has no Metal kernel for either.
  expect(told.slice(2)).toContain(`linalg_eig, ${cell}:4`);
});

it("in an installed package: the cell's line that calls it", async () => {
  const { cell, told } = await run(`import { halve } from "halver";
const halved = lab.trace(() => {
  const y = x.add(1);
  return halve(y);
});
told(halved)`);
  expect(told).toEqual([`mps to cpu, 16 bytes, ${cell}:4`, `cpu to mps, 16 bytes, ${cell}:4`]);
});
