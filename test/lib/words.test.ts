// Words as sentences have them.
import { expect, it } from "vitest";
import { capitalized, counted, listed } from "../../lib/words.ts";

it("a sentence begins with a capital letter", () => {
  expect(capitalized("no point was measured")).toBe("No point was measured");
  expect(["", "4 points", "GPU"].map(capitalized)).toEqual(["", "4 points", "GPU"]);
});

it("names are a list whose last comma is a word", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((names) => listed(names))).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
  expect(listed(["error", "warn", "off"], "or")).toBe("error, warn or off");
  expect(listed(["torch.tensor(1, 2)", "x"])).toBe("torch.tensor(1, 2) and x");
});

it.each([
  [0, "value", "0 values"],
  [1, "batch", "1 batch"],
  [3, "batch", "3 batches"],
  [3, "epoch", "3 epochs"],
  [2, "loss", "2 losses"],
  [1234, "entry", "1,234 entries"],
  [2, "day", "2 days"],
])("%d of a %s are %s", (count, noun, text) => expect(counted(count, noun)).toBe(text));
