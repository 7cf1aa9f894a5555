// The table of magics, and what it says of itself.
import { describe, expect, it } from "vitest";
import { helpOf, usageOf } from "../../../lib/magics/usage.ts";
import { GRAMMARS } from "../../../lib/magics/grammars.ts";

describe.each([...GRAMMARS])("%s", (name, magic) => {
  it("can be written in one way at least", () => {
    expect(usageOf(magic).length).toBeGreaterThan(0);
    for (const usage of usageOf(magic)) expect(usage).toMatch(new RegExp(`^%%?${name}( |$)`));
  });

  it("says in one line what it does, and more when asked", () => {
    expect(magic.summary).toMatch(/^[a-z][^\n]+[^.]$/);
    expect(helpOf(magic)).toMatch(/^%[^]+\n\n[A-Z]/);
  });

  it("explains each of its options", () => {
    for (const [flag, { help }] of Object.entries(magic.options ?? {})) {
      expect(flag).toMatch(/^-[a-z]$|^--[a-z-]+$/);
      expect(helpOf(magic)).toContain(help);
    }
  });
});

it("%lsmagic is in the order of the alphabet", () => {
  expect([...GRAMMARS.keys()]).toEqual([...GRAMMARS.keys()].toSorted());
});
