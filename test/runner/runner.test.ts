// What `npm test` runs after its arguments: the tests that a change can reach, with what they need, and what they cost.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { namedFiles } from "./graph.mjs";
import { planTests } from "./main.mjs";
import { readOptions } from "./options.mjs";
import { reachedTests } from "./reach.mjs";
import { slowestTable } from "./slowest.mjs";

const FILES = {
  "kernel/main.ts": 'import { parse } from "./cell/parse.ts";\nbundledProgram("kernel/runtime/host.js");',
  "kernel/cell/parse.ts": '// Not `lib/other.ts`.\nimport type { Tensor } from "../../lib/index.ts";',
  "kernel/runtime/host.ts": 'import { torch } from "../../lib/index.ts";',
  "lib/index.ts": 'export * from "./torch/engine/native.ts";',
  "lib/other.ts": "",
  "lib/torch/engine/native.ts": "",
  "native/call/call.cc": "",
  "docs/lab.md": "",
  "test/fixtures/numbers.json": "",
  "test/helpers/kernel.ts": 'path.join(root, "dist/kernel/main.js");',
  "test/guides.test.ts": 'readdirSync("../docs");',
  "test/house/rules.test.ts": "",
  "test/kernel/cell/parse.test.ts": 'import { parse } from "../../../kernel/cell/parse.ts";',
  "test/kernel/whole.test.ts": 'import { start } from "../helpers/kernel.ts";',
  "test/lib/other.test.ts": 'import "../../lib/other.ts";\nread("../fixtures");',
  "test/lib/torch/peer.test.ts": 'run(path.join(root, ".venv/bin/python"));',
  "test/packages/packages.test.ts": "",
  "package.json": "{}",
};

let root: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd: root,
    encoding: "utf8",
  });

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "mpslab-runner-"));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "All");
});
afterAll(() => rmSync(root, { recursive: true }));

const reached = (...changed: string[]) =>
  reachedTests(namedFiles(root, Object.keys(FILES)), changed).filter(
    (file) => !file.startsWith("test/house/"),
  );

describe("a change reaches the tests", () => {
  it("that import it, and those that start a program of dist/ with it", () => {
    expect(reached("kernel/cell/parse.ts")).toEqual([
      "test/kernel/cell/parse.test.ts",
      "test/kernel/whole.test.ts",
      "test/packages/packages.test.ts",
    ]);
  });

  it("of a kernel whose session loads it, but not those that take a type of it into the kernel's process", () => {
    expect(reached("lib/index.ts")).toEqual(["test/kernel/whole.test.ts", "test/packages/packages.test.ts"]);
  });

  it("that are named in a comment: not", () => {
    expect(reached("lib/other.ts")).toEqual(["test/lib/other.test.ts", "test/packages/packages.test.ts"]);
  });

  it("of what loads the addon, where C++ changed", () => {
    expect(reached("native/call/call.cc")).toEqual(reached("lib/torch/engine/native.ts"));
  });

  it("that read a folder as a whole", () => {
    expect(reached("docs/lab.md")).toEqual(["test/guides.test.ts"]);
    expect(reached("test/fixtures/numbers.json")).toEqual(["test/lib/other.test.ts"]);
  });

  it("all of them, where the way changed in which everything is installed or run", () => {
    expect(reached("package.json")).toHaveLength(6);
  });
});

describe("npm test", () => {
  it("without arguments needs everything, and runs everything", () => {
    expect(planTests(root, [])).toEqual({ python: "all", args: ["run"], said: null });
  });

  it("of a room of the library sets up what its programs in Python import", () => {
    expect(planTests(root, ["lib/torch", "-t", "safetensors"])).toEqual({
      python: ["safetensors"],
      args: ["run", "-t", "safetensors", "lib/torch"],
      said: null,
    });
    expect(planTests(root, ["test/lib/other"]).python).toEqual([]);
    expect(planTests(root, ["test/kernel"]).python).toBe("all");
  });

  it("of a room sets up everything where there is no clone, whose files git could tell", () => {
    expect(planTests(tmpdir(), ["lib/torch"])).toEqual({
      python: "all",
      args: ["run", "lib/torch"],
      said: null,
    });
  });

  it("--changed runs what the commits since main and the files since then reach, and nothing where they reach nothing", () => {
    expect(planTests(root, ["--changed"]).args).toEqual([]);
    git("checkout", "-qb", "work");
    writeFileSync(path.join(root, "lib/other.ts"), "export const one = 1;");
    git("commit", "-qam", "Other");
    writeFileSync(path.join(root, "test/lib/new.test.ts"), "");
    const all = ["test/house/rules.test.ts", "test/lib/new.test.ts", "test/lib/other.test.ts"];
    expect(planTests(root, ["--changed"])).toEqual({
      python: "all",
      args: ["run", ...all, "test/packages/packages.test.ts"],
      said: "4 of 8 test files are reached by what changed",
    });
    expect(planTests(root, ["--changed", "test/lib"])).toMatchObject({
      python: [],
      args: ["run", ...all.slice(1)],
    });
    expect(planTests(root, ["--changed=HEAD", "test/lib"]).args).toEqual(["run", "test/lib/new.test.ts"]);
  });
});

it("options of npm test are told from those of vitest", () => {
  expect(
    readOptions(["--slowest", "--reporter", "json", "lib/torch", "--bail=1", "--changed=HEAD~2"]),
  ).toEqual({
    since: "HEAD~2",
    slowest: true,
    filters: ["lib/torch"],
    rest: ["--reporter", "json", "--bail=1"],
  });
});

it("the dearest files come first, and the suites with the sums of theirs", () => {
  const file = (name: string, seconds: number) => ({ file: name, seconds });
  expect(
    slowestTable([
      file("test/lib/torch/a.test.ts", 1),
      file("test/lib/torch/nn/b.test.ts", 2.25),
      file("test/guides.test.ts", 30),
      file("simulated Metal: test/device/c.test.ts", 4),
    ]),
  ).toBe(`The 4 dearest of 4 files, in seconds with their imports (all: 37):
    30.0  test/guides.test.ts
     4.0  simulated Metal: test/device/c.test.ts
     2.3  test/lib/torch/nn/b.test.ts
     1.0  test/lib/torch/a.test.ts
The same by suite:
    30.0  test/guides.test.ts
     4.0  simulated Metal: test/device
     3.3  test/lib/torch
`);
});
