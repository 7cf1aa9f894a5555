// kernel/python/names/names.json holds the names that the library has now.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { namesText, readNames } from "../../fixtures/python/names.mjs";

it("the converter's names are those of the library: node test/fixtures/python/names.mjs writes them", () => {
  const stored = readFileSync(new URL("../../../kernel/python/names/names.json", import.meta.url), "utf8");
  expect(namesText(readNames()) === stored).toBe(true);
});
