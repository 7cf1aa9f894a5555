// What `npm test` runs after these arguments: which files, and with which of vitest's options.
import { existsSync } from "node:fs";
import path from "node:path";
import { chosen, readOptions, withSlowest } from "./options.mjs";
import { pythonPackages } from "./needs.mjs";
import { filesOfProject, isTest, readReach } from "./reach.mjs";

/**
 * @param {string} root
 * @param {readonly string[]} args of `npm test --`
 * @returns {{ python: readonly string[] | "all", args: string[], said: string | null }} `said`: what was chosen of a
 *   change; `args` is empty where it reaches no test
 */
export function planTests(root, args) {
  const { since, slowest, filters, rest } = readOptions(args);
  const options = slowest ? withSlowest(rest, path.join(root, "test", "runner", "slowest.mjs")) : rest;
  // Whatever runs everything needs everything, and git is not asked. An archive of the sources has none to ask.
  if (since === undefined && (filters.length === 0 || !existsSync(path.join(root, ".git"))))
    return { python: "all", args: ["run", ...options, ...filters], said: null };
  const files = filesOfProject(root);
  const tests = files.filter(isTest);
  if (since === undefined)
    return {
      python: pythonPackages(root, files, chosen(tests, filters)),
      args: ["run", ...options, ...filters],
      said: null,
    };
  const reached = chosen(readReach(root, files, since), filters);
  return {
    python: pythonPackages(root, files, reached),
    args: reached.length === 0 ? [] : ["run", ...options, ...reached],
    said: `${reached.length} of ${tests.length} test files are reached by what changed`,
  };
}
