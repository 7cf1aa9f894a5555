// `using` on a Node that does not have it: at the top level until the cell's end, in blocks and functions until theirs.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
beforeEach(() => void notebook.calls.splice(0));
afterAll(() => notebook.close());

await notebook.run(`
  const open = (name: string) => ({ name, [Symbol.dispose]() { note("dispose " + name) } });
  const openAsync = (name: string) => ({ name, async [Symbol.asyncDispose]() { await null; note("dispose " + name) } });
  const failing = (name: string) => ({ [Symbol.dispose]() { throw new Error("dispose " + name) } });`);

describe("using", () => {
  it("at the top level disposes at the end of the cell, the last resource first", async () => {
    expect(await notebook.run("using a = open('a'); using b = open('b'); note('body'); b.name")).toBe("b");
    expect(notebook.calls).toEqual(["body", "dispose b", "dispose a"]);
  });

  it("at the top level disposes when the cell throws", async () => {
    await expect(notebook.run("using a = open('a'); throw new Error('boom')")).rejects.toThrow("boom");
    expect(notebook.calls).toEqual(["dispose a"]);
  });

  it("at the top level waits for what it awaits", async () => {
    await notebook.run("await using a = openAsync('a'); using b = open('b'); note('body')");
    expect(notebook.calls).toEqual(["body", "dispose b", "dispose a"]);
  });

  it("at the top level leaves every other name of the cell to later cells", async () => {
    await notebook.run(`
      import { basename } from "node:path";
      using a = open("a");
      const one = 1; let { two } = { two: 2 }; var three = 3;
      class Four {} enum Five { X } namespace Six { export const x = 6 }
      function seven() { return one }
      for (const epoch of [1]) { var eight = epoch }
      export const nine = 9;
      { const inner = 1 }`);
    expect(
      await notebook.run(
        "[a.name, one, two, three, Four.name, Five.X, Six.x, seven(), eight, nine, basename('/x')]",
      ),
    ).toEqual(["a", 1, 2, 3, "Four", 0, 6, 1, 1, 9, "x"]);
    expect(await notebook.run("typeof inner")).toBe("undefined");
  });

  it("of nothing is allowed", async () => {
    expect(await notebook.run("using a = null; using b = undefined; 1")).toBe(1);
  });

  it("of what cannot be disposed of is an error", async () => {
    await expect(notebook.run("using a = {}")).rejects.toThrow(/Symbol\.dispose|disposable/i);
  });

  it("in a block, a function, a loop and a loop's head ends where they end", async () => {
    await notebook.run(`
      { using a = open("block"); note("in block") }
      (() => { using a = open("function"); note("in function") })();
      for (const i of [1, 2]) { using a = open("turn " + i) }
      for (using a of [open("head")]) note("in head");
      await (async () => { await using a = openAsync("async"); note("in async") })();`);
    const outer = ["in block", "dispose block", "in function", "dispose function"];
    const inner = [
      "dispose turn 1",
      "dispose turn 2",
      "in head",
      "dispose head",
      "in async",
      "dispose async",
    ];
    expect(notebook.calls).toEqual([...outer, ...inner]);
  });

  it("leaves a block's own names in the block, beside a top-level using too", async () => {
    await notebook.run("const model = 'kept'; { using a = open('a'); const model = 'inner' }");
    expect(await notebook.run("model")).toBe("kept");
    await notebook.run(
      "const outer = 'kept'; { using a = open('a'); const outer = 'inner' } using b = open('b');",
    );
    expect(await notebook.run("outer")).toBe("kept");
  });

  it("keeps the first error beside the one of the disposal", async () => {
    await notebook.run(
      "let caught; try { using a = failing('a'); throw new Error('body') } catch (error) { caught = error }",
    );
    expect(await notebook.run("[caught.name, caught.error.message, caught.suppressed.message]")).toEqual([
      "SuppressedError",
      "dispose a",
      "body",
    ]);
  });

  it("leaves nothing behind under a name that a user may choose", async () => {
    await notebook.run("using a = open('a'); { using b = open('b') }");
    expect(await notebook.run("[typeof _usingCtx, typeof _usingCtx2, typeof _usingCtx3]")).toEqual(
      Array.from({ length: 3 }, () => "undefined"),
    );
  });
});
