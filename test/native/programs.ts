// Runs a small program on the addon in a process of its own: for limits, resident memory and threads, which belong to
// a process. The program sees `native`, `operator(name)` and `gc`, and what it returns comes back.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const addon = process.env["MPSLAB_ADDON"] ?? path.join(root, "build/native/Release/mpslab.node");

/** The start of a program. It does the same as `lib/torch/engine/native.ts`, which plain Node cannot read. */
export const prelude = `
  const native = require(${JSON.stringify(addon)});
  native.setNumThreads(1); // the threads of a busy machine wait for each other by spinning
  class Wrapper { #number = 0; static number(value) { return #number in value ? value.#number : 0; } }
  native.setWrapper(Wrapper);
  native.call = (id, ...args) => native.callInto(id, new Wrapper(), ...args);
  native.setCollector(gc, () => gc({ type: "minor" }));
  for (const question of ["item", "storage", "dispose"]) {
    const ask = native[question];
    native[question] = (tensor) => ask(0, tensor);
  }
  class OutOfMemoryError extends Error {}
  class UseAfterDisposeError extends Error {}
  native.setErrorClasses({ OutOfMemoryError, UseAfterDisposeError, DeviceMismatchError: Error, UnsupportedOperatorError: Error });
  const operator = (name) => { const id = native.operator(name); return (...args) => native.call(id, ...args); };
`;

export function runProgram(body: string): unknown {
  const program = `${prelude}
    const main = async () => { ${body} };
    main().then((value) => process.stdout.write(JSON.stringify(value ?? null)));`;
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, ["--expose-gc", "-e", program], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The program ended with ${signal ?? status}: ${stderr}`);
  return JSON.parse(stdout) as unknown;
}
