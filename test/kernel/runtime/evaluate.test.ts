// Tests the evaluation of a cell: values, names, and memory that is freed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

describe("the value of a cell", () => {
  it.each([
    ["1 + 1", "2"],
    ["-0", "-0"],
    ["0 / 0", "NaN"],
    ["1 / 0", "Infinity"],
    ["2n ** 64n", "18446744073709551616n"],
    ['"text"', "'text'"],
    ["null", "null"],
    ['Symbol("s")', "Symbol(s)"],
    ["[1, { a: 2 }]", "[ 1, { a: 2 } ]"],
    ["new Map([[1, 2]])", "Map(1) { 1 => 2 }"],
    ["await Promise.resolve(7)", "7"],
  ])("%s is %s", async (code, text) => {
    expect((await notebook.run(code)).text).toBe(text);
  });

  it("is nothing for undefined, for a declaration, and for a silent cell", async () => {
    expect((await notebook.run("undefined")).order).toEqual([]);
    expect((await notebook.run("const declared = 1;")).order).toEqual([]);
    expect((await notebook.run("5", { silent: true })).order).toEqual([]);
  });

  it("may be a promise that never settles: it is shown, not awaited", async () => {
    expect((await notebook.run("new Promise(() => {})")).text).toBe("Promise { <pending> }");
    expect((await notebook.run("({ answer: Promise.resolve(4) })")).text).toBe("{ answer: Promise { 4 } }");
  });

  it("is kept in _ and Out, the text in In", async () => {
    await notebook.run("6 * 7");
    expect((await notebook.run("_ + 1")).text).toBe("43");
    const { done } = await notebook.run("'to remember'");
    const count = done.cell.replace("cell-", "");
    expect((await notebook.run(`[In[${count}], Out[${count}].value, Out[${count}].preview]`)).text).toBe(
      `[ "'to remember'", 'to remember', "'to remember'" ]`,
    );
  });
});

describe("names", () => {
  it("that a failed cell had initialised are reported, and only those", async () => {
    const { done } = await notebook.run(
      'const first = 1; let second: number; throw new Error("stop"); const third = 3;',
    );
    expect(done.initialised).toEqual(["first", "second"]);
  });

  it("that keep the value of an earlier cell are not", async () => {
    await notebook.run("let rate = 0.1; let point = { x: 1 }; let steps = 5;");
    const { done } = await notebook.run(
      'let steps = 6; throw new Error("stop"); let rate = "high"; let point = { x: 2 };',
    );
    expect(done.initialised).toEqual(["steps"]);
    expect((await notebook.run("[rate, point, steps]")).text).toBe("[ 0.1, { x: 1 }, 6 ]");
  });

  it("of a cell that succeeds are all reported", async () => {
    const { done } = await notebook.run("function f() {} class C {} enum E { A } let undefinedYet;");
    expect([...done.initialised].sort()).toEqual(["C", "E", "f", "undefinedYet"]);
  });
});

describe("user expressions", () => {
  it("are evaluated after the cell, each failing on its own", async () => {
    const { done } = await notebook.run("const size = 3;", {
      userExpressions: { good: "size * 2", bad: "nowhere" },
    });
    expect(done.userExpressions["good"]).toEqual({ status: "ok", data: { "text/plain": "6" }, metadata: {} });
    expect(done.userExpressions["bad"]).toMatchObject({
      status: "error",
      ename: "ReferenceError",
      evalue: "nowhere is not defined",
    });
  });
});

describe("memory", () => {
  /** Runs `cell`, which makes objects that \`watch\` was called with; how many of them are freed afterwards. */
  async function freedAfter(cell: string): Promise<string> {
    await notebook.run(`
      globalThis.freed = 0;
      globalThis.registry = new FinalizationRegistry(() => { globalThis.freed++; });
      globalThis.watch = (object) => { registry.register(object, 0); return object; };`);
    await notebook.run(cell);
    await notebook.run("await new Promise((resolve) => setTimeout(resolve, 10)); gc(); gc();");
    const { text } = await notebook.run(
      "await new Promise((resolve) => setTimeout(resolve, 10)); globalThis.freed",
    );
    return String(text);
  }

  it.each([
    ["a cell's value", "watch({})"],
    ["a cell's awaited value", "await Promise.resolve(watch({}))"],
    ["what a cell threw", "throw watch(new Error())"],
    ["what a cell printed", "console.log(watch({}))"],
    ["what a cell displayed", "display(watch({}))"],
    ["an old value when its name is declared again", "let again = watch({}); again = watch({}); again = 0;"],
  ])("of %s is let go", async (_name, cell) => {
    expect(Number(await freedAfter(cell))).toBeGreaterThan(0);
  });

  it("of an old value is let go before its cell runs again", async () => {
    await notebook.run("let big = null;");
    expect(await freedAfter("let big = watch({}); big = 1;")).toBe("1");
  });

  it("of a tensor that a cell ended in is given back", async () => {
    await notebook.run('import { torch, lab } from "mpslab";');
    const before = Number((await notebook.run("lab.memory().allocatedBytes")).text);
    await notebook.run("torch.zeros([1000, 1000])");
    await notebook.run("await new Promise((resolve) => setTimeout(resolve, 10)); gc(); gc();");
    await notebook.run("await new Promise((resolve) => setTimeout(resolve, 10));");
    expect(Number((await notebook.run("lab.memory().allocatedBytes")).text) - before).toBeLessThan(1_000_000);
  });
});

describe("what a cell leaves switched", () => {
  it("in grad mode is reset at its end", async () => {
    await notebook.run('import { torch } from "mpslab";');
    await notebook.run('try { torch.noGrad(() => { throw new Error("left"); }); } catch {}');
    expect((await notebook.run("torch.ones([1], { requiresGrad: true }).mul(2).requiresGrad")).text).toBe(
      "true",
    );
  });
});
