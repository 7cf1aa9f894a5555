// A loader's workers in a notebook: the dataset is a TypeScript file beside it, and an interrupt ends a wait for them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(join(tmpdir(), "mpslab-loader-"));
let kernel: KernelProcess;
beforeAll(async () => {
  writeFileSync(
    join(directory, "squares.ts"),
    `import { torch, type Tensor } from "mpslab";
     export default (length: number, hangAt = -1) => ({
       length,
       get(index: number): Tensor {
         while (index === hangAt);
         return torch.tensor(index * index);
       },
     });`,
  );
  kernel = await KernelProcess.start({ directory });
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);

it("workers load the notebook's TypeScript", async () => {
  await run('import { data } from "mpslab";');
  const { result, reply } = await run(`
    const squares = await data.workerDataset<data.Dataset<any>>("./squares.ts", 5);
    Array.from(new data.DataLoader(squares, { batchSize: 2, numWorkers: 2 }), (batch: any) => batch.tolist())`);
  expect([reply["evalue"], result]).toEqual([undefined, "[ [ 0, 1 ], [ 4, 9 ], [ 16 ] ]"]);
});

it("an interrupt ends a diagnosis of workers, and is no failure of the dataset's", async () => {
  const asked = kernel.client.nextPublished(({ content }) => String(content["text"]).includes("asked"));
  const diagnosing = run(`
    const slow = { length: 1e6, get(index: number) { if (index === 0) console.log("asked"); while (index === 3); return index; } };
    data.diagnoseLoader(new data.DataLoader(slow as never, { batchSize: 2 }), { mostWorkers: 0, seconds: 5 })`);
  await asked;
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await diagnosing).reply["ename"]).toBe("KeyboardInterrupt");
});

it("an interrupt ends the wait for a worker that hangs, and the session goes on", async () => {
  const printed = kernel.client.nextPublished(({ content }) => String(content["text"]).includes("first"));
  const hanging = run(`
    const hangs = await data.workerDataset<data.Dataset<any>>("./squares.ts", 5, 3);
    for (const batch of new data.DataLoader(hangs, { numWorkers: 1 })) console.log("first");`);
  await printed;
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await hanging).reply["ename"]).toBe("KeyboardInterrupt");
  expect((await run("squares.length")).result).toBe("5");
});
