// The hash by which clients name cells, against ipykernel's values: `murmur2_x86` of `ipykernel.compiler`.
import { expect, it } from "vitest";
import { murmur2 } from "../../../kernel/debugger/murmur2.ts";

const SEED = 0xc70f6907;

it.each([
  ["nothing", "", 3990065800, 0],
  ["one byte", "a", 2167009006, 2456313694],
  ["two bytes", "ab", 2805137849, 446775395],
  ["three bytes", "abc", 3350977461, 324500635],
  ["a cell", "let x = 1;", 67329842, 1329695373],
  ["a cell in UTF-8", 'const grüße = "日本語 🎉";\n%check warn\n\n', 2285232293, 1110606692],
  ["a long cell", "x".repeat(1000), 2976633443, 1891352362],
])("the hash of %s", (_name, text, seeded, unseeded) => {
  expect([murmur2(text, SEED), murmur2(text, 0)]).toEqual([seeded, unseeded]);
});
