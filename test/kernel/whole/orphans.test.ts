// Nothing outlives the kernel: no process, no file, however its parent or one of its processes ends.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { KERNEL_MAIN, KernelProcess, writeConnectionFile } from "../../helpers/kernel_process.ts";
import { KernelClient } from "../../helpers/kernel_client.ts";
import { isAlive, treeOf, untilGone } from "../../helpers/process_tree.ts";
import { readConnection } from "../../../kernel/protocol/connection.ts";

const listed = (pid: number, column: string): string => {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", `${column}=`], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
};
const nameOf = (pid: number) => listed(pid, "comm");
const commandOf = (pid: number) => listed(pid, "args");

it("a kernel that is shut down before its first cell ends with what it started", async () => {
  const kernel = await KernelProcess.start();
  const pids = treeOf(kernel.process.pid!);
  await kernel.client.request("shutdown_request", { restart: false }, "control");
  expect(await kernel.exited()).toBe(0);
  await untilGone(pids);
  kernel.client.close();
});

describe.each([
  ["idle", "1 + 1", false],
  ["in a loop that never ends", 'console.log("begun"); while (true) {}', true],
  [
    "in a native call",
    'console.log("begun"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100_000);',
    true,
  ],
  ["with tensors", 'import { torch } from "mpslab"; torch.ones([1024, 1024]).sum().item()', false],
])("with the session %s", (_name, code, endless) => {
  let kernel: KernelProcess;
  const temporary = mkdtempSync(join(tmpdir(), "orphans-"));
  afterEach(() => {
    kernel.client.close();
    rmSync(temporary, { recursive: true });
  });

  it("a killed kernel takes all its processes with it, and leaves no temporary file", async () => {
    kernel = await KernelProcess.start({ environment: { TMPDIR: temporary } });
    if (endless) {
      const begun = kernel.client.nextPublished(({ header }) => header.msg_type === "stream");
      void kernel.client.execute(code).catch(() => {});
      await begun;
    } else {
      await kernel.client.execute(code);
    }
    const tree = treeOf(kernel.process.pid as number);
    // The session and the language server at least.
    expect(tree.length).toBeGreaterThanOrEqual(3);
    kernel.process.kill("SIGKILL");
    await untilGone(tree);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe("a command of %sh, with what it has started, ends", () => {
  const COMMAND = "%sh echo begun; (sleep 300 & sleep 301) & sleep 302";

  async function whileCommandRuns(
    kill: (tree: readonly number[], kernel: KernelProcess) => void,
  ): Promise<void> {
    const kernel = await KernelProcess.start();
    try {
      const begun = kernel.client.nextPublished(({ header }) => header.msg_type === "stream");
      void kernel.client.execute(COMMAND).catch(() => {});
      await begun;
      const tree = treeOf(kernel.process.pid as number);
      const sleeping = () => tree.filter((pid) => isAlive(pid) && nameOf(pid) === "sleep");
      expect(sleeping()).toHaveLength(3);
      kill(tree, kernel);
      while (sleeping().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      kernel.client.close();
      kernel.process.kill("SIGKILL");
    }
  }

  it("when its session is killed", () =>
    whileCommandRuns((tree) => {
      const session = tree.find((pid) => commandOf(pid).includes("runtime/host.js"));
      process.kill(session!, "SIGKILL");
    }));

  it("when its session is killed after Stop, or a closed terminal, has reached the whole process group", () =>
    whileCommandRuns((tree) => {
      const session = tree.find((pid) => commandOf(pid).includes("runtime/host.js"))!;
      const guardian = treeOf(session).find((pid) => commandOf(pid).includes("read -r change"))!;
      for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.kill(guardian, signal);
      process.kill(session, "SIGKILL");
    }));

  it("when its kernel is killed", () => whileCommandRuns((_, kernel) => void kernel.process.kill("SIGKILL")));

  it("when both are killed at once", () =>
    whileCommandRuns((tree, kernel) => {
      const session = tree.find((pid) => commandOf(pid).includes("runtime/host.js"));
      for (const pid of [kernel.process.pid!, session!]) process.kill(pid, "SIGSTOP");
      for (const pid of [kernel.process.pid!, session!]) process.kill(pid, "SIGKILL");
    }));
});

describe("a kernel whose parent is killed", () => {
  it("ends with all its processes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orphan-"));
    const connectionFile = await writeConnectionFile(folder);
    // Stands for Jupyter: it starts the kernel and says its own process id, as jupyter_client does.
    const program = `
      const { spawn } = require("node:child_process");
      const env = { ...process.env, JPY_PARENT_PID: String(process.pid) };
      const kernel = spawn(process.execPath, [${JSON.stringify(KERNEL_MAIN)}, ${JSON.stringify(connectionFile)}], { env, stdio: "ignore" });
      console.log(kernel.pid);
      setInterval(() => {}, 1000);`;
    const jupyter = spawn(process.execPath, ["-e", program], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = await new Promise<number>((resolve) =>
      jupyter.stdout.once("data", (line) => resolve(Number(line))),
    );
    const client = await KernelClient.connect(readConnection(connectionFile));
    await client.execute("1 + 1");
    const tree = treeOf(pid);
    jupyter.kill("SIGKILL");
    await untilGone(tree);
    client.close();
    rmSync(folder, { recursive: true });
    expect(tree.length).toBeGreaterThanOrEqual(3);
  });
});
