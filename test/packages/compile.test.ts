// `mpslab setup --compile` compiles the addon from what npm has installed: all that it reads lies in the package. The
// compilation itself takes minutes and is the clone's; here CMake reads the project, and the files are followed by their
// includes and imports.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const installed = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-compile-")));
afterAll(() => rmSync(installed, { recursive: true, force: true }));

let files: readonly string[] = [];
beforeAll(() => {
  const list = execFileSync(
    "npm",
    ["pack", root, "--dry-run", "--json", "--ignore-scripts", "--loglevel=error", "--update-notifier=false"],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 27,
    },
  );
  files = (JSON.parse(list) as [{ files: { path: string }[] }])[0].files.map((file) => file.path);
  for (const file of files)
    if (!file.startsWith("notebooks/")) cpSync(path.join(root, file), path.join(installed, file));
});

/** The files that a file names in its includes or imports, from the folder where they are looked for. */
function named(file: string, pattern: RegExp, from: string): string[] {
  const text = readFileSync(path.join(installed, file), "utf8");
  return [...text.matchAll(pattern)].map(([, name]) => path.normalize(path.join(from, name!)));
}

/** What is missing of all that is named, and that is a file of the clone, starting from some files. */
function missing(
  start: readonly string[],
  pattern: RegExp,
  folderOf: (file: string) => string,
): { readonly read: readonly string[]; readonly missing: readonly string[] } {
  const seen = new Set<string>(start);
  const absent: string[] = [];
  for (const file of seen) {
    if (existsSync(path.join(installed, file)))
      for (const next of named(file, pattern, folderOf(file))) seen.add(next);
    else if (existsSync(path.join(root, file))) absent.push(file);
  }
  return { read: [...seen], missing: absent };
}

describe("the package that npm installs", () => {
  it("has every source that CMake names", () => {
    const { status, stderr } = spawnSync(
      "cmake",
      [
        "-S",
        installed,
        "-B",
        path.join(installed, "build"),
        `-DTORCH=${realpathSync(path.join(root, "build/native/Release/torch"))}`,
        "-DCMAKE_CXX_COMPILER_WORKS=1",
      ],
      {
        encoding: "utf8",
        env: { ...process.env, PATH: `${process.env["PATH"]}:${path.join(root, ".venv/bin")}` },
      },
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it("has every header that those include, and the sources of the Mac", () => {
    const project = readFileSync(path.join(installed, "native/CMakeLists.txt"), "utf8");
    const sources = [...project.matchAll(/[\w/]+\.(?:cc|mm)\b/g)].map(([name]) => `native/${name}`);
    expect(sources).toContain("native/device/metal.mm");
    const found = missing(sources, /^\s*#\s*(?:include|import)\s*"([^"]+)"/gm, () => "native");
    expect(found.missing).toEqual([]);
    expect(found.read.length).toBeGreaterThan(100);
  });

  it("has every file of set-up, and no file that only a clone runs", () => {
    const found = missing(
      ["native/setup/for_user.mjs"],
      /^(?:import|export) [^]*?from "(\.[^"]+)";$/gm,
      (file) => path.dirname(file),
    );
    expect(found.missing).toEqual([]);
    expect(files.filter((file) => file.startsWith("native/setup")).toSorted()).toEqual(found.read.toSorted());
  });
});
