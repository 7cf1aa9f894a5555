// Whatever a cell can call says what it is for: editors show the comment above a declaration with its completion.
import { expect, it } from "vitest";
import { undocumented, withoutDefault } from "./documentation.ts";

it("every public function, class, method and option has a comment of its own", () => {
  expect(undocumented()).toEqual([]);
});

it("every option that may be left out says what it does, and its default", () => {
  expect(withoutDefault()).toEqual([]);
});
