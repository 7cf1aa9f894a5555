// Tests where the snapshot of a notebook lies when the front end does not tell its name, and several kernels run in a
// folder.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(join(tmpdir(), "mpslab-snapshots-"));
const environment = { JPY_SESSION_NAME: "" };
let first: KernelProcess;
let second: KernelProcess;
beforeAll(async () => {
  [first, second] = await Promise.all([
    KernelProcess.start({ directory, environment }),
    KernelProcess.start({ directory, environment }),
  ]);
});
afterAll(async () => {
  await second.stop();
  rmSync(directory, { recursive: true });
});

it("two kernels without a notebook's name do not write over each other's", async () => {
  const { stdout } = await first.client.execute('const who = "first";\n%snapshot');
  expect(stdout).toBe("Saved who to notebook.snapshot.\n");
  const other = await second.client.execute('const who = "second";\n%snapshot');
  expect(other.stdout).toBe("Saved who to notebook-2.snapshot.\n");
  for (const [kernel, name] of [
    [first, "first"],
    [second, "second"],
  ] as const) {
    await kernel.client.execute("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});");
    expect((await kernel.client.execute("%restore who\nwho")).result).toBe(`'${name}'`);
  }
});

it("what a kernel left that has ended is the next one's", async () => {
  await first.stop();
  const next = await KernelProcess.start({ directory, environment });
  try {
    expect((await next.client.execute("%restore\nwho")).result).toBe("'first'");
    const { stdout } = await next.client.execute('const who = "next";\n%snapshot');
    expect(stdout).toBe("Saved who to notebook.snapshot.\n");
  } finally {
    await next.stop();
  }
  expect(readdirSync(directory).toSorted()).toEqual(["notebook-2.snapshot", "notebook.snapshot"]);
});
