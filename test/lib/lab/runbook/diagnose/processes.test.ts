// Other sessions of this machine, as the system lists its processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { lab } from "../../../../../lib/index.ts";
import { otherSessions, sessionsIn } from "../../../../../lib/lab/runbook/diagnose/processes.ts";

describe("other sessions", () => {
  const table =
    "    1 /sbin/init\n  812 node --x /a/dist/kernel/runtime/host.js 3\n  900 vim kernel/runtime/host.ts\n";
  it("are found by what they run, this one aside", () => {
    expect(sessionsIn(table, 1)).toEqual([{ pid: 812, name: "node --x /a/dist/kernel/runtime/host.js" }]);
    expect(sessionsIn(table, 812)).toEqual([]);
  });

  it("of this machine are found while they run", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "session-"));
    const program = path.join(folder, "kernel/runtime/host.js");
    mkdirSync(path.dirname(program), { recursive: true });
    writeFileSync(program, 'console.log("up"); process.stdin.resume();');
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "ignore"] });
    await once(child.stdout, "data");
    expect(otherSessions()!.map(({ pid }) => pid)).toContain(child.pid);
    // Other sessions of this machine stand in the same line.
    expect(lab.diagnose().found.find(({ symptom }) => symptom === "several processes")?.evidence).toEqual([
      expect.stringMatching(/^(process \d+: |\d+ processes of )node runtime\/host\.js/),
    ]);
    child.stdin.end();
    await once(child, "exit");
    expect(otherSessions()?.map(({ pid }) => pid)).not.toContain(child.pid);
    rmSync(folder, { recursive: true });
  });
});
