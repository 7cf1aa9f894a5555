// A cell that queues seconds of work on simulated Metal and then waits for it: an interrupt ends the wait, not the work.
// What fails in the queue tells the line that launched it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Notebook } from "../kernel/session/notebook.ts";

let notebook: Notebook;

beforeAll(async () => {
  // On a busy machine one product may take long, and the end of the wait is looked for between two of them at best.
  notebook = new Notebook({}, { interruptDeadlineMs: 60_000 });
  await notebook.run(`
    import { mps, torch, type Tensor } from "mpslab";
    mps.simulate({ memory: "8GB" });
    torch.setNumThreads(1);
    const x = torch.full([1024, 1024], 1 / 1024, { device: "mps" });
    const products = (count: number) => {
      let product = x;
      for (let i = 0; i < count; i++) product = product.matmul(x);
      return product;
    };
    const event = new mps.Event();
    let after = "";`);
});
afterAll(() => notebook.close());

async function interrupted(code: string) {
  const { cell, end } = notebook.start(code);
  await notebook.message((message) => message.type === "stream" && message.cell === cell);
  notebook.interrupt();
  return await end;
}

it.each([
  ["reads a value", "product.sum().item();"],
  ["synchronizes", "mps.synchronize();"],
  ["waits for an event", "event.synchronize();"],
  ["launches more than the queue takes", "products(2_000);"],
])("a cell that %s is stopped at once, and what it launched is computed all the same", async (_, waits) => {
  const run = await interrupted(`
    after = "not reached";
    const product = products(60);
    event.record();
    console.log("launched");
    try { ${waits} after = "reached"; }
    finally { after += event.query() ? ", the device idle" : ", the device busy"; }`);
  expect(run.done.error?.ename).toBe("KeyboardInterrupt");
  expect((await notebook.run("after")).text).toBe("'not reached, the device busy'");
  expect((await notebook.run("product.sum().item().toFixed(1)")).text).toBe("'1024.0'");
});

it("an operator that fails in the queue is told with the line that launched it, in a later cell too", async () => {
  await notebook.run(`
    const table = torch.ones([4, 2], { device: "mps" });
    const at = (index: number) => torch.tensor([index], { dtype: "int64" }).to("mps");
    const row = (index: Tensor) => table.indexSelect(0, index);
    row(at(3)).sum().item();`);
  const launched = await notebook.run("const beyond = at(9);\nconst taken = row(beyond);");
  expect(launched.done.error).toBeUndefined();
  const { done } = await notebook.run("taken.sum().item()");
  expect(done.error?.ename).toBe("RangeError");
  expect(done.error?.evalue).toMatch(
    /aten::index_select, which was queued at Cell \[\d+\]:4:\d+, failed: .*out of range/,
  );
  expect((await notebook.run("table.sum().item()")).text).toBe("8");
});
