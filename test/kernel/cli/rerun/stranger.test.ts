// What a stranger's logbook can do with `mpslab rerun`: nothing runs that its reader was not shown, and nothing is written
// outside of the clean folder.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { keepBytes } from "../../../../lib/records/logbook/kept_files.ts";
import { visible } from "../../../../lib/visible.ts";
import type { Program } from "../../../../lib/records/logbook/program.ts";
import { commandLine } from "../../../helpers/command_line.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-stranger-")));
afterAll(() => rmSync(home, { recursive: true }));
const mpslab = commandLine(home);

const entry = JSON.parse(
  readFileSync(path.join(PROJECT_ROOT, "test/fixtures/logbooks/older.logbook.jsonl"), "utf8").split("\n")[0]!,
) as { readonly id: string; readonly fields: object };
const id = entry.id.slice(0, 8);

interface Stranger {
  readonly folder: string;
  /** Keeps a text beside the logbook, and returns its checksum. */
  readonly keep: (text: string) => string;
  /** Writes the logbook of a run of that program. */
  readonly write: (program: Partial<Program>, fields?: object) => void;
}

let strangers = 0;
function stranger(): Stranger {
  const folder = path.join(home, `stranger ${++strangers}`);
  mkdirSync(folder);
  const logbook = path.join(folder, "a.logbook.jsonl");
  const keep = (text: string) => keepBytes("test", logbook, Buffer.from(text));
  const empty: Program = {
    notebook: "a.ipynb",
    folder: "",
    cells: [{ count: 1, text: "1 + 1" }],
    recordedBy: null,
    machine: {},
    environment: {},
    patch: null,
    files: [],
    lock: null,
    notes: [],
  };
  return {
    folder,
    keep,
    write(program, fields = {}) {
      const whole = { ...empty, ...program };
      const kept = {
        sha256: keep(JSON.stringify(whole)),
        cells: whole.cells.length,
        notebook: whole.notebook,
      };
      writeFileSync(
        logbook,
        `${JSON.stringify({ ...entry, fields: { ...entry.fields, commit: null, ...fields }, program: kept })}\n`,
      );
    },
  };
}

const fileOf = (file: string, kept: string) => ({ path: file, bytes: 1, sha256: null, kept });

function writeExecuted(folder: string, sources: readonly (readonly [number, string])[]): void {
  const cells = sources.map(([count, source]) => ({
    cell_type: "code",
    id: `cell-${count}`,
    source,
    metadata: {},
    outputs: [],
    execution_count: count,
  }));
  writeFileSync(
    path.join(folder, "a.ipynb"),
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }),
  );
}

const checksumIn = (text: string) => /--reviewed (\w{32})/.exec(text)?.[1];

/** The page of the report, without tags. */
function page(folder: string, args: readonly string[] = []): string {
  const { stdout, stderr } = mpslab(folder, ["report", id, ...args]);
  expect(stderr).toBe("");
  const html = readFileSync(/^report: (.*)$/m.exec(stdout)![1]!, "utf8");
  return html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&gt;", ">");
}

