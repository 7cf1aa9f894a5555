// Tests what the user reads when the session process dies: why, what ran last, what is lost. Every death here is a real
// one.
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { describeCrash } from "../../../kernel/session/crash.ts";
import type { Exit } from "../../../kernel/session/process.ts";
import { Notebook, traceback } from "./notebook.ts";

const ordinary: Exit = {
  code: 0,
  signal: null,
  cause: null,
  failure: null,
  heapFull: false,
  memoryShort: false,
  lastOperator: null,
};

const GROUP = `/sys/fs/cgroup/memory/mpslab-crash-${process.pid}`;

function canLimitMemory(): boolean {
  try {
    mkdirSync(GROUP);
    rmdirSync(GROUP);
    return true;
  } catch {
    return false;
  }
}

describe("the description of a crash", () => {
  const lostOf = (lostNames: string[], snapshot: string | null = null) =>
    describeCrash({ rank: null, exit: ordinary, lostNames, snapshot }).lost;

  it.each<[string, Partial<Exit>, string]>([
    ["an exit", { code: 3 }, "The session process exited with code 3: something called process.exit()."],
    [
      "a signal inside of an operator",
      {
        signal: "SIGBUS",
        lastOperator: { name: "matmul", running: true, allocatedBytes: 3 * 2 ** 20, heldBytes: 2 ** 22 },
      },
      "The session process was killed by SIGBUS: an access to memory that the system could not provide. " +
        "It was inside of matmul(): tensors held 3.0 MiB, the allocator 4.0 MiB.",
    ],
    [
      "a signal after an operator",
      {
        signal: "SIGSYS",
        lastOperator: { name: "add", running: false, allocatedBytes: 0, heldBytes: 0 },
      },
      "The session process was killed by SIGSYS. The last operator was add(): tensors held 0.0 MiB, the allocator 0.0 MiB.",
    ],
    [
      "the system's want of memory",
      { signal: "SIGKILL", memoryShort: true },
      "The session process was killed by SIGKILL: the system's memory ran out.",
    ],
    [
      "SIGKILL from anybody",
      { signal: "SIGKILL" },
      "The session process was killed by SIGKILL, as the system does when memory runs out.",
    ],
    [
      "an interrupt, whose last operator says nothing",
      {
        signal: "SIGKILL",
        cause: "interrupted",
        lastOperator: { name: "add", running: false, allocatedBytes: 0, heldBytes: 0 },
      },
      "The session process did not stop after the interrupt and was ended.",
    ],
    [
      "a start that failed",
      { failure: "spawn ENOMEM" },
      "The session process could not be started: spawn ENOMEM.",
    ],
  ])("names %s", (_name, exit, reason) => {
    const crash = { rank: null, exit: { ...ordinary, ...exit }, lostNames: [], snapshot: null };
    expect(describeCrash(crash).reason).toBe(reason);
  });

  it("names the rank where it was one of %%ranks", () => {
    const exit: Exit = { ...ordinary, signal: "SIGKILL" };
    expect(describeCrash({ rank: 2, exit, lostNames: ["x"], snapshot: null })).toEqual({
      reason: "Rank 2 was killed by SIGKILL, as the system does when memory runs out.",
      lost: "All variables and tensors of the ranks are lost (x); files are not. The next %%ranks cell starts new ranks.",
    });
  });

  it("names the variables that are lost, the first twenty of them", () => {
    expect(lostOf([])).toBe(
      "All variables and tensors are lost; files are not. The next cell starts a new session.",
    );
    expect(lostOf(["model", "losses"])).toMatch(
      /^All variables and tensors are lost \(model, losses\); files/,
    );
    const many = Array.from({ length: 22 }, (_, index) => `x${index}`);
    expect(lostOf(many)).toContain("x18, x19 and 2 more)");
  });

  it("offers %restore where there is a snapshot", () => {
    expect(lostOf([], "the snapshot of 14:03")).toMatch(/%restore brings back the snapshot of 14:03\.$/);
  });
});

