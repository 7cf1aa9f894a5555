// Tests that V8's places become places in the cell's own text.
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { afterAll, describe, expect, it } from "vitest";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
afterAll(() => notebook.close());

/** Places of a failed cell's stack, innermost first, as `line:column` of its text, 1-based. */
async function placesOf(text: string): Promise<string[]> {
  const { code, map } = notebook.compile(text);
  const { exceptionDetails } = await notebook.evaluate(code);
  const trace = new TraceMap(map);
  const stack = exceptionDetails?.exception?.description ?? "";
  return [...stack.matchAll(/mpslab-cell:\d+:(\d+):(\d+)/g)].map(([, line, column]) => {
    const place = originalPositionFor(trace, { line: Number(line), column: Number(column) - 1 });
    return place.line === null ? "nowhere" : `${place.line}:${place.column + 1}`;
  });
}

/** A text in which « marks the places that the stack has to name, and what the stack has to name. */
function marked(source: string): { text: string; places: string[] } {
  const places: string[] = [];
  const lines = source.split("\n").map((line, index) => {
    let plain = line;
    for (let at = plain.indexOf("«"); at >= 0; at = plain.indexOf("«")) {
      places.push(`${index + 1}:${at + 1}`);
      plain = plain.replace("«", "");
    }
    return plain;
  });
  return { text: lines.join("\n"), places };
}

describe("an error is at its place", () => {
  it.each([
    ["in the first line", "throw «new Error('x')"],
    ["in the fifth line", "let a = 1;\n\n\n\n«missing.call(a)"],
    ["in the middle of a line", "const b = [1, 2].length + «missing + 3"],
    ["after types", "interface Long {\n  a: number;\n}\nconst c: Long = { a: «missing as number }"],
    ["in an argument on a line of its own", "Math.max(\n  1,\n  «missing,\n  2,\n)"],
    ["in the argument of an awaited call", "await Promise.resolve(\n  JSON.«parse('{'))"],
    ["after an enum", "enum E {\n  A,\n  B,\n}\nE.A; throw «new Error('x')"],
    ["after magics", "%memory\n%check off\nthrow «new Error('x')"],
    ["in a loop's body without a block", "for (const x of [1])\n  «missing(x)"],
    ["in an epoch loop", "for (const epoch of [1]) {\n  const a = epoch;\n  «missing(a)\n}"],
    ["in a renamed name", "const fetch = 1;\nfetch + «missing"],
    ["after a var", "var v: number = 1,\n  w = JSON.«parse('{')"],
    [
      "in a method of a decorated class",
      "const mark = (): any => {};\n@mark\nclass D {\n  @mark m(a: string) {\n    «missing(a);\n  }\n}\nnew D().«m('')",
    ],
    [
      "after a decorated class",
      "class D { accessor x: number = 1 } new D(); const d: number = JSON.«parse('{')",
    ],
    [
      "in a namespace whose variables change",
      "namespace N {\n  export let a: number = 1;\n  export const f = () => a + «missing;\n}\nN.«f()",
    ],
    ["after such a namespace", "namespace N { export let a: number = 1 }\nconst n: number = «missing;"],
    ["in a cell with using", "using u = null;\nconst d = 1;\n«missing(d)"],
    ["after letters outside of ASCII", "const text = 'π 🙂'; «missing(text)"],
  ])("%s", async (_, source) => {
    const { text, places } = marked(source);
    expect(await placesOf(text)).toEqual(places);
  });

  it("in each call of a stack, through functions that were moved to the top", async () => {
    const { text } = marked(
      "outer(2)\n\nfunction inner(x: number) {\n  throw new Error(`${x}`)\n}\nfunction outer(x) { return inner(x + 1) }",
    );
    expect(await placesOf(text)).toEqual(["4:9", "6:28", "1:1"]);
  });

  it("in methods, getters, static blocks and arrow functions", async () => {
    const text = `class A {
  static run() { return new A().value }
  get value() { return [1].map((x) => this.fail(x)) }
  fail(x: number): never { throw new Error(\`\${x}\`) }
}
A.run()`;
    expect(await placesOf(text)).toEqual(["4:34", "3:44", "3:28", "2:33", "6:3"]);
  });
});

it("a magic is at the beginning of its line, whatever it was compiled to", () => {
  const { code, map } = notebook.compile("let a = 1\n%memory");
  const line = code.split("\n").findIndex((text) => text.includes("__mpslab_magic"));
  const column = code.split("\n")[line]?.indexOf("__mpslab_magic") ?? -1;
  const place = originalPositionFor(new TraceMap(map), { line: line + 1, column });
  expect(place).toMatchObject({ line: 2, column: 0 });
});

it("the file is the cell's number, and the map has no text of its own", () => {
  const { code, map } = notebook.compile("1");
  const count = /\/\/# sourceURL=(mpslab-cell:\d+)$/.exec(code)?.[1];
  expect(JSON.parse(map)).toMatchObject({ version: 3, sources: [count] });
  expect(JSON.parse(map)).not.toHaveProperty("sourcesContent.0", expect.any(String));
});
