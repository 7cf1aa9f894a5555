// Tests libtorch's warnings as the user of a program or a cell reads them on stderr.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const library = fileURLToPath(new URL("../../../../dist/bundle/lib/index.js", import.meta.url));

/** The warnings of a program, a line each. */
function warnings(program: string): string[] {
  const text = `import { torch } from ${JSON.stringify(library)};\n${program}`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text], { encoding: "utf8" });
  return stderr.split("\n").filter((line) => line !== "");
}

it("libtorch's warnings come without its C++ lines, in the names of cells, once each", () => {
  const program = `
    const x = torch.ones([2], { requiresGrad: true });
    x.mul(2).grad;
    torch.eye(2).toSparseCsr();
    torch.eye(2).toSparseCsr();
    torch.stft(torch.ones([64]), 16, { returnComplex: true });
    torch.quantizePerTensor(x.detach(), 0.1, 0, "quint8");`;
  expect(warnings(program)).toEqual([
    "Warning: grad of a tensor that is no leaf is read: backward() adds up gradients in leaves alone. Call retainGrad() on this one before backward(), or read grad of the leaf that it was computed from.",
    "Warning: compressed sparse tensors (CSR, CSC, BSR, BSC) are in beta in libtorch: some operators do not take them.",
    "Warning: stft without a window cuts the signal sharply, which leaks between frequencies: give { window: torch.hannWindow(nFft) }, or torch.ones([nFft]) where that is wanted.",
    expect.stringMatching(/^Warning: torch\.quantizePerTensor, torch\.quantizePerChannel and other/),
  ]);
});

it("warnings of a worker thread read alike", () => {
  const program = `
    import { Worker } from "node:worker_threads";
    const code = 'import(${JSON.stringify(library)}).then(({ torch }) => torch.ones([1], { requiresGrad: true }).mul(2).grad)';
    const worker = new Worker(code, { eval: true });
    await new Promise((done) => worker.on("exit", done));`;
  expect(warnings(program)).toEqual([expect.stringMatching(/^Warning: grad of a tensor that is no leaf/)]);
});
