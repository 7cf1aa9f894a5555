// Virtual environments of tests that need Python packages which set-up does not install. Each is made once, in `build/`.
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { venvProgram } from "../../kernel/cli/project.ts";
import { readStamp, writeStamp } from "../../native/setup/stamp.mjs";

const root = path.resolve(import.meta.dirname, "../..");

/** An environment's programs, or the sentence that says why it could not be made. */
export type PythonEnvironment =
  | { readonly program: (name: string) => string; readonly missing: null }
  | { readonly missing: string };

/**
 * The environment `build/<name>` with one package in an exact version; what that needs has the versions of `.venv`. Blocks
 * until it is made, so that a test file knows what it can test when its tests are collected.
 */
export function pythonEnvironment(name: string, requirement: string): PythonEnvironment {
  const folder = path.join(root, "build", name);
  const program = (wanted: string): string => path.join(folder, "bin", wanted);
  const stamp = path.join(folder, "mpslab.json");
  if (readStamp(stamp) === requirement) return { program, missing: null };
  rmSync(folder, { recursive: true, force: true });
  execFileSync(venvProgram("python"), ["-m", "venv", folder]);
  const { status, stderr } = spawnSync(
    program("pip"),
    [
      // Python compiles what a test imports, which is a part of it.
      ...["install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-compile"],
      ...["--constraint", path.join(root, "requirements.txt"), requirement],
    ],
    { encoding: "utf8" },
  );
  if (status !== 0) {
    const error = stderr.split("\n").findLast((line) => line.startsWith("ERROR"));
    return { missing: `pip could not install ${requirement}: ${error ?? "it says nothing"}` };
  }
  writeStamp(stamp, requirement);
  return { program, missing: null };
}