describe("when the process dies", () => {
  let notebook: Notebook;
  afterEach(() => notebook.close());

  const LOST =
    "All variables and tensors are lost (kept, rate); files are not. The next cell starts a new session.";
  it.each<[name: string, code: string, reason: RegExp]>([
    [
      "process.exit",
      "process.exit(3)",
      /^The session process exited with code 3: something called process\.exit\(\)\.$/,
    ],
    [
      "SIGSEGV",
      'process.kill(process.pid, "SIGSEGV"); while (true);',
      /^The session process was killed by SIGSEGV: an access to memory that is not there, or a stack that overflowed in native code\.$/,
    ],
    [
      "SIGKILL",
      'process.kill(process.pid, "SIGKILL"); while (true);',
      /^The session process was killed by SIGKILL, as the system does when memory runs out\.$/,
    ],
    [
      "process.abort",
      "process.abort()",
      /^The session process aborted \(SIGABRT\): by process\.abort\(\), or by native code that said why above\.$/,
    ],
    [
      "an element of a tensor that is not there",
      `import { torch } from "mpslab";
       const one = torch.ones([1, 1, 1, 1]);
       const outside = torch.full([1, 1, 1, 1], 10n ** 12n);
       torch.ops.aten.max_pool2d_with_indices_backward.default(
         one, torch.ones([1, 1, 2, 2]), [2, 2], [2, 2], [0, 0], [1, 1], false, outside)`,
      /^The session process was killed by SIGSEGV: .*\. It was inside of maxPool2dWithIndicesBackward\(\): tensors held \d\.\d MiB, the allocator \d\.\d MiB\.$/,
    ],
    [
      "a signal between operators",
      `import { torch } from "mpslab";
       const x = torch.ones([1024, 1024]).exp();
       process.kill(process.pid, "SIGSEGV"); while (true);`,
      /^The session process was killed by SIGSEGV: .*\. The last operator was exp\(\): tensors held 4\.\d MiB, the allocator (8|9)\.\d MiB\.$/,
    ],
  ])("by %s, the cell says so and the next cell has a new session", async (_name, code, reason) => {
    notebook = new Notebook();
    await notebook.run('import os from "node:os"; const kept = 1; let rate = 0.1; function f() {}');
    const died = await notebook.run(code);
    expect(died.done.error?.ename).toBe("SessionEnded");
    // No stack of native code.
    expect(died.stderr).toBe("");
    const [said = "", lost] = traceback(died)
      .replace(/^SessionEnded: /, "")
      .split("\n");
    expect(said).toMatch(reason);
    expect(lost).toBe(LOST);
    expect(notebook.deaths).toEqual([said]);
    expect((await notebook.run("typeof globalThis.kept")).text).toBe("'undefined'");
  });

  it("because JavaScript's heap is full, the cell says that and not that tensors are too many", async () => {
    const before = process.env["NODE_OPTIONS"];
    process.env["NODE_OPTIONS"] = "--max-old-space-size=40";
    notebook = new Notebook();
    if (before === undefined) delete process.env["NODE_OPTIONS"];
    else process.env["NODE_OPTIONS"] = before;
    const died = await notebook.run(
      "const rows = []; while (true) rows.push(new Array(1000).fill(rows.length));",
    );
    expect(traceback(died)).toMatch(
      /^SessionEnded: The session process ran out of memory for JavaScript objects \(tensors are not among them\)\./,
    );
  });

  // Only Linux lets a running process's stack be made smaller than V8 believes that it is.
  it.runIf(process.platform === "linux")("by a stack that overflows, the cell says so", async () => {
    notebook = new Notebook();
    const died = await notebook.run(`
      import { execFileSync } from "node:child_process";
      execFileSync("prlimit", ["--pid", String(process.pid), "--stack=400000"]);
      const deeper = (): number => deeper() + 1;
      deeper()`);
    expect(traceback(died)).toMatch(
      /^SessionEnded: The session process was killed by SIGSEGV: .* or a stack that overflowed in native code\.\n/,
    );
  });

  // A limit of its own for one process takes a control group, which only root of a machine with cgroup v1 may make.
  it.runIf(canLimitMemory())("by the system's out-of-memory killer, the cell says so", async () => {
    notebook = new Notebook();
    await notebook.run('import { torch } from "mpslab"; const kept = torch.ones([4]);');
    const pid = (await notebook.run("String(process.pid)")).text as string;
    mkdirSync(GROUP);
    try {
      writeFileSync(path.join(GROUP, "memory.limit_in_bytes"), String(500 * 2 ** 20));
      writeFileSync(path.join(GROUP, "cgroup.procs"), pid.replaceAll("'", ""));
      const died = await notebook.run(
        "const many = []; while (true) many.push(torch.ones([16, 1024, 1024]));",
      );
      expect(traceback(died)).toMatch(
        /^SessionEnded: The session process was killed by SIGKILL: the system's memory ran out\. It was inside of ones\(\): tensors held \d+\.\d MiB, the allocator \d+\.\d MiB\.\n/,
      );
    } finally {
      rmdirSync(GROUP);
    }
  });
});
