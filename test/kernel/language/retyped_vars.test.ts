// Tests that a cell may declare a `var` again with another type, as JavaScript does.
import { afterEach, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
const open = (): NotebookSession => (notebook = new NotebookSession());
afterEach(() => notebook.close());

describe("a var that is declared again in one cell with another type", () => {
  test("is what was assigned last, at each place and for later cells", async () => {
    open();
    expect(await notebook.run('var s = "a"; s.length; var s = 3; s.toFixed();')).toEqual([]);
    expect(await notebook.typeOf("s")).toBe("number");
    expect(await notebook.run('var s = "a"; s.length; if (s) { var s = 3; }')).toEqual([]);
    expect(await notebook.typeOf("s")).toBe("string | number");
  });

  test("is still checked, with the places of the cell as it was written", async () => {
    open();
    expect(await notebook.problems('var s = "a"; var s = 3;\ns.length;')).toEqual([
      "2:3 TS2339: Property 'length' does not exist on type 'number'.",
    ]);
    const cell = 'import { torch } from "mpslab"; var s = "a"; var s = torch.ones([2]);\nlet t = s; t = 1;';
    expect(await notebook.problems(cell)).toEqual([
      expect.stringMatching(/^2:12 TS2322: Type 'number' is not/),
    ]);
  });

  test("is refused where its types are written", async () => {
    open();
    expect(await notebook.problems('var s: string = "a"; var s: number = 3;')).toEqual([
      expect.stringMatching(/^1:26 TS2403: Subsequent variable declarations must have the same type\./),
    ]);
  });
});
