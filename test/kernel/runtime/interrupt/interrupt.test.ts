// An interrupt stops the cell wherever it is, runs its `finally` blocks and keeps its state. Where V8 can only unwind the
// code (a generator or async function of a package, a regular expression) `finally` does not run; a native call alone
// costs the session.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { packageFiles, PLACES, preparation, randomMoments } from "./interrupted_places.ts";
import { Notebook, traceback } from "../../session/notebook.ts";

describe("an interrupt", () => {
  let notebook: Notebook;
  beforeAll(async () => {
    // On a busy machine a package that prints without end takes seconds to be stopped: no deadline here.
    notebook = new Notebook(packageFiles, { interruptDeadlineMs: 60_000 });
    await notebook.run(preparation);
  });
  afterAll(() => notebook.close());

  /** Runs `code` until it has printed, then interrupts it. */
  async function interrupted(code: string) {
    const { cell, end } = notebook.start(`console.log("begun"); ${code}`);
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    return await end;
  }

  it.each(Object.entries(PLACES))(
    "stops %s, and the state is kept",
    async (_place, { code, runsFinally }) => {
      await notebook.run("cleaned = 0;");
      const run = await interrupted(code);
      expect(run.done.error?.ename).toBe("KeyboardInterrupt");
      expect((await notebook.run("[kept, cleaned]")).text).toBe(`[ 42, ${runsFinally ? 1 : 0} ]`);
    },
  );

  it("shows where the loop was", async () => {
    const run = await interrupted("\nlet n = 0;\nwhile (true) {\n  n += 1;\n}");
    expect(traceback(run)).toMatch(
      /^KeyboardInterrupt: The cell was interrupted; variables keep their values\.\n[^]*> 3 \| while \(true\) \{\n/,
    );
  });

  it("does not run what stands after the await that it ended", async () => {
    const run = await interrupted(
      "let settle = () => {}; await new Promise<void>((resolve) => { settle = resolve; }); console.log('went on');",
    );
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    await notebook.run("settle(); await new Promise((resolve) => setTimeout(resolve, 1));");
    expect(notebook.collect(run.done.cell).stdout).toBe("begun\n");
  });

  it("can be answered by a catch that names it, and clean-up may loop and await; then the cell ends", async () => {
    const run = await interrupted(`
      try { while (true) {} }
      catch (error) { for (let i = 0; i < 2; i++) if (error.name === "KeyboardInterrupt") console.log(error.name, i); }
      finally {
        for (let i = 0; i < 2; i++) await new Promise((resolve) => setTimeout(resolve, 5));
        console.log("cleaned up");
      }
      console.log("went on");`);
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect(run.stdout).toBe("begun\nKeyboardInterrupt 0\nKeyboardInterrupt 1\ncleaned up\n");
  });

  it.each([
    ["a catch in a loop", "while (true) { try { for (;;) {} } catch (error) { console.log(error); } }"],
    [
      "a catch without a name in an await's loop",
      "while (true) { try { await pause(5); } catch { console.log('caught'); } }",
    ],
    [
      "a catch of a pattern, and code behind it",
      "try { for (;;) {} } catch ({ message }) { console.log(message); } console.log('on');",
    ],
    ["a handler of a promise", "while (true) await pause(5).catch(() => console.log('caught'));"],
    [
      "a handler of an async function's promise",
      "const work = async () => { await pause(5); }; while (true) await work().catch(() => {});",
    ],
    [
      "Promise.allSettled",
      "while (true) await Promise.allSettled([1, 2].map(async () => { await pause(5); }));",
    ],
    [
      "a function that tries again",
      `async function again(work) { for (let n = 0; ; n++) { try { return await work(); } catch { await pause(1); } } }
       await again(async () => { for (;;) { await pause(1); } });`,
    ],
    [
      "a generator",
      "function* numbers() { for (;;) { try { yield 1; } catch {} } } for (const n of numbers()) { try { while (true) {} } catch {} }",
    ],
    ["nested tries", "try { try { while (true) {} } catch { while (true) {} } } catch { for (;;) {} }"],
    [
      "an async loop that nobody awaits",
      "const loop = async () => { for (;;) { try { await pause(2); } catch {} } }; loop(); await pause(60_000);",
    ],
  ])("ends a cell although %s would catch it, and nothing is printed afterwards", async (_, code) => {
    const run = await interrupted(
      `function pause(ms) { return new Promise((resolve) => setTimeout(resolve, ms)); } var kept = 42; ${code}`,
    );
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect((await notebook.run("await new Promise((resolve) => setTimeout(resolve, 30)); kept")).text).toBe(
      "42",
    );
    expect(notebook.collect(run.done.cell).stdout).toBe("begun\n");
  });

  it("fires the cell's AbortSignal", async () => {
    const run = await interrupted(`
      const { signal } = import.meta;
      signal.addEventListener("abort", () => console.log("aborted by", signal.reason.name));
      await new Promise(() => {});`);
    expect(run.stdout).toBe("begun\naborted by KeyboardInterrupt\n");
  });

  it.each([
    ["in a loop", "while (true) {}"],
    ["in a package's loop", "spin();"],
    ["in a package's generator, which V8 cannot restart", "endless().next();"],
  ])("fires lab.signal of its cell, %s too, and not that of the next one", async (_place, code) => {
    const run = await interrupted(`
      import { lab } from "mpslab"; import { setTimeout as sleep } from "node:timers/promises";
      void sleep(100_000, null, { signal: lab.signal }).catch(({ name }) => console.log(name));
      ${code}`);
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect((await notebook.run("lab.signal.aborted")).text).toBe("false");
    expect(notebook.collect(run.done.cell).stdout).toBe("begun\nAbortError\n");
  });

  it("closes the iterator of a `for await`", async () => {
    // Interrupted once the iterator runs: at its function's entry a check would throw before its `try`.
    const { cell, end } = notebook.start(`
      async function* ticks() {
        try {
          console.log("ticking");
          while (true) { yield 1; await new Promise((resolve) => setTimeout(resolve, 1)); }
        } finally { console.log("closed"); }
      }
      for await (const tick of ticks()) {}`);
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    const run = await end;
    await notebook.message((message) => message.type === "stream" && message.text.includes("closed"));
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect(notebook.collect(cell).stdout).toBe("ticking\nclosed\n");
  });

  it("ends a module that never finishes loading", async () => {
    notebook.write("endless.ts", "await new Promise(() => {});\nexport {};");
    const run = await interrupted('await import("./endless.ts");');
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
  });

  it.each(["for (;;);", "for (;;) y.add(1);"])(
    "leaves no transform behind, and a model its own tensors, where it ends %s",
    async (loop) => {
      await notebook.run(
        'import { nn, torch } from "mpslab"; const layer = new nn.Linear(2, 1); const own = String(layer.weight);',
      );
      const run = await interrupted(`
        class Slow extends nn.Module { layer = layer; forward(x) { const y = this.layer(x); ${loop} } }
        const slow = new Slow();
        const zeros = torch.zeros([1, 2]);
        torch.func.vmap((x) => torch.func.functionalCall(slow, { "layer.weight": zeros }, [x]))(torch.ones([3, 2]));`);
      expect(run.done.error?.ename).toBe("KeyboardInterrupt");
      const after = "[String(layer.weight) === own, torch.ones([2]).add(1).tolist()]";
      expect((await notebook.run(after)).text).toBe("[ true, [ 2, 2 ] ]");
    },
  );

  it("stops a tensor loop inside a package between two operators", async () => {
    notebook.write(
      "node_modules/trainer/index.js",
      "export function train(x) { const { constructor } = x; while (true) x = x.add(1).mul(0.5); }",
    );
    await notebook.run(
      'import { torch } from "mpslab"; import { train } from "trainer"; const x = torch.ones([8]);',
    );
    const run = await interrupted("await 1; train(x);");
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect((await notebook.run("x.sum().item()")).text).toBe("8");
  });

  const NEVER_SHOWN = '{ [Symbol.for("Jupyter.display")]: () => new Promise(() => {}) }';

  it.each([
    ["a value that never shows itself", "display('begun'); (NEVER)"],
    ["a display() that never shows itself", "display(NEVER); display('begun');"],
    ["a display() that never shows itself, in a loop", "display(NEVER); display('begun'); while (true) {}"],
    [
      "a display() that never shows itself, beside a promise that nobody awaits",
      "void (async () => { await new Promise(() => {}); })(); display(NEVER); display('begun');",
    ],
  ])("ends %s", async (_name, code) => {
    await notebook.run("kept = 42;");
    const { cell, end } = notebook.start(code.replace("NEVER", NEVER_SHOWN));
    await notebook.message((message) => message.type === "display" && message.cell === cell);
    await new Promise((resolve) => setTimeout(resolve, 20));
    notebook.interrupt();
    const run = await end;
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect(run.lateErrors).toEqual([]);
    expect((await notebook.run("kept")).text).toBe("42");
  });

  it("ends a user expression that never shows itself; the others are evaluated", async () => {
    const userExpressions = { never: `display('begun'); (${NEVER_SHOWN})`, after: "1 + 1" };
    const { cell, end } = notebook.start("1", { userExpressions });
    await notebook.message((message) => message.type === "display" && message.cell === cell);
    await new Promise((resolve) => setTimeout(resolve, 20));
    notebook.interrupt();
    expect((await end).done.userExpressions).toMatchObject({
      never: { status: "error", ename: "KeyboardInterrupt" },
      after: { status: "ok", data: { "text/plain": "2" } },
    });
  });

  it("that stops a timer after its cell's end is a late error of the cell", async () => {
    const { done } = await notebook.run("setTimeout(() => { console.log('looping'); while (true) {} }, 1);");
    await notebook.message((message) => message.type === "stream" && message.cell === done.cell);
    notebook.interrupt();
    const late = await notebook.message(
      (message) => message.type === "lateError" && message.cell === done.cell,
    );
    expect(late).toMatchObject({ error: { ename: "KeyboardInterrupt" } });
  });

  it("that stops a timer of an earlier cell is told by both that cell and the running one", async () => {
    const { done } = await notebook.run("setTimeout(() => { console.log('looping'); while (true) {} }, 20);");
    const { end } = notebook.start("await new Promise(() => {});");
    await notebook.message((message) => message.type === "stream" && message.cell === done.cell);
    notebook.interrupt();
    const run = await end;
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect(run.lateErrors).toEqual([]);
    expect(notebook.collect(done.cell).lateErrors).toMatchObject([{ ename: "KeyboardInterrupt" }]);
  });

  it("is told once where it also ends promises that nobody awaits", async () => {
    const run = await interrupted(`
      const wait = async () => { await new Promise(() => {}); };
      void wait(); void wait(); await wait();`);
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    await notebook.run("await new Promise((resolve) => setTimeout(resolve, 10));");
    expect(notebook.collect(run.done.cell).lateErrors).toEqual([]);
  });

  it("is harmless between cells", async () => {
    for (let i = 0; i < 5; i++) notebook.interrupt();
    expect((await notebook.run("let sum = 0; for (let i = 0; i < 1000; i++) sum += i; sum")).text).toBe(
      "499500",
    );
  });

  it("during flushes leaves the library whole", async () => {
    const run = await interrupted('import { lab } from "mpslab"; while (true) lab.flush();');
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    expect((await notebook.run("typeof lab.flush().freedBytes")).text).toBe("'number'");
  });

  it("given twice and more ends one cell, and those that wait go on", async () => {
    const { cell, end } = notebook.start('console.log("begun"); spin();');
    const waiting = notebook.start("kept + 1");
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    for (let i = 0; i < 5; i++) notebook.interrupt();
    expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
    expect((await waiting.end).text).toBe("43");
  });

  it("meant for one cell does not strike the next one", async () => {
    const first = notebook.start("while (true) {}");
    const second = notebook.start("let total = 0; for (let i = 0; i < 1e6; i++) total += 1; total");
    notebook.interrupt();
    expect((await first.end).done.error?.ename).toBe("KeyboardInterrupt");
    expect((await second.end).text).toBe("1000000");
  });

  it("at 200 random moments leaves no cell hanging and no process dead", async () => {
    const report = await randomMoments(notebook, { seed: 20_260_101, interrupts: 200 });
    expect(report).toEqual({ interrupts: 200, wrongEnds: [], lostState: [], deaths: [] });
  });
});

describe("code that cannot be stopped with its state kept", () => {
  let notebook: Notebook;
  afterEach(() => notebook.close());

  it("is announced, then ended at the deadline, and the error says what was lost", async () => {
    notebook = new Notebook({}, { interruptDeadlineMs: 1500 });
    await notebook.run("const kept = 1; let rate = 0.1;");
    const { end, cell } = notebook.start(
      'console.log("begun"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);',
    );
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    const run = await end;
    expect(run.stderr).toBe(
      "The code has not stopped yet: it is in a native call, or in a built-in function that takes long. " +
        "If it has not stopped 1.5 s after the interrupt, the session process is ended.\n",
    );
    expect(run.done.error?.evalue).toBe(
      "The session process did not stop after the interrupt and was ended. " +
        "All variables and tensors are lost (kept, rate); files are not. The next cell starts a new session.",
    );
    expect((await notebook.run("1")).text).toBe("1");
  });

  it("is ended at the deadline though a cell of another subshell has stopped meanwhile", async () => {
    notebook = new Notebook({}, { interruptDeadlineMs: 1500 });
    const waiting = notebook.start(
      "await new Promise((resolve) => setTimeout(resolve, 1)); await new Promise(() => {});",
      {
        subshell: "other",
      },
    );
    const { end, cell } = notebook.start(
      'await 1; console.log("begun"); await new Promise((resolve) => setTimeout(resolve, 200)); ' +
        "try { while (true); } finally { for (const until = Date.now() + 100; Date.now() < until;); }",
    );
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    await new Promise((resolve) => setTimeout(resolve, 300));
    notebook.interrupt();
    expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
    expect((await waiting.end).done.error?.ename).toBe("KeyboardInterrupt");
    expect(notebook.deaths).toEqual([]);
    const native = notebook.start(
      'console.log("begun"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);',
    );
    const other = notebook.start("await new Promise(() => {});", { subshell: "other" });
    await notebook.message((message) => message.type === "stream" && message.cell === native.cell);
    notebook.interrupt();
    expect((await native.end).done.error?.ename).toBe("SessionEnded");
    expect((await other.end).done.error?.ename).toBe("SessionEnded");
  });

  it("is left alone when it stops by itself before the deadline", async () => {
    notebook = new Notebook({}, { interruptDeadlineMs: 5000 });
    const { end, cell } = notebook.start(`
      import { execSync } from "node:child_process";
      console.log("begun"); execSync("sleep 0.5"); while (true) {}`);
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
    expect(notebook.deaths).toEqual([]);
  });
});
