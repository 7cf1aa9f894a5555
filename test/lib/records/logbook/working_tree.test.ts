// What a working tree holds beyond its commit, asked of a real git.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patchOf, untrackedFiles, workingTreeOf } from "../../../../lib/records/logbook/working_tree.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "working-tree-")));
afterAll(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
}

describe("without git", () => {
  it("the files beside the notebook count, without notebooks, logbooks and hidden ones", () => {
    for (const name of ["b.csv", "a.ts", "tour.ipynb", "tour.logbook.jsonl", ".env", "data/far.csv"])
      write(name, "1");
    const tree = workingTreeOf(root);
    expect(tree).toEqual({ root, isRepository: false });
    expect(untrackedFiles(tree)).toEqual(["a.ts", "b.csv"]);
    expect(patchOf(tree)!.length).toBe(0);
  });
});

describe("in a repository", () => {
  beforeAll(() => {
    const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args]);
    for (const name of ["lib/model.ts", "config/.npmrc", "tour.ipynb"]) write(name, "old\n");
    write(".gitignore", "ignored/\n");
    git("init", "--quiet");
    git("add", "lib", "config", "tour.ipynb", ".gitignore");
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "begin");
    for (const name of ["lib/model.ts", "config/.npmrc", "tour.ipynb"]) write(name, "new\n");
    for (const name of ["ignored/x.csv", "output/page.html", "lib/output/table.md", "lib/new file.csv"])
      write(name, "1");
  });

  it("the root is found from a folder in it", () => {
    expect(workingTreeOf(path.join(root, "lib"))).toEqual({ root, isRepository: true });
  });

  it("the patch has what changed, without notebooks and files of secrets", () => {
    const patch = patchOf(workingTreeOf(root))!.toString("utf8");
    expect(patch).toContain("+++ b/lib/model.ts");
    expect(patch).not.toContain(".npmrc");
    expect(patch).not.toContain("tour.ipynb");
  });

  it.each([
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["diff.context", "0"],
  ])("the patch applies, although the user's git has %s=%s", (name, value) => {
    const git = (args: string[], input?: Buffer) => execFileSync("git", ["-C", root, ...args], { input });
    git(["config", name, value]);
    const patch = patchOf(workingTreeOf(root))!;
    git(["config", "--unset", name]);
    expect(() => git(["apply", "--reverse", "--check"], patch)).not.toThrow();
    expect(patch.toString("utf8")).toContain("--- a/lib/model.ts\n+++ b/lib/model.ts\n");
  });

  it("untracked files are those that git does not ignore, without what commands wrote to output/", () => {
    expect(untrackedFiles(workingTreeOf(root))).toEqual([
      ".env",
      "a.ts",
      "b.csv",
      "data/far.csv",
      "lib/new file.csv",
    ]);
  });
});
