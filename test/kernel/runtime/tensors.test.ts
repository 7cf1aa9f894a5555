// Tensors in the real kernel: what errors say of the cells that made them, and memory that cells dropped.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

const run = (code: string) => kernel.client.execute(code);

it("libtorch is loaded by the first call that needs it, not by the import", async () => {
  await run(`
    import { data, functional, lab, mps, nn, optim, serialize, slider, Tensor, torch } from "mpslab";
    const loaded = () => (process.report.getReport() as any).sharedObjects.some((file: string) => /libtorch/.test(file));
  `);
  const without = await run(`
    slider({ label: "rate", min: 0, max: 1 });
    [torch.float32, torch.isTensor(1), {} instanceof Tensor, typeof torch.randn, lab.ledger.epochs.length, loaded()]`);
  expect(without.result).toBe("[ 'float32', false, false, 'function', 0, false ]");
  expect((await run("[mps.isBuilt() || true, loaded()]")).result).toBe("[ true, true ]");
});

describe("an error names the cell", () => {
  it("that made a disposed tensor, the cell that imports the library too", async () => {
    const made = await run('import { cpu, torch } from "mpslab"; const first = torch.ones([2]);');
    const next = await run("const second = torch.ones([2]);");
    await run("first.dispose(); second.dispose();");
    for (const [name, { reply }] of Object.entries({ first: made, second: next })) {
      const used = await run(`${name}.add(1)`);
      expect(used.reply["ename"]).toBe("UseAfterDisposeError");
      expect(used.reply["evalue"]).toContain(`made in Cell [${String(reply["execution_count"])}],`);
    }
  });

  it("of the largest tensors when memory is out, and the variable that holds them", async () => {
    const { reply } = await run(
      "const large = torch.zeros([4 * 1024 * 1024]); const kept = { losses: [torch.zeros([2, 1024 * 1024])] };",
    );
    const failed = await run(
      "cpu.setPerProcessMemoryFraction((32 * 2 ** 20) / cpu.recommendedMaxMemory()); torch.zeros([1e8]);",
    );
    expect(failed.reply["ename"]).toBe("OutOfMemoryError");
    expect(failed.reply["evalue"]).toContain(
      [
        "Largest tensors:",
        "  float32 [4194304] of 16 MiB (large, Cell [N])",
        "  float32 [2, 1048576] of 8 MiB (kept.losses[0], Cell [N])",
      ]
        .join("\n")
        .replaceAll("N", String(reply["execution_count"])),
    );
    await run("large.dispose(); kept.losses[0]!.dispose();");
  });
});

it("tensors that nobody holds make room for a new one", async () => {
  const { reply, result } = await run(`
    cpu.setPerProcessMemoryFraction((64 * 2 ** 20) / cpu.recommendedMaxMemory());
    let made = 0;
    for (; made < 6; made++) torch.zeros([12 * 2 ** 20]);
    made`);
  expect([reply["status"], result]).toEqual(["ok", "6"]);
});
