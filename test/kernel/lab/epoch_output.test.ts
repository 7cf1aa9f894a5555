// What a cell shows while its loops run, in the real session: charts above what the loop prints, metrics, progress, and
// what `clearOutput` leaves.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

const VEGA = "application/vnd.vegalite.v5+json";
const FIT = `import { lab } from "mpslab";
export function fit(epochs: number) { for (const epoch of lab.epochs(epochs)) lab.log({ loss: 8 - epoch }); }
export function step(loss: number) { lab.log({ loss }); }`;

let notebook: Notebook;
beforeAll(async () => {
  notebook = new Notebook({ "fit.ts": FIT });
  await notebook.run(`import { lab, torch } from "mpslab"; import { fit, step } from "./fit.ts";
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));`);
});
afterAll(() => notebook.close());
beforeEach(async () => void (await notebook.run("lab.ledger.clear()")));

const metrics = async () =>
  JSON.parse(
    String(
      (await notebook.run("JSON.stringify(lab.ledger.epochs.map(({ metrics }) => metrics))")).text,
    ).slice(1, -1),
  );

describe("the charts of a loop", () => {
  it("stand above everything that the loop prints, and below what the cell printed before", async () => {
    const { order, displays } = await notebook.run(`
      console.log("before");
      for (let epoch = 0; epoch < 3; epoch++) { console.log(epoch); await sleep(300); }
      console.log("after");`);
    expect(order.slice(0, 3)).toEqual(["stdout", "display", "stdout"]);
    expect(displays.map(({ update }) => update).indexOf(true)).toBe(1);
    expect(new Set(displays.map(({ displayId }) => displayId)).size).toBe(1);
  });

  it("survive clearOutput, at the top of what follows", async () => {
    const { displays, order } = await notebook.run(`
      for (let epoch = 0; epoch < 2; epoch++) { clearOutput(); console.log(epoch); }`);
    expect(order.slice(0, 5)).toEqual(["display", "clear", "display", "stdout", "display"]);
    const shownAnew = displays.filter(({ update }) => !update);
    expect(shownAnew).toHaveLength(3);
    expect(shownAnew.at(-1)!.data).toHaveProperty([VEGA]);
    expect(displays.at(-1)!.data).toHaveProperty(["image/png"]);
  });
});

describe("lab.log", () => {
  it("joins the records of loops that the kernel found, through functions of other files", async () => {
    await notebook.run("for (let epoch = 0; epoch < 2; epoch++) { lab.log({ loss: epoch }); step(4); }");
    expect(await metrics()).toEqual([{ loss: 2 }, { loss: 2.5 }]);
  });

  it("joins those of lab.epochs in a local file, and their chart", async () => {
    const { displays } = await notebook.run("fit(3);");
    expect(await metrics()).toEqual([{ loss: 8 }, { loss: 7 }, { loss: 6 }]);
    expect(displays.at(-1)!.data["text/plain"]).toMatch(
      /^Metrics of 3 epochs on cpu: loss from 8 to 6\.\nMemory of /,
    );
  });

  it("joins those of a loop that goes on when its cell has ended", async () => {
    await notebook.run(`const background = (async () => {
      for (let epoch = 0; epoch < 2; epoch++) { await sleep(50); lab.log({ loss: epoch }); }
    })();`);
    await notebook.run("await background;");
    expect(await metrics()).toEqual([{ loss: 0 }, { loss: 1 }]);
  });

  it("is an error outside of epochs, and after a loop that Stop ended", async () => {
    const message = /^lab\.log: no epoch is running that could record \{ loss \};/;
    expect((await notebook.run("lab.log({ loss: 1 });")).done.error?.evalue).toMatch(message);
    const { cell, end } = notebook.start(
      'for (let epoch = 0; ; epoch++) { console.log("on"); await sleep(20); }',
    );
    await notebook.message((sent) => sent.type === "stream" && sent.cell === cell);
    notebook.interrupt();
    expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
    expect((await notebook.run("lab.log({ loss: 1 });")).done.error?.evalue).toMatch(message);
  });

  it("in a loop with @no-flush has no epoch", async () => {
    const { done } = await notebook.run(
      "// @no-flush\nfor (let epoch = 0; epoch < 2; epoch++) lab.log({ loss: 1 });",
    );
    expect(done.error?.ename).toBe("Error");
  });
});

describe("lab.progress", () => {
  const last = (displays: readonly { data: Readonly<Record<string, unknown>> }[]) =>
    displays.at(-1)?.data["text/plain"];

  it("shows one output that is replaced, and its last line", async () => {
    const { displays } = await notebook.run("for (const i of lab.progress(4)) await sleep(200);");
    expect(displays.map(({ update }) => update).slice(0, 2)).toEqual([false, true]);
    expect(last(displays)).toMatch(/^4 in .+, .+ a second$/);
  });

  it("says where Stop ended it, in a loop with an await and in one without", async () => {
    for (const body of [
      "await sleep(20);",
      "for (const until = performance.now() + 20; performance.now() < until;);",
    ]) {
      const { cell, end } = notebook.start(`for (const i of lab.progress(10_000)) { ${body} }`);
      await notebook.message((sent) => sent.type === "display" && sent.cell === cell);
      notebook.interrupt();
      const { displays, done } = await end;
      expect(done.error?.ename).toBe("KeyboardInterrupt");
      expect(last(displays)).toMatch(/^stopped at \d+ of 10000 after /);
    }
  });

  it("around epochs leaves an epoch loop, whose epoch a throw cuts", async () => {
    const { done } = await notebook.run(`
      for (const epoch of lab.progress(lab.epochs(5))) if (epoch === 1) throw new Error("no");`);
    expect(done.error?.evalue).toBe("no");
    expect((await notebook.run("lab.ledger.epochs.map(({ cut }) => cut)")).text).toBe("[ false, true ]");
    await notebook.run("lab.ledger.clear(); for (const epoch of lab.progress([10, 20])) lab.log({ epoch });");
    expect(await metrics()).toEqual([{ epoch: 10 }, { epoch: 20 }]);
  });
});
