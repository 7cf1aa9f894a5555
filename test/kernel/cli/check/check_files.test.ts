// `mpslab check` says of files and notebooks what a kernel says of their cells, and runs nothing.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-check-")));
afterAll(() => rmSync(folder, { recursive: true }));

function checked(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const command = [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), "check", ...Object.keys(files)];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", cwd: folder });
  return { status, stdout, stderr };
}

it("errors are told with their advice and their place", () => {
  const { status, stdout } = checked({
    "train.ts":
      'import { torch } from "mpslab";\nconst x = torch.ones([2]);\nif (x === x) throw new Error("ran");',
    "broken.ts": 'console.log("a"\n',
  });
  expect(status).toBe(1);
  expect(stdout).toBe(
    [
      "TypeCheckError: It compares no elements (Object.is(a, b) asks whether both are one tensor): write x.equal(x). (TS2365)",
      '  1 | import { torch } from "mpslab";',
      "  2 | const x = torch.ones([2]);",
      '> 3 | if (x === x) throw new Error("ran");',
      "    |     ^^^^^^^",
      "    at train.ts:3:5",
      "",
      'SyntaxError: ) is missing: write console.log("a")',
      '> 1 | console.log("a"',
      "    |                ^",
      "  2 |",
      "    at broken.ts:1:16",
      "",
      "Problems: 2",
      "",
    ].join("\n"),
  );
});

it("a notebook's cells see the names of those before", () => {
  const cells = ["const rate: number = 0.1;", "rate.lenght", "%memory\nrate + 1"].map((source) => ({
    cell_type: "code",
    execution_count: null,
    metadata: {},
    outputs: [],
    source,
  }));
  const { status, stdout } = checked({
    "a.ipynb": JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }),
  });
  expect(stdout).toContain("Property 'lenght' does not exist on type 'number'.");
  expect(stdout).toContain("at a.ipynb, cell 2:1:6\n\nProblems: 1\n");
  expect(status).toBe(1);
});

it("what is right has no problems, and what is not there is said", () => {
  expect(checked({ "right.ts": "export const n: number = 1;\n" })).toEqual({
    status: 0,
    stdout: "No problems.\n",
    stderr: "",
  });
  const command = [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), "check", "nowhere.ts"];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", cwd: folder });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `mpslab: There is no file ${path.join(folder, "nowhere.ts")}: check the path.\n`,
  });
});
