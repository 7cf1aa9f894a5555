// Which names of other cells a cell reads, at once or when its functions are called.
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";

const usesOf = (text: string) => compile(text, NO_BINDINGS, { script: "1", flush: true }).uses();
const reads = (text: string) => [...usesOf(text).reads].sort();

describe("a cell reads", () => {
  it.each([
    ["const y = model(x);", ["model", "x"]],
    ["const { a = start, ...rest } = config; a + rest.b", ["config", "start"]],
    ["xs.map((value) => value * scale)", ["scale", "xs"]],
    ["const sums = xs.map((value) => value * scale);", ["scale", "xs"]],
    ["for (const x of xs) { const y = x; total += y; }", ["total", "xs"]],
    ["if (a) { let b = c; b } else { ({ d, e: f }) }", ["a", "c", "d", "f"]],
    ["object.property.x; object.y = z; label: for (;;) break label;", ["object", "z"]],
    ["type A = B; const value: C<D> = f as E; interface G extends H {}", ["f"]],
    ['import { a } from "b"; import type { T } from "t"; a(c)', ["c"]],
    ["%time const y = f(x)", ["f", "x"]],
    ["using file = open(name); file.read()", ["name", "open"]],
    ["enum Kind { One, Two = base } Kind.One", ["base"]],
    ["await load(url)", ["load", "url"]],
    ["export const a = b;", ["b"]],
    ["function f() { return x; }", []],
    ["function f() { return g() + x; } const g = () => y; f()", ["x", "y"]],
    ["x = 1; [y] = [2]; ({ z: w } = { z: 3 }); for (v of []) {}", []],
    ["%who\n%check warn", []],
  ])("%j: %j", (text, names) => {
    expect(reads(text)).toEqual(names);
  });
});

describe("a cell assigns", () => {
  it.each([
    ["x = 1; [y] = [2]; ({ z: w } = { z: 3 }); for (v of []) {}", ["v", "w", "x", "y"]],
    ["let x = 1; x = 2;", []],
    // In place: the new value is made of the old one.
    ["x += 1; y++; z = z + 1; w.v = 1; w[0] = 2;", []],
    ["function reset() { x = 0; }", []],
    ["(() => { let x; x = 1; })()", []],
  ])("%j: %j", (text, names) => {
    expect([...usesOf(text).assigns].sort()).toEqual(names);
  });
});

describe("a declaration", () => {
  it.each([
    ["function f(a) { return a + x; }", { f: ["x"] }],
    ["const f = (a: number): Result => g(a);", { f: ["g"] }],
    ["class Net extends Base { forward(x) { return this.w(x, scale); } }", { Net: ["Base", "scale"] }],
    ["const steps = { one: () => a, two() { return b; } };", { steps: ["a", "b"] }],
    ["const value = g(() => a);", {}],
  ])("reads later: %j", (text, late) => {
    expect(
      Object.fromEntries([...usesOf(text).late].map(([name, names]) => [name, [...names].sort()])),
    ).toEqual(late);
  });

  it.each([
    ["const a = -1.5, b = `text`, c = { rate: 0.1, sizes: [1, 2] }, d = 2 ** 10;", ["a", "b", "c", "d"]],
    ['import { a, b as c } from "d"; import * as e from "f"; import g from "h";', ["a", "c", "e", "g"]],
    ["const a = f(), b = x, c = new Map(), d = [], e = {}, g = `${x}`, h = [f()];", []],
    ["let count = 0; function f() {} class C {}", ["C", "count", "f"]],
  ])("gives the same value whenever it runs: %j", (text, names) => {
    expect([...usesOf(text).steady.keys()].sort()).toEqual(names);
  });
});
