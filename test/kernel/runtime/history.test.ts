// `In`, `Out` and `_`: what they hold, and which cells get into them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

describe("In, Out and _", () => {
  it("hold the text and the value of a cell by its count", async () => {
    const { done } = await notebook.run("6 * 7");
    const count = Number(done.cell.replace("cell-", ""));
    expect((await notebook.run(`[In[${count}], Out[${count}].value, _]`)).text).toBe("[ '6 * 7', 42, 42 ]");
  });

  it.each([
    ["silent", { silent: true, storeHistory: false }],
    ["not stored", { storeHistory: false }],
  ])("keep what they hold when a cell that is %s shares the count", async (_kind, more) => {
    const { done } = await notebook.run("'kept'");
    const count = Number(done.cell.replace("cell-", ""));
    await notebook.run("'unseen'", { count, ...more });
    expect((await notebook.run(`[In[${count}], Out[${count}].value, _]`)).text).toBe(
      `[ "'kept'", 'kept', 'kept' ]`,
    );
  });
});
