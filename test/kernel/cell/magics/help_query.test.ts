// Cells that ask about a name, and cells that only look like it.
import { expect, it } from "vitest";
import { parseHelpQuery } from "../../../../kernel/cell/magics/help_query.ts";

it.each([
  ["losses?", "losses", 0],
  ["?losses", "losses", 0],
  ["losses??", "losses", 1],
  ["??losses", "losses", 1],
  ["  ? model.layers[0].weight \n", "model.layers[0].weight", 0],
  ['weights["a b"]?', 'weights["a b"]', 0],
  ["größe?;", "größe", 0],
])("%j asks about %s", (text, name, detailLevel) => {
  expect(parseHelpQuery(text)).toEqual({ name, detailLevel });
});

it.each(["", "?", "1?", "f()?", "a ?", "a ? b : c", "a?.b", "a ?? b", "a?\nb", "%time?", "'a'?", "// a?"])(
  "%j asks nothing",
  (text) => {
    expect(parseHelpQuery(text)).toBeNull();
  },
);
