// Memory and processor use of processes, wherever the system tells it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usage } from "../../../kernel/shell/usage.ts";

const NO_PROC = "/nowhere";
const PATH = process.env["PATH"];
let child: ChildProcess;
let gone: number;

beforeAll(async () => {
  child = spawn(process.execPath, ["-e", "console.log('up'); setInterval(() => {}, 1000)"]);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  gone = ended.pid as number;
});
afterAll(() => {
  child.kill();
});

/** Runs `body` as in a container that has not even `ps`. */
async function withoutPs<Result>(body: () => Promise<Result>): Promise<Result> {
  process.env["PATH"] = NO_PROC;
  try {
    return await body();
  } finally {
    process.env["PATH"] = PATH;
  }
}

describe.each([
  ["/proc", "/proc", existsSync("/proc/uptime")],
  ["ps", NO_PROC, (PATH ?? "").split(":").some((folder) => existsSync(`${folder}/ps`))],
])("from %s", (_name, procFolder, exists) => {
  // A Mac has no /proc, a slim container no ps.
  it.skipIf(!exists)("another process has the memory and the time that it uses", async () => {
    const told = await usage([child.pid as number], procFolder);
    expect(told["kernel_memory"]).toBeGreaterThan(10e6);
    expect(told["kernel_memory"]).toBeLessThan(1e9);
    expect(told["kernel_cpu"]).toBeGreaterThanOrEqual(0);
  });

  it.skipIf(!exists)("processes are added up; one that is gone is left out", async () => {
    const own = await usage([process.pid], procFolder);
    const all = await usage([process.pid, child.pid as number, gone], procFolder);
    expect(Number(all["kernel_memory"]) - Number(own["kernel_memory"])).toBeGreaterThan(10e6);
  });
});

describe("where there is no ps", () => {
  it("this process is told all the same, the others are left out", async () => {
    const told = await withoutPs(() => usage([process.pid, child.pid as number], NO_PROC));
    expect(told["pid"]).toBe(process.pid);
    expect(told["kernel_memory"]).toBeGreaterThan(10e6);
    expect(told["kernel_cpu"]).toBeGreaterThan(0);
  });

  it("figures that nobody can tell are left out, the host's are there", async () => {
    const told = await withoutPs(() => usage([child.pid as number], NO_PROC));
    expect(told).not.toHaveProperty("kernel_memory");
    expect(told).not.toHaveProperty("kernel_cpu");
    expect(told).toHaveProperty("host_virtual_memory.total", expect.any(Number));
  });
});
