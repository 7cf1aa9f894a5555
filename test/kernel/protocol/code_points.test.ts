// The protocol's positions count code points, JavaScript's UTF-16 units.
import { expect, it } from "vitest";
import { toCodePoints, toOffset } from "../../../kernel/protocol/code_points.ts";

it.each([
  ["abc", 2, 2],
  ["𝒳bc", 1, 2],
  ["a𝒳𝒴d", 3, 5],
  ["é→日", 3, 3],
  ["👩‍🔬x", 3, 5],
])("%s: %i code points are %i units", (text, codePoints, offset) => {
  expect(toOffset(text, codePoints)).toBe(offset);
  expect(toCodePoints(text, offset)).toBe(codePoints);
});

it("positions outside the text move to its ends", () => {
  expect(toOffset("𝒳", 99)).toBe(2);
  expect(toOffset("𝒳", -1)).toBe(0);
  expect(toCodePoints("𝒳", 99)).toBe(1);
});
