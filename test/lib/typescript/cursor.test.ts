// Tests what stands at a cursor, in text that no parser accepts yet. `|` marks the cursor.
import { describe, expect, it, test } from "vitest";
import { calledName, lexicalPlace, pathAt, pathBefore, touchedName } from "../../../lib/typescript/cursor.ts";

const at = (marked: string): [code: string, cursor: number] => [marked.replace("|", ""), marked.indexOf("|")];

describe("a place", () => {
  it.each([
    ["x.|", "code"],
    ["// x.|", "text"],
    ["// x|\n1", "text"],
    ["// x\n|", "code"],
    ["/* x.| */", "text"],
    ["/* x.|", "text"],
    ["/* x */ y|", "code"],
    ["f('a') + y|", "code"],
    ["`a ${x.|} b`", "code"],
    ["`a ${x} b|`", "text"],
    ["`a ${ { b: `${c|}` } }`", "code"],
    ["`a` + b|", "code"],
    ["'it\\'s' + b|", "code"],
    ["'never closed\n|", "code"],
    ["'http://x' + y|", "code"],
  ])("%j is %s", (marked, place) => {
    expect(lexicalPlace(...at(marked))).toBe(place);
  });

  it.each([
    ["f('da|ta')", "da"],
    ["f('|')", ""],
    ['f("a/b|', "a/b"],
    ["f(`data/|`)", "data/"],
    ["f('// no comment|')", "// no comment"],
    ["`${f('in|ner')}`", "in"],
  ])("%j is in a string of which %j is typed", (marked, typed) => {
    const [code, cursor] = at(marked);
    expect(lexicalPlace(code, cursor)).toEqual({ start: cursor - typed.length, typed });
  });
});

describe("a path", () => {
  it.each([
    ["weights|", ["weights"]],
    ["1 + weights.layers[0]['a b'].bias|", ["weights", "layers", 0, "a b", "bias"]],
    ["model?.weight|", ["model", "weight"]],
    ["émoji.größe|", ["émoji", "größe"]],
    ["f(x, y.z|", ["y", "z"]],
    ["f().x|", null],
    ["f(1)[0].x|", null],
    ["[a][0]|", null],
    ["5|", null],
  ])("before %j is %j", (marked, path) => {
    expect(pathBefore(...at(marked))).toEqual(path);
  });

  it.each([
    ["mod|el.weight", ["model"]],
    ["model.wei|ght.grad", ["model", "weight"]],
    ["model|", ["model"]],
    ["|model", ["model"]],
    ["a + |", null],
  ])("at %j is %j", (marked, path) => {
    expect(pathAt(...at(marked))).toEqual(path);
  });
});

test.each([
  ["add(|", "add"],
  ["add(1, |", "add"],
  ["add(f(1), [2, 3], { a: 1 }, |", "add"],
  ["add({ a: |", "add"],
  ["outer(inner(|", "inner"],
  ["outer(inner(1), |", "outer"],
  ["(|", null],
  ["a + |", null],
])("the function called around %j is %j", (marked, name) => {
  const [code, cursor] = at(marked);
  const offset = calledName(code, cursor);
  const called = offset === null ? null : (pathAt(code, offset)?.at(-1) ?? null);
  expect(called).toBe(name);
});

test("a name is touched at both of its ends", () => {
  expect([0, 1, 3, 4, 5].map((cursor) => touchedName("abc + d", cursor))).toEqual([0, 1, 2, null, null]);
});
