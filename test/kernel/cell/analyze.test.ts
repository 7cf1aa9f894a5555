// Tests which names a cell declares for later ones, and what later ones know of it.
import { describe, expect, it } from "vitest";
import { commit, NO_BINDINGS, type Declared } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";

const declaredIn = (text: string) =>
  compile(text, NO_BINDINGS, { script: "1", flush: true }).declared.map(
    ({ name, kind, typeOnly }) => `${kind} ${name}${typeOnly ? " (type)" : ""}`,
  );

describe("a cell declares", () => {
  it.each([
    ["const a = 1, b = 2; let c; var d", ["const a", "const b", "let c", "var d"]],
    [
      "const { a, b: { c = 1 }, ...d } = o, [e, , ...[f]] = g",
      ["const a", "const c", "const d", "const e", "const f"],
    ],
    ["if (x) { var a = 1; let b } for (var c of []) { const d = 1 }", ["var a", "var c"]],
    ["function a() { var b; function c() {} }", ["function a"]],
    ["function a(x: number): void; function a(x: string): void; function a() {}", ["function a"]],
    ["async function* a() {} class B { static { var c } }", ["function a", "class B"]],
    ["enum A { X } const enum B { Y } declare enum C { Z }", ["enum A", "enum B", "enum C (type)"]],
    [
      "namespace A { export const b = 1 } namespace C.D { export const e = 1 }",
      ["namespace A", "namespace C"],
    ],
    ["namespace A { export interface B {} export type C = 1; namespace D {} }", ["namespace A (type)"]],
    ["declare namespace A { const b: number }", ["namespace A (type)"]],
    ["interface A {} type B = 1", ["interface A (type)", "type B (type)"]],
    [
      "declare const a: number; declare function b(): void; declare class C {}",
      ["const a (type)", "function b (type)", "class C (type)"],
    ],
    ["declare global { var a: number } declare module 'x' {}", []],
    ["using a = null; await using b = null", ["using a", "using b"]],
    [
      "import a, { b, c as d, type E } from 'm'; import * as f from 'm'",
      ["import a", "import b", "import d", "import E (type)", "import f"],
    ],
    ["import type { A } from 'm'; import type B from 'm'", ["import A (type)", "import B (type)"]],
    ["import fs = require('fs'); import type G = require('g')", ["import fs", "import G (type)"]],
    [
      "export const a = 1; export function b() {} export default class C {}",
      ["const a", "function b", "class C"],
    ],
    ["export type { A } from 'm'; export {}", []],
    ["type Shape = Circle; const Shape = 1", ["const Shape"]],
    ["const Shape = 1; type Shape = Circle", ["const Shape"]],
    ["interface Net { b: 1 } class Net {}", ["class Net"]],
    ["class Model {} namespace Model { export const a = 1 }", ["class Model"]],
    ["var a = 1; var a = 2; enum B { X } enum B { Y = 1 }", ["var a", "enum B"]],
    ["a = 1; label: for (;;) { break }", []],
  ])("%s", (text, names) => {
    expect(declaredIn(text)).toEqual(names);
  });
});

describe("after a cell", () => {
  const value = (name: string, runtimeName = name): Declared => ({
    name,
    kind: "const",
    runtimeName,
    typeOnly: false,
  });
  const type = (name: string): Declared => ({ name, kind: "interface", runtimeName: name, typeOnly: true });

  it("that failed, later cells know the values that it initialised and all its types", () => {
    const { names } = commit(NO_BINDINGS, [value("a"), value("b"), type("T")], new Set(["a"]));
    expect([...names.keys()]).toEqual(["a", "T"]);
  });

  it("values are known by their names in the session", () => {
    const { names } = commit(
      NO_BINDINGS,
      [value("fetch", "__mpslab_own_fetch")],
      new Set(["__mpslab_own_fetch"]),
    );
    expect(names.get("fetch")?.runtimeName).toBe("__mpslab_own_fetch");
  });

  it("the earlier bindings are as they were", () => {
    const earlier = commit(NO_BINDINGS, [value("a")], new Set(["a"]));
    const later = commit(earlier, [type("a"), value("b")], new Set(["b"]));
    expect([...earlier.names.values()]).toEqual([value("a")]);
    expect([...later.names.values()]).toEqual([type("a"), value("b")]);
  });
});
