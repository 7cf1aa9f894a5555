// The lab's measurements in the real kernel: what a cell shows, where a sweep keeps its journal, how an interrupt leaves
// it, and the cell's lines at which the host waits.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../helpers/kernel_process.ts";

let kernel: KernelProcess;
const folder = mkdtempSync(path.join(tmpdir(), "lab-"));
beforeAll(async () => {
  kernel = await KernelProcess.start({ directory: folder });
  await run(`import { lab, mps, torch } from "mpslab";
const x = torch.ones([64, 64]);
const quick = { warmupSteps: 1, windows: 2, windowMs: 1 };
const journal = () => lab.sweep({ ...quick, name: "tour", batch: [1, 2], setup: ({ batch }) => {
  const y = torch.ones([batch, 64]);
  return () => y.matmul(x);
} });`);
});
afterAll(async () => {
  await kernel.stop();
  rmSync(folder, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);

it("a benchmark is a cell's result: a table as HTML and text", async () => {
  const { messages, result } = await run("lab.benchmark(() => x.matmul(x), { name: 'product', repeats: 3 })");
  expect(result).toMatch(/^Time of one call, median/);
  const { content } = messages.find(({ header }) => header.msg_type === "execute_result")!;
  expect(String((content["data"] as Record<string, unknown>)["text/html"])).toContain("<td");
});

it("a sweep shows its table and two charts, and keeps its journal beside the notebook", async () => {
  const { displays, reply, result } = await run("await journal()");
  expect(reply["status"]).toBe("ok");
  expect(result).toMatch(/Best batch: [12], /);
  expect(displays).toHaveLength(3);
  const lines = readFileSync(path.join(folder, "tour.sweep.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    "sweep",
    "begin",
    "point",
    "begin",
    "point",
    "end",
  ]);
});

it("an interrupt ends a sweep, and its journal goes on from there", async () => {
  const running =
    run(`const stopped = lab.sweep({ ...quick, name: "stopped", batch: { from: 1, to: 2 }, setup: ({ batch }) => () => {
  console.log("batch", batch);
  while (batch === 2);
} });
await stopped`);
  await kernel.client.nextPublished(
    ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("batch 2"),
  );
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await running).reply["ename"]).toBe("KeyboardInterrupt");
  const lines = readFileSync(path.join(folder, "stopped.sweep.jsonl"), "utf8").trim().split("\n");
  expect(JSON.parse(lines.at(-1)!)).toEqual({ type: "interrupted", point: { batch: 2 } });
  expect((await run("x.sum().item()")).result).toBe("4096");
});

it("waits for the device are told by the cell's lines", async () => {
  await run('mps.simulate({ memory: "4GB" });');
  const { reply, result } = await run(`const far = torch.ones([64, 64], { device: "mps" });
lab.syncs(() => {
  const y = far.matmul(far);
  y.sum().item();
}).sites.map(({ line, operation }) => \`\${operation} at \${line}\`).join()`);
  expect(result).toBe(`'item at Cell [${String(reply["execution_count"])}]:4'`);
});
