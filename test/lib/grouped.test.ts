// Values of pairs by their keys.
import { expect, it } from "vitest";
import { grouped } from "../../lib/grouped.ts";

it("keys stand in the order in which they first occur, with their values in theirs", () => {
  const fruit = ["pear", "fig", "plum", "fig"].map((name): [number, string] => [name.length, name]);
  expect([...grouped(fruit)]).toEqual([
    [4, ["pear", "plum"]],
    [3, ["fig", "fig"]],
  ]);
  expect(grouped([]).size).toBe(0);
});
