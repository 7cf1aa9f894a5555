// Which test files a change can reach, for `npm test -- --changed`. A kernel that a test starts counts as what it loads:
// a change of lib/torch/ reaches the tests of cells.
import { execFileSync } from "node:child_process";
import { closure, namedFiles } from "./graph.mjs";

/** How everything is installed, compiled or run. */
const OF_EVERYTHING =
  /^(package(-lock)?\.json|vitest\.config\.ts|(test\/)?tsconfig\.json|requirements\.txt)$/;
/** What is compiled into the addon, and the module that loads it. */
const OF_ADDON = /^(CMakeLists\.txt|native\/(?!setup).*)$/;
const LOADS_ADDON = "lib/torch/engine/native.ts";
/** They read every file. */
const READS_ALL = /^test\/house\//;
/** They install what is packed of the sources. */
const INSTALLS = /^test\/packages\//;
const PACKED = /^(kernel|lib|native|packages)\//;

export const isTest = (file) => file.startsWith("test/") && file.endsWith(".test.ts");

/**
 * @param {Map<string, Set<string>>} named as `namedFiles` gives it
 * @param {readonly string[]} changed
 * @returns {string[]} the test files, in the order of their names
 */
export function reachedTests(named, changed) {
  const tests = [...named.keys()].filter(isTest).toSorted();
  if (changed.length === 0) return [];
  if (changed.some((file) => OF_EVERYTHING.test(file))) return tests;
  const causes = new Set(changed);
  if (changed.some((file) => OF_ADDON.test(file))) causes.add(LOADS_ADDON);
  const naming = new Map();
  for (const [file, targets] of named)
    for (const target of targets) naming.set(target, (naming.get(target) ?? new Set()).add(file));
  const reached = closure(naming, causes);
  const isPacked = changed.some((file) => PACKED.test(file));
  return tests.filter(
    (file) => reached.has(file) || READS_ALL.test(file) || (isPacked && INSTALLS.test(file)),
  );
}

const git = (root, ...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter(Boolean);

/** Every file that git has or would add. */
export const filesOfProject = (root) => git(root, "ls-files", "-co", "--exclude-standard", "--deduplicate");

/**
 * What differs from a commit, committed or not.
 *
 * @param {string | null} since null: where this branch left the main one
 */
export function changedFiles(root, since) {
  const base = since ?? forkPoint(root);
  return [
    ...new Set([
      ...git(root, "diff", "--name-only", base),
      ...git(root, "ls-files", "-o", "--exclude-standard"),
    ]),
  ];
}

function forkPoint(root) {
  for (const main of ["origin/HEAD", "origin/main", "main"]) {
    try {
      return git(root, "merge-base", "HEAD", main)[0];
    } catch {
      // There is no such branch here.
    }
  }
  return "HEAD";
}

export const readReach = (root, files, since) =>
  reachedTests(namedFiles(root, files), changedFiles(root, since));
