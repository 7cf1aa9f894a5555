// Memory and processor use of processes, wherever the system tells it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type System, thisSystem } from "../../../lib/platform/system.ts";
import { usage } from "../../../kernel/shell/usage.ts";

/** A Mac has no /proc, a slim container not even `ps`. */
const withoutProc: System = { ...thisSystem, textOf: () => null };
const withoutPs: System = { ...withoutProc, answerLater: async () => null };
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

describe.each([
  ["/proc", thisSystem, existsSync("/proc/uptime")],
  ["ps", withoutProc, existsSync("/bin/ps")],
])("from %s", (_name, system, exists) => {
  it.skipIf(!exists)("another process has the memory and the time that it uses", async () => {
    const told = await usage([child.pid as number], system);
    expect(told["kernel_memory"]).toBeGreaterThan(10e6);
    expect(told["kernel_memory"]).toBeLessThan(1e9);
    expect(told["kernel_cpu"]).toBeGreaterThanOrEqual(0);
  });

  it.skipIf(!exists)("processes are added up; one that is gone is left out", async () => {
    const own = await usage([process.pid], system);
    const all = await usage([process.pid, child.pid as number, gone], system);
    expect(Number(all["kernel_memory"]) - Number(own["kernel_memory"])).toBeGreaterThan(10e6);
  });
});

describe("where there is no ps", () => {
  it("this process is told all the same, the others are left out", async () => {
    const told = await usage([process.pid, child.pid as number], withoutPs);
    expect(told["pid"]).toBe(process.pid);
    expect(told["kernel_memory"]).toBeGreaterThan(10e6);
    expect(told["kernel_cpu"]).toBeGreaterThan(0);
  });

  it("figures that nobody can tell are left out, the host's are there", async () => {
    const told = await usage([child.pid as number], withoutPs);
    expect(told).not.toHaveProperty("kernel_memory");
    expect(told).not.toHaveProperty("kernel_cpu");
    expect(told).toHaveProperty("host_virtual_memory.total", expect.any(Number));
  });
});
