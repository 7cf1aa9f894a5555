// Lines of a cell's source as positions of the code that V8 runs, and back.
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { RUNTIME } from "../../../kernel/cell/names.ts";
import { ScriptMap } from "../../../kernel/debugger/script_map.ts";

const mapOf = (cell: string) => {
  const { code, map } = compile(cell, NO_BINDINGS, { script: "1", flush: true });
  return new ScriptMap(code, map);
};

/** The code at the place of a line, as far as the line's end. */
function codeAt(map: ScriptMap, line: number): [line: number, code: string] | null {
  const place = map.breakable(map.sources[0]!, line);
  if (place === null) return null;
  const [code = ""] = map.code.slice(map.offsetOf(place.at)).split("\n");
  return [place.line, code];
}

const LOOP = `interface Point { x: number }

// a comment
const points: Point[] = [{ x: 1 }, { x: 2 }];
let sum = 0;
for (const { x } of points) {
  sum += x as number;
}
const twice = (x: number) => x * 2;`;

describe("the place of a breakpoint", () => {
  const map = mapOf(LOOP);

  it("is the statement of the line", () => {
    expect(codeAt(map, 7)).toEqual([7, expect.stringMatching(/^sum \+= x/)]);
  });

  it("is the next statement for a type, a comment and an empty line", () => {
    for (const line of [1, 2, 3])
      expect(codeAt(map, line)).toEqual([4, expect.stringContaining("points = ")]);
  });

  it("is the body of an arrow function for its line, behind the declaration", () => {
    expect(codeAt(map, 9)?.[0]).toBe(9);
  });

  it("is none below the last statement", () => {
    expect(map.breakable(map.sources[0]!, 10)).toBeNull();
    expect(map.breakable("no source of this map", 1)).toBeNull();
  });
});

describe("a position of the code", () => {
  const map = mapOf(LOOP);
  const positionOf = (text: string) => {
    const offset = map.code.indexOf(text);
    const before = map.code.slice(0, offset).split("\n");
    return { lineNumber: before.length - 1, columnNumber: before.at(-1)!.length };
  };

  it("is the line and column of the cell", () => {
    expect(map.original(positionOf("sum += "))).toMatchObject({ line: 7, column: 3 });
  });

  it("of an inserted check is known as such, and no breakpoint goes there", () => {
    expect(map.isInserted(positionOf(`if (${RUNTIME.stop}[0])`))).toBe(true);
    expect(map.isInserted(positionOf("sum += "))).toBe(false);
  });

  it("of an arrow function's check is that of its expression", () => {
    const check = positionOf(`(${RUNTIME.stop}[0] && `);
    expect(map.original(check)).toMatchObject({ line: 9, column: 30 });
  });
});

it("the code around the rounds of an epoch loop is inserted, its body is not", () => {
  const map = mapOf("for (let epoch = 0; epoch < 2; epoch++) {\n  console.log(epoch);\n}");
  expect(codeAt(map, 2)).toEqual([2, expect.stringMatching(/^console\.log\(epoch\)/)]);
  const lines = map.code.split("\n");
  const closing = lines.findIndex((line) => line.includes(".close()"));
  expect(closing).toBeGreaterThan(0);
  expect(map.isInserted({ lineNumber: closing, columnNumber: lines[closing]!.indexOf("finally") })).toBe(
    true,
  );
});
