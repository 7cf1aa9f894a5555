// Tests what is said of a call whose optional parameters a list of unknown length is spread into.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

const notebook = new NotebookSession();
afterAll(() => notebook.close());

describe("a list that is spread into optional parameters", () => {
  beforeAll(() =>
    notebook.run(
      'import { data, torch } from "mpslab"; const t = new data.Table({ a: [1] }); const rows: number[] = [1, 2]; function own(a?: number) { return a; }',
    ),
  );
  test("is marked where the call may lose some of it: of the library, of the notebook and of JavaScript", async () => {
    const lost = (column: number, most: string, list = "rows") =>
      `1:${column} warning TS2556: The call takes at most ${most}, and ${list} may have more, which would be lost.`;
    expect(await notebook.problems("t.head(...rows);")).toEqual([lost(11, "1 argument")]);
    expect(await notebook.problems("torch.ones([2]).std(...rows);")).toEqual([lost(24, "3 arguments")]);
    expect(await notebook.problems("own(...new Set(rows));")).toEqual([
      lost(8, "1 argument", "new Set(rows)"),
    ]);
    expect(await notebook.problems('"abc".slice(...rows);')).toEqual([lost(16, "2 arguments")]);
    expect(await notebook.problems("new Set(...[rows, rows].values());")).toEqual([
      lost(12, "1 argument", "[rows, rows].values()"),
    ]);
  });

  test("is not where a parameter takes the rest, or the type tells the length", async () => {
    const cell = `const one: [number] = [1]; t.head(...one); own(...one); Math.max(...rows); console.log(...rows, ...rows);
rows.push(...rows); t.select(...(["a"] as "a"[])); const f: any = own; f(...rows); [...rows, Math.min(...rows)];
const kept = <A extends unknown[]>(g: (...all: A) => unknown) => (...all: A) => g(...all);`;
    expect(await notebook.problems(cell)).toEqual([]);
  });

  test("is left to TypeScript where it says more", async () => {
    expect(await notebook.problems("t.head(...[1, 2]);")).toEqual([
      "1:8 TS2554: Expected 0-1 arguments, but got 2.",
    ]);
    expect(await notebook.problems("t.get(...rows);")).toEqual([
      "1:7 TS2556: A spread argument must either have a tuple type or be passed to a rest parameter.",
    ]);
  });
});
