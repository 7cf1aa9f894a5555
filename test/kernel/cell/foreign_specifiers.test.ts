// Imports as Deno and browsers write them: a package by npm:, and what to do instead of the others.
import { describe, expect, it } from "vitest";
import {
  insteadOfForeign,
  npmSpecifier,
  satisfies,
  withAskedVersion,
  withoutNpm,
} from "../../../kernel/cell/foreign_specifiers.ts";

describe("npm: names", () => {
  it.each([
    ["npm:moment", "moment", "moment", null],
    ["npm:moment@2.29.4", "moment", "moment", "2.29.4"],
    ["npm:react-dom@18/server", "react-dom/server", "react-dom", "18"],
    ["npm:@observablehq/plot@^0.6", "@observablehq/plot", "@observablehq/plot", "^0.6"],
    ["npm:/d3/array", "d3/array", "d3", null],
  ])("%s", (written, specifier, name, version) => {
    expect(npmSpecifier(written)).toEqual({ specifier, name, version });
  });

  it("nothing where it is not the beginning", () => expect(npmSpecifier("moment")).toBeNull());
});

it("the checker is given the package in the same number of characters, in imports alone", () => {
  const text = 'import m from "npm:moment@2.29.4"; const s = "npm:a@1"; await import("npm:d3")';
  const checked = withoutNpm(text);
  expect(checked).toHaveLength(text.length);
  expect(checked.replace(/ +/g, " ")).toBe(
    'import m from "moment" ; const s = "npm:a@1"; await import("d3" )',
  );
});

it("a package is to be installed in the version that was asked for", () => {
  const cell = 'import m from "npm:moment@2.29.4"';
  expect(withAskedVersion("No. Install it: %npm install moment", cell)).toBe(
    "No. Install it: %npm install moment@2.29.4",
  );
  expect(withAskedVersion("No. Install it: %npm install ms", cell)).toBe("No. Install it: %npm install ms");
});

describe("an installed version is what was asked for:", () => {
  it.each([
    ["2.29.4", "2.29.4", true],
    ["2.30.1", "2.29.4", false],
    ["18.3.1", "18", true],
    ["19.0.0", "18", false],
    ["7.9.0", "^7.1", true],
    ["7.0.9", "^7.1", false],
    ["0.7.0", "^0.6.2", false],
    ["1.2.9", "~1.2.3", true],
    ["1.3.0", "~1.2.3", false],
    ["5.0.0", "latest", true],
  ])("%s for %s: %s", (installed, asked, is) => expect(satisfies(installed, asked)).toBe(is));
});

describe("what Node does not load is answered with what to do:", () => {
  it.each([
    ["jsr:@std/assert@1", '%sh npx jsr add @std/assert, then import from "@std/assert".'],
    ["https://esm.sh/d3@7", '%npm install d3@7, then import from "d3".'],
    ["https://cdn.jsdelivr.net/npm/@a/b/+esm", '%npm install @a/b, then import from "@a/b".'],
    [
      "https://deno.land/std@0.194.0/crypto/mod.ts",
      '%sh npx jsr add @std/crypto, then import from "@std/crypto".',
    ],
    ["torch.nn", 'is a package of Python: import { nn, optim, torch } from "mpslab" has its names.'],
    ["numpy", 'import { torch } from "mpslab" has arrays, which are tensors.'],
    ["https://deno.land/x/canvas/mod.ts", 'import "./mod.ts", or install its package of npm.'],
  ])("%s", (written, advice) => expect(insteadOfForeign(written)?.endsWith(advice)).toBe(true));

  it("and a package is none of it", () => expect(insteadOfForeign("moment")).toBeNull());
});
