// What `npm test` adds to vitest's options: `--changed`, `--slowest`. Everything else goes to vitest as it is written.

/** Options whose value is an argument of its own: it is no folder. */
const WITH_VALUE = new Set([
  "-t",
  "--testNamePattern",
  "--project",
  "--reporter",
  "--outputFile",
  "--exclude",
  "--maxWorkers",
  "--shard",
  "--retry",
]);

/**
 * @param {readonly string[]} args of `npm test --`
 * @returns {{ since: string | null | undefined, slowest: boolean, filters: string[], rest: string[] }} `since`: undefined
 *   without `--changed`, null where it names no commit
 */
export function readOptions(args) {
  const filters = args.filter((arg, at) => !arg.startsWith("-") && !WITH_VALUE.has(args[at - 1]));
  const changed = args.find((arg) => /^--changed(=|$)/.test(arg));
  return {
    since: changed?.split("=")[1] ?? (changed === undefined ? undefined : null),
    slowest: args.includes("--slowest"),
    filters,
    rest: args.filter((arg) => arg !== changed && arg !== "--slowest" && !filters.includes(arg)),
  };
}

/** The test files that vitest would choose by these parts of paths; all without parts. */
export const chosen = (files, filters) =>
  filters.length === 0
    ? files
    : files.filter((file) => filters.some((filter) => file.includes(filter.replace(/^\.\//, ""))));

/** The table of the dearest files is printed after what vitest prints anyway. */
export function withSlowest(rest, reporter) {
  const names = rest.some((arg) => arg.startsWith("--reporter"));
  return [...rest, ...(names ? [] : ["--reporter=default"]), `--reporter=${reporter}`];
}
