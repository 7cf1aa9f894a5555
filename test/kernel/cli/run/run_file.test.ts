// `mpslab run` ends as node does: when nothing is left that the program began, with its exit code, and with its input.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

function ran(code: string, input = "") {
  const file = path.join(folder, "program.ts");
  writeFileSync(file, code);
  const command = [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), "run", file];
  return spawnSync(process.execPath, command, { encoding: "utf8", cwd: folder, input });
}

const PAUSE = "const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));\n";

describe("a program that nobody awaits", () => {
  it.each([
    [
      "an async main",
      `${PAUSE}async function main() { await pause(50); console.log("hello"); }\nmain();`,
      "hello\n",
    ],
    ["a timer", 'setTimeout(() => console.log("later"), 30);', "later\n"],
    [
      "an interval that ends itself",
      "let n = 0;\nconst timer = setInterval(() => { if (++n === 3) clearInterval(timer); console.log(n); }, 5);",
      "1\n2\n3\n",
    ],
    [
      "a callback of fs",
      'import { readFile } from "node:fs";\nreadFile(process.argv[1]!, "utf8", (_, text) => console.log(text.length > 0));',
      "true\n",
    ],
  ])("runs to its end: %s", (_, code, stdout) => {
    expect(ran(code)).toMatchObject({ status: 0, stdout, stderr: "" });
  });

  it("runs to its end where nobody reads on, as under head", () => {
    const done = path.join(folder, "done");
    const file = path.join(folder, "lines.ts");
    writeFileSync(
      file,
      `import { writeFileSync } from "node:fs";\nfor (let i = 0; i < 50_000; i++) console.log("line", i);\nwriteFileSync(${JSON.stringify(done)}, "yes");`,
    );
    const command = `"${process.execPath}" "${path.join(PROJECT_ROOT, "dist/kernel/cli.js")}" run "${file}" | head -1`;
    const { stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8", cwd: folder });
    expect([stdout, stderr]).toEqual(["line 0\n", ""]);
    expect(readFileSync(done, "utf8")).toBe("yes");
  });

  it("has its epoch loops flushed and recorded whole", () => {
    const { stdout } = ran(
      `import { torch } from "mpslab";\n${PAUSE}async function main() { for (let epoch = 0; epoch < 3; epoch++) { torch.ones([2]); await pause(5); } }\nmain();`,
    );
    expect(stdout).toMatch(/^Memory of 3 epochs on cpu: .*\nTime of 3 epochs on cpu: .*\n$/);
  });

  it.each([
    [
      "a promise",
      `${PAUSE}async function main() { await pause(20); throw new RangeError("late"); }\nmain();\nsetInterval(() => {}, 1000);`,
    ],
    ["a timer", 'setTimeout(() => { throw new RangeError("late"); }, 10);\nsetInterval(() => {}, 1000);'],
  ])("ends with 1 and the error that nothing catches in %s", (_, code) => {
    const { status, stderr } = ran(code);
    expect(stderr).toContain("RangeError: late");
    expect(status).toBe(1);
  });
});

describe("the exit code", () => {
  it.each([
    ["process.exitCode", 'process.exitCode = 3;\nsetTimeout(() => console.log("on"), 10);', 3, "on\n"],
    ["process.exit(), at once", 'console.log("on");\nprocess.exit(4);\nconsole.log("never");', 4, "on\n"],
    ["SIGTERM", 'process.kill(process.pid, "SIGTERM");\nsetInterval(() => {}, 1000);', 143, ""],
    ["process.exit(0)", "setInterval(() => {}, 1000);\nsetTimeout(() => process.exit(0), 10);", 0, ""],
  ])("is that of %s", (_, code, status, stdout) => {
    expect(ran(code)).toMatchObject({ status, stdout, stderr: "" });
  });
});

it("standard input is the caller's", () => {
  const code =
    'let text = "";\nprocess.stdin.on("data", (part) => (text += part)).on("end", () => console.log(text.length));';
  expect(ran(code, "hello\n")).toMatchObject({ status: 0, stdout: "6\n" });
});

it("a first line that names the program which runs the file is passed over", () => {
  expect(ran('#!/usr/bin/env -S npx mpslab run\nconsole.log("on");')).toMatchObject({
    status: 0,
    stdout: "on\n",
  });
});
