// Operators that the fuzzer leaves out, and why: what they do with drawn arguments says nothing of libtorch.

export const EXCLUDED: ReadonlyMap<string, string> = new Map([
  ["from_file", "writes files under names that are drawn"],
  ["_print", "prints into the output that the fuzzer reads"],
]);