describe("what would run", () => {
  it("does not run, nor leave a file, before somebody says that it was read", () => {
    const { folder, write } = stranger();
    write({ cells: [{ count: 1, text: `require("fs").writeFileSync("${home}/ran", "")` }] });
    const { status, stdout } = mpslab(folder, ["rerun", id, "--folder", "clean"]);
    expect(status).toBe(2);
    expect(stdout).toMatch(
      /would run with your rights: 1 cell, 0 texts beside them\n {2}nothing to compare with: [^\n]*\n {2}read them/,
    );
    expect(stdout).toContain(`\n  read them     mpslab report ${id}\n`);
    expect(existsSync(path.join(home, "ran"))).toBe(false);
    expect(existsSync(path.join(folder, "clean"))).toBe(false);
  });

  it("is in the report, whole: cells that the logbook lacks, kept files, what those import, the environment", () => {
    const { folder, keep, write } = stranger();
    write({
      cells: [{ count: 2, text: 'import { run } from "./sub/harmless.ts"; run()' }],
      environment: { OMP_NUM_THREADS: "3" },
      files: [
        fileOf("sub/harmless.ts", keep('export { run } from "./other.ts"')),
        fileOf("sub/other.ts", keep("export const run = () => 'other ran'")),
      ],
    });
    writeExecuted(folder, [[1, "'a cell that only the notebook has'"]]);
    const text = page(folder);
    for (const shown of [
      "'a cell that only the notebook has'",
      'export { run } from "./other.ts"',
      "'other ran'",
      "OMP_NUM_THREADS=3",
    ])
      expect(text).toContain(shown);
    expect(checksumIn(text)).toBe(checksumIn(mpslab(folder, ["rerun", id]).stdout));
  });

  it("is refused once it is not what was read", () => {
    const { folder, keep, write } = stranger();
    write({ files: [fileOf("helper.ts", keep("1"))] });
    const read = checksumIn(page(folder))!;
    write({ files: [fileOf("helper.ts", keep("2"))] });
    const { status, stderr } = mpslab(folder, ["rerun", id, "--reviewed", read]);
    expect(status).toBe(1);
    expect(stderr).toContain(`What would run is not what was reviewed (--reviewed ${read}, now `);
    expect(stderr).toContain(`: read mpslab report ${id} again.`);
  });

  it.each([
    ["an expression in a template", "const apiKey = `\u0024{eval(atob(code))}`;"],
    ["a call in an address", "fetch(`https://a.b/?token=\u0024{eval(code)}&c=1`);"],
    [
      "a line between two marks of a key",
      'const a = "-----BEGIN PRIVATE KEY-----"; eval(code); "-----END PRIVATE KEY-----"',
    ],
  ])("is not taken from a secret's place: %s", (_, source) => {
    const { folder, write } = stranger();
    const text = source
      .replace(/`\$\{.*\}`;/, "`(left out)`;")
      .replace(/token=\$\{[^}]*\}/, "token=(left out)")
      .replace(/KEY-----.*"-----END/, "KEY-----(left out)-----END");
    expect(text).toContain("(left out)");
    write({ cells: [{ count: 1, text, leftOut: true }] });
    writeExecuted(folder, [[1, source]]);
    expect(mpslab(folder, ["rerun", id]).stderr).toBe(
      "mpslab: Cell [1] held a secret, which the logbook left out: give the notebook that has it, --notebook FILE.\n",
    );
  });

  it("shows code that stands in a secret's place", () => {
    const { folder, write } = stranger();
    write({});
    writeExecuted(folder, [
      [1, "1 + 1"],
      [2, "const apiKey = `\u0024{eval(atob(code))}`;"],
    ]);
    write({
      cells: [
        { count: 1, text: "1 + 1" },
        { count: 3, text: "3" },
      ],
    });
    expect(page(folder)).toContain("eval(atob(code))");
  });

  it.each([".git/config", "sub/.GIT/hooks/post-checkout", "git~1/config", ".git\u200c/config"])(
    "is never a file of git's: %s",
    (file) => {
      const { folder, keep, write } = stranger();
      write({ files: [fileOf(file, keep("[core]\nfsmonitor = evil"))] });
      expect(mpslab(folder, ["rerun", id]).stderr).toContain(
        `mpslab: The logbook keeps ${visible(file)}, which git would obey: it is refused.`,
      );
    },
  );
});

describe("a commit of a stranger's repository", () => {
  const victim = path.join(home, "victim.txt");
  const outside = path.join(home, "outside");
  let repository: string;
  let commit: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
      encoding: "utf8",
    });

  beforeAll(() => {
    writeFileSync(victim, "mine");
    mkdirSync(outside);
    repository = path.join(home, "repository");
    mkdirSync(repository);
    git("init", "--quiet");
    symlinkSync(victim, path.join(repository, "package-lock.json"));
    symlinkSync(outside, path.join(repository, "sub"));
    writeFileSync(path.join(repository, ".gitattributes"), "*.ts filter=evil diff=evil\n");
    writeFileSync(path.join(repository, "helper.ts"), "export const help = 'of the commit'\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "begin");
    commit = git("rev-parse", "HEAD").trim();
  });

  it("shows the code that cells import from it", () => {
    const { folder, write } = stranger();
    write({ cells: [{ count: 1, text: 'import { help } from "./helper.ts"; help' }] }, { commit });
    const text = page(folder, ["--repository", repository]);
    expect(text).toContain("export const help = 'of the commit'");
    expect(text).toContain(`of commit ${commit}`);
  });

  it("leads no write through its links", () => {
    const { folder, keep, write } = stranger();
    write(
      {
        folder: "sub",
        files: [fileOf("sub/written.txt", keep("x"))],
        lock: { lockFile: fileOf("../package-lock.json", keep("overwritten")), manifest: null },
      },
      { commit },
    );
    // A link is a file here that holds its target, so that no file can lie below it.
    const { stderr } = mpslab(folder, ["rerun", id, "--repository", repository]);
    expect(stderr).toMatch(/^mpslab: .*sub/);
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(readdirSync(outside)).toEqual([]);
  });

  it("starts no filter, hook or monitor that git is configured for", () => {
    const config = path.join(home, "gitconfig");
    const evil = path.join(home, "evil.sh");
    writeFileSync(evil, `#!/bin/sh\ntouch "${home}/ran-by-git"\ncat\n`);
    chmodSync(evil, 0o755);
    writeFileSync(
      config,
      `[core]\nfsmonitor = ${evil}\nhooksPath = ${home}/hooks\n[filter "evil"]\nsmudge = ${evil}\nclean = ${evil}\n[diff "evil"]\ncommand = ${evil}\n`,
    );
    mkdirSync(path.join(home, "hooks"));
    writeFileSync(path.join(home, "hooks", "post-checkout"), readFileSync(evil), { mode: 0o755 });
    const { folder, write } = stranger();
    write({ cells: [{ count: 1, text: "1" }] }, { commit });
    const { stdout } = mpslab(folder, ["rerun", id, "--repository", repository], {
      GIT_CONFIG_GLOBAL: config,
    });
    expect(checksumIn(stdout)).toBeDefined();
    expect(existsSync(path.join(home, "ran-by-git"))).toBe(false);
  });
});
