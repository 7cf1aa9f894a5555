// Output goes to the cell that it comes from, in order, whole, and before the cell is reported done.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Notebook } from "./notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

describe("output of a cell", () => {
  it("keeps the order of prints, displays and the value", async () => {
    const { order, text } = await notebook.run(`
      console.log("one"); display({ "text/html": "<b>two</b>" }); console.error("three"); display("four");
      "five"`);
    expect(order).toEqual(["stdout", "display", "stderr", "display", "result"]);
    expect(text).toBe("'five'");
  });

  it("of a table's records is a table, and a field that they have not is an error at its line", async () => {
    const shown = await notebook.run(
      'import { data } from "mpslab"; const flats = data.readCsv("area,rent\\n30,500\\n45,640\\n"); flats.records()',
    );
    const result = notebook.messages.find(
      (message) => message.type === "result" && message.cell === shown.done.cell,
    );
    expect(JSON.stringify(result)).toMatch(/"text\/html":.*2 records.*area.*rent/);
    const { done } = await notebook.run("const first = flats.get(0);\nfirst.rnt");
    expect(done.error?.evalue).toBe('record.rnt: there is no column "rnt"; there are area, rent.');
    expect(done.error?.traceback.join("\n")).toContain(":2:7");
  });

  it("has Node's warnings without the process's number, and without an option of node", async () => {
    const { stderr } = await notebook.run(
      'process.emitWarning("old"); process.emitWarning("older", "DeprecationWarning", "DEP1"); await 1;',
    );
    expect(stderr).toBe("Warning: old\nDeprecationWarning [DEP1]: older\n");
  });

  it("from a timer or a promise goes to the cell that started it", async () => {
    const first = await notebook.run(`
      setTimeout(() => console.log("timer of the first"), 30);
      void (async () => { await new Promise((resolve) => setTimeout(resolve, 30)); console.log("promise of the first"); })();
    `);
    const second = await notebook.run(
      "await new Promise((resolve) => setTimeout(resolve, 60)); console.log('second');",
    );
    expect(second.stdout).toBe("second\n");
    expect(notebook.collect(first.done.cell).stdout.split("\n").sort()).toEqual([
      "",
      "promise of the first",
      "timer of the first",
    ]);
  });

  it("is what Node's console makes of it: alone, with a format, in groups, among a burst of lines", async () => {
    const { stdout, stderr } = await notebook.run(`
      for (let i = 0; i < 200; i++) console.log("line");
      console.log("100%"); console.log("%d%%", 5); console.log(""); console.log(1, "two");
      console.group("group"); console.log("inside"); console.groupCollapsed("deeper"); console.warn("warned");
      console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("outside");`);
    expect(stdout).toBe(`${"line\n".repeat(200)}100%\n5%\n\n1 two\ngroup\n  inside\n  deeper\noutside\n`);
    expect(stderr).toBe("    warned\n");
  });

  it("through process.stdout and process.stderr is the cell's too, bytes included", async () => {
    const { stdout, stderr } = await notebook.run(`
      process.stdout.write("text "); process.stdout.write(Buffer.from([0xc3])); process.stdout.write(Buffer.from([0xa9]));
      process.stderr.write("err");`);
    expect(stdout).toBe("text é");
    expect(stderr).toBe("err");
  });

  it("of child processes and of the descriptors themselves is there when the cell is done", async () => {
    const { stdout, stderr } = await notebook.run(`
      import { execSync } from "node:child_process";
      import { writeSync } from "node:fs";
      execSync("echo from a child; echo complaint >&2", { stdio: "inherit" });
      writeSync(1, "native\\n");`);
    expect(stdout).toBe("from a child\nnative\n");
    expect(stderr).toBe("complaint\n");
  });

  it("of 4 MB of native text arrives whole, then the cell is done", async () => {
    const { stdout } = await notebook.run(`
      import { execFileSync } from "node:child_process";
      execFileSync(process.execPath, ["-e", 'process.stdout.write("x".repeat(4_000_000) + "end")'], { stdio: "inherit" });`);
    expect(stdout.length).toBe(4_000_003);
    expect(stdout.endsWith("xend")).toBe(true);
  });

  it("of 20,000 lines arrives whole", async () => {
    const { stdout } = await notebook.run("for (let i = 0; i < 20_000; i++) console.log(i);");
    expect(stdout.split("\n").length).toBe(20_001);
  });

  it("is seen while the cell loops without ever yielding", async () => {
    const { cell, end } = notebook.start('console.log("started"); while (true) {}');
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
  });

  it("gives weight to objects but neither to text nor to numbers", async () => {
    const { done } = await notebook.run(
      'console.log("loss", 0.5, { epoch: 1 }); console.log("%d epochs", 3);',
    );
    const texts = notebook.messages.map((message) =>
      message.type === "stream" && message.cell === done.cell ? message.text : "",
    );
    expect(texts.join("")).toBe("loss 0.5 { epoch: \x1b[1m1\x1b[22m }\n3 epochs\n");
  });
  it("has weight, and no colour that a theme hides", async () => {
    const { done } = await notebook.run(
      'const kinds = { n: 1, b: 2n, t: "a", on: true, none: null, no: undefined, at: new Date(0), r: /x/, s: Symbol("s"), f() {}, get g() { return 1; } }; console.log(kinds); console.log((await import("node:util")).inspect([1], { colors: true }));',
    );
    const text = notebook.messages
      .map((message) => (message.type === "stream" && message.cell === done.cell ? message.text : ""))
      .join("");
    expect(text).toContain("n: \x1b[1m1\x1b[22m");
    expect(text).toContain("\n[ \x1b[1m1\x1b[22m ]\n");
    // oxlint-disable-next-line no-control-regex
    expect([...new Set(text.match(/\x1b\[\d+m/g))].toSorted()).toEqual(["\x1b[1m", "\x1b[22m"]);
  });
});

describe("after a cell's end", () => {
  it.each([
    ["a throwing timer", 'setTimeout(() => { throw new RangeError("late"); }, 5);', "RangeError"],
    ["a rejected promise", 'void Promise.reject(new TypeError("lost"));', "TypeError"],
    ["a rejected async function", 'void (async () => { await 1; throw new Error("gone"); })();', "Error"],
  ])("%s is an error of its cell and not fatal", async (_name, code, ename) => {
    const { done } = await notebook.run(code);
    expect(done.error).toBeUndefined();
    const late = () => notebook.collect(done.cell).lateErrors.map((error) => error.ename);
    await expect.poll(late).toEqual([ename]);
    expect((await notebook.run("1")).text).toBe("1");
  });
});

it("console keeps nothing of what it printed alive", async () => {
  await notebook.run(`
    let freed = 0;
    const registry = new FinalizationRegistry(() => { freed++; });
    class Big { payload = new Array(1000).fill(0); constructor() { registry.register(this, 0); } }
    for (let i = 0; i < 500; i++) console.log(new Big());`);
  await notebook.run("await new Promise((resolve) => setTimeout(resolve, 10)); gc(); gc();");
  expect((await notebook.run("await new Promise((resolve) => setTimeout(resolve, 10)); freed")).text).toBe(
    "500",
  );
});

it("a cell is gone once no timer and no promise of it is left", async () => {
  const timed = await notebook.run("globalThis.ticking = setInterval(() => {}, 100_000);");
  const plain: string[] = [];
  for (let cell = 0; cell < 200; cell++) plain.push((await notebook.run("await 1; 2 + 3")).done.cell);
  await untilGone(plain);
  expect(gone()).not.toContain(timed.done.cell);
  await notebook.run("clearInterval(globalThis.ticking);");
});

it("a cell whose rest is to come, as behind %reset, is gone only with the rest", async () => {
  const before = notebook.start("1", { continues: true });
  await before.end;
  const plain: string[] = [];
  for (let cell = 0; cell < 200; cell++) plain.push((await notebook.run("2")).done.cell);
  await untilGone(plain);
  expect(gone()).not.toContain(before.cell);
  await notebook.start("3", { cell: before.cell }).end;
  await untilGone([before.cell]);
});

function gone(): readonly string[] {
  return notebook.messages.filter((message) => message.type === "gone").map(({ cell }) => cell);
}

async function untilGone(cells: readonly string[]): Promise<void> {
  const collect = "await new Promise((resolve) => setTimeout(resolve, 10)); gc(); gc();";
  await expect
    .poll(async () => {
      await notebook.run(collect);
      return cells.filter((cell) => !gone().includes(cell)).length;
    })
    .toBe(0);
}
