// An expression of Python has the same value in TypeScript, or it is marked: 600 that were drawn from Python's operators and
// functions, with what Python made of each (fixtures/python/expressions.py).
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { expect, it } from "vitest";
import { convertPython } from "../../../kernel/python/convert.ts";

const file = new URL("../../fixtures/python/expressions.json", import.meta.url);
const rows = JSON.parse(readFileSync(file, "utf8")) as [
  variables: string,
  expression: string,
  value: unknown,
][];

/** Python and JavaScript round a power or a quotient in other places. */
const near = (value: unknown): unknown =>
  typeof value === "number"
    ? Number(value.toPrecision(12)) + 0
    : Array.isArray(value)
      ? value.map(near)
      : value;

it("has the value that Python has, where nothing is marked", () => {
  const others: string[] = [];
  let marked = 0;
  for (const [variables, expression, value] of rows) {
    const { typescript, marks } = convertPython(`${variables}\nresult = ${expression}\n`);
    if (marks.length > 0 || typescript.startsWith("import ")) marked++;
    else {
      const { code } = transformSync(typescript, { loader: "ts" });
      const got = new Function(`${code}\nreturn result;`)() as unknown;
      if (JSON.stringify(near(got)) !== JSON.stringify(near(value)))
        others.push(
          `${expression}: ${JSON.stringify(got)}, in Python ${JSON.stringify(value)} (${variables})`,
        );
    }
  }
  expect(others).toEqual([]);
  expect(marked).toBeLessThan(rows.length / 3);
});
