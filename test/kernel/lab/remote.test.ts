// A sweep on a remote from a cell of the real kernel: what it shows, what an interrupt and the session's own end leave over
// there, and where a token that stands in the cell does not turn up.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { HANG_MS } from "../../helpers/hang.ts";
import { JupyterServer } from "../../helpers/jupyter_server.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const TOKEN = "studio-token-4f0c21a7";
const folder = mkdtempSync(path.join(tmpdir(), "remote-"));
let server: JupyterServer;
let kernel: KernelProcess;

beforeAll(async () => {
  [server, kernel] = await Promise.all([
    JupyterServer.start({ token: TOKEN }),
    KernelProcess.start({ directory: folder }),
  ]);
});
afterAll(async () => {
  await Promise.all([server.stop(), kernel.stop()]);
  rmSync(folder, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);
const sweepCell = (step: string, batches: string) => `import { lab } from "mpslab";
const studio = lab.remote({ url: ${JSON.stringify(server.url)}, token: "${TOKEN}", name: "studio" });
const swept = await studio.sweep({ batch: ${batches}, warmupSteps: 1, windows: 1, windowMs: 1, journal: null, setup: \`
import { torch } from "mpslab";
const setup = ({ batch }: { readonly batch: number }) => ${step};\` });
swept`;

it("shows progress, the table and two charts, as a sweep of this machine does", async () => {
  const { reply, displays, messages } = await run(sweepCell("() => torch.ones([batch]).sum()", "[1, 2]"));
  expect(reply["status"]).toBe("ok");
  expect(displays).toHaveLength(3);
  // The table is there already, in place of the progress: the cell's result does not repeat it.
  expect(messages.filter(({ header }) => header.msg_type === "execute_result")).toEqual([]);
  expect((await run("swept")).result).toMatch(/Best batch: [12], /);
  const published = JSON.stringify(messages.filter(({ header }) => header.msg_type !== "execute_input"));
  expect(published).not.toContain(TOKEN);
  expect((await run("studio")).result).toBe(`Remotes(studio at ${server.url})`);
});

it("an interrupt stops the remote cell, and its kernel is gone when the cell is done", async () => {
  const running = run(
    sweepCell(
      "(console.log('at', batch), batch === 1 ? () => {} : () => { while (true); })",
      "{ from: 1, to: 2 }",
    ),
  );
  await kernel.client.nextPublished(
    ({ header, content }) =>
      header.msg_type === "stream" && String(content["text"]).includes("[studio] at 2"),
  );
  await kernel.client.request("interrupt_request", {}, "control");
  const { reply, messages } = await running;
  expect(reply["ename"]).toBe("KeyboardInterrupt");
  expect(await server.kernels()).toEqual([]);
  const published = JSON.stringify(messages.filter(({ header }) => header.msg_type !== "execute_input"));
  expect(published).not.toContain(TOKEN);
});

it("an interrupt while the kernel over there still starts leaves none either", async () => {
  const running = run(sweepCell("() => torch.ones([batch]).sum()", "[1]"));
  await vi.waitUntil(async () => (await server.kernels()).length === 1, { timeout: HANG_MS, interval: 10 });
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await running).reply["ename"]).toBe("KeyboardInterrupt");
  expect(await server.kernels()).toEqual([]);
});

it("the set-up cell of this notebook travels by its number, and both sides are compared", async () => {
  const cell = await run(`import { lab, torch } from "mpslab";
export const setup = ({ batch }: lab.Point) => {
  const x = torch.ones([batch, 256]);
  return () => x.matmul(x.t()).sum();
};`);
  const number = Number(cell.reply["execution_count"]);
  const { result, errors } =
    await run(`const options = { batch: [64], warmupSteps: 1, windows: 2, windowMs: 20, journal: null };
const local = await lab.sweep({ ...options, setup });
const there = lab.remote({ url: ${JSON.stringify(server.url)}, token: "${TOKEN}", name: "studio" });
const both = await there.sweep({ ...options, setup: In[${number}]!, against: local, tolerance: 1000 });
const [movement] = both.remotes.map((one) => one.movement!);
[movement!.verdict, movement!.points.length, both.points[0]!.loss!.value].join();`);
  expect(errors).toEqual([]);
  expect(result).toBe("'within,1,1048576'");
});

it("an error shows its line without the token that stands in it", async () => {
  const { errors } = await run(
    `await lab.remote({ url: "http://127.0.0.1:9/?token=${TOKEN}", token: "${TOKEN}" }).sweep({ journal: null, setup: "1" })`,
  );
  expect(errors[0]!["ename"]).toBe("RemoteError");
  expect(JSON.stringify(errors)).toContain("lab.remote({ url:");
  expect(JSON.stringify(errors)).not.toContain(TOKEN);
  const mistyped = await run(`lab.remote({ url: 5, token: "${TOKEN}" })`);
  expect(mistyped.errors[0]!["ename"]).toBe("TypeCheckError");
  expect(JSON.stringify(mistyped.errors)).not.toContain(TOKEN);
});

it("a session that is killed in the middle leaves no kernel over there", async () => {
  const session = Number((await run("process.pid")).result);
  const running = run(
    sweepCell("() => new Promise((resolve) => setTimeout(resolve, 20))", "[1, 2, 3, 4, 5]"),
  );
  await vi.waitUntil(async () => (await server.kernels()).length === 1, { timeout: HANG_MS });
  process.kill(session, "SIGKILL");
  expect((await running).reply["ename"]).toBe("SessionEnded");
  await vi.waitUntil(async () => (await server.kernels()).length === 0, { timeout: HANG_MS });
});
