// The addon in worker threads: each has its own tensors and state, and their ends do not touch each other.
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { prelude, runProgram } from "../programs.ts";

const worker = (body: string) => `new (require("node:worker_threads").Worker)(
  ${JSON.stringify(`${prelude} const { parentPort } = require("node:worker_threads"); ${body}`)}, { eval: true })`;

it("a worker calculates beside the main thread, and both end cleanly", () => {
  const results = runProgram(`
    const once = (worker) => new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
    const sums = Array.from({ length: 3 }, () => once(${worker(`
      let total = 0;
      for (let i = 0; i < 2_000; i++) total += native.item(operator("sum")(operator("ones")([1 + (i % 300)])));
      parentPort.postMessage(total);
    `)}));
    return Promise.all(sums);
  `);
  expect(results).toEqual([291_000, 291_000, 291_000]);
});

it("a worker that is ended while it works takes its tensors with it", () => {
  const allocated = runProgram(`
    const busy = ${worker(`
      globalThis.kept = Array.from({ length: 1_000 }, () => operator("ones")([1000]));
      parentPort.postMessage("ready");
      for (;;) operator("ones")([1000]);
    `)};
    await new Promise((resolve) => busy.on("message", resolve));
    await busy.terminate();
    return native.memoryStats("cpu").allocatedBytes;
  `);
  expect(allocated).toBe(0);
});

it("a tensor does not cross threads: what arrives is no tensor", () => {
  const arrived = runProgram(`
    const echo = ${worker(`parentPort.once("message", (value) => parentPort.postMessage(native.isTensor(value)));`)};
    const reply = new Promise((resolve) => echo.on("message", resolve));
    echo.postMessage(operator("ones")([1]));
    return reply;
  `);
  expect(arrived).toBe(false);
});

it("modes are a thread's own", () => {
  const enabled = runProgram(`
    native.setGradEnabled(false);
    return new Promise((resolve) => ${worker(`parentPort.postMessage(native.gradEnabled());`)}.on("message", resolve));
  `);
  expect(enabled).toBe(true);
});

it("a second copy of the library in one process is refused, and the first works on", () => {
  const copy = (file: string) => JSON.stringify(new URL(`../../../dist/${file}`, import.meta.url).href);
  const answers = execFileSync(process.execPath, [
    "--input-type=module",
    "--eval",
    `const [first, second] = [await import(${copy("lib/index.js")}), await import(${copy("bundle/lib/index.js")})];
     const tensor = first.torch.ones([2]);
     try { second.torch.ones([2]); } catch (error) { console.log(error.message); }
     console.log(tensor.add(1).tolist());`,
  ]);
  expect(answers.toString()).toBe(
    "mpslab is loaded a second time in this process, from another file: import it from one place alone.\n[ 2, 2 ]\n",
  );
});
