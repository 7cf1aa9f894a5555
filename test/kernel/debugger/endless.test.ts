// What the debugger evaluates may never end: Stop ends it, and the session keeps its variables.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let client: DebuggerClient;
let pid: unknown;

const value = async (expression: string) => {
  const { result, errors } = await kernel.client.execute(expression);
  return result ?? errors[0]?.["evalue"];
};
const stop = () => kernel.client.request("interrupt_request", {}, "control");
/** Resolves when the evaluated code has printed "begun". */
const begun = () => kernel.client.nextPublished(({ content }) => String(content["text"]).includes("begun"));

beforeAll(async () => {
  kernel = await KernelProcess.start();
  client = new DebuggerClient(kernel.client);
  await client.start();
  await kernel.client.execute(
    "let kept = [1]; function endless(x: number) { while (true) x += 1; return x; }",
  );
  pid = await value("process.pid");
});
afterEach(async () => {
  expect([await value("process.pid"), await value("kept[0]")]).toEqual([pid, "1"]);
});
afterAll(() => kernel.stop());

const CELL = "let x = 1;\nx = 2;\nx;";

describe("an endless expression in the console of a paused cell", () => {
  it.each([
    ["a loop", "while (true);"],
    ["a function of a cell", "endless(1)"],
    ["a function that catches what is thrown", "for (;;) { try { endless(1) } catch {} }"],
    ["a regular expression", '/^(a+)+$/.test("a".repeat(50) + "b")'],
    ["a loop of built-in functions", "Array.from({ length: 1e9 }, () => [1].map(String)).length"],
    ["a getter", "({ get never() { while (true); } }).never"],
    ["a callback of a sort", "[2, 1].sort(() => { for (;;); })"],
  ])("Stop ends %s, and the cell is still paused", async (_, expression) => {
    await client.setBreakpoints(CELL, 2);
    const { cell, stopped } = await client.run(CELL);
    expect(stopped).toMatchObject({ reason: "breakpoint" });
    const frameId = (await client.frames())[0]!.id;
    const seen = begun();
    const evaluating = client.request("evaluate", {
      expression: `console.log("begun"); ${expression}`,
      frameId,
      context: "repl",
    });
    await seen;
    await stop();
    // What catches an interrupt is ended by the next one.
    if (expression.includes("catch")) await stop();
    expect(await evaluating).toMatchObject({
      success: false,
      message: "KeyboardInterrupt: The expression was stopped; variables keep their values.",
    });
    expect(await client.ask("evaluate", { expression: "x + 1", frameId })).toMatchObject({ result: "2" });
    await client.ask("continue");
    expect((await cell).result).toBe("2");
    await client.setBreakpoints(CELL);
  });

  it("a second Stop ends the cell", async () => {
    await client.setBreakpoints(CELL, 2);
    const { cell } = await client.run(CELL);
    const seen = begun();
    const evaluating = client.request("evaluate", { expression: 'console.log("begun"); while (true);' });
    await seen;
    await stop();
    expect(await evaluating).toMatchObject({ success: false });
    await stop();
    expect((await cell).errors).toMatchObject([{ ename: "KeyboardInterrupt" }]);
    await client.setBreakpoints(CELL);
  });
});

describe("an endless condition of a breakpoint", () => {
  it.each([
    ["a loop", '(console.log("begun"), (() => { while (true); })())'],
    ["a function of a cell", '(console.log("begun"), endless(1)) > 0'],
  ])("Stop ends it with the cell: %s", async (_, condition) => {
    await client.setBreakpoints(CELL, { line: 2, condition });
    const seen = begun();
    const cell = kernel.client.execute(CELL);
    await seen;
    await stop();
    expect((await cell).errors).toMatchObject([{ ename: "KeyboardInterrupt" }]);
    await client.setBreakpoints(CELL);
  });

  it("Stop ends an endless message of a log point", async () => {
    const logMessage = '{console.log("begun"), endless(1)}';
    await client.setBreakpoints(CELL, { line: 2, logMessage });
    const seen = begun();
    const cell = kernel.client.execute(CELL);
    await seen;
    await stop();
    expect((await cell).errors).toMatchObject([{ ename: "KeyboardInterrupt" }]);
    await client.setBreakpoints(CELL);
  });
});
