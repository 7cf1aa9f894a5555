// While paused the kernel stays a kernel: Stop, crashes, restarts, deadlines.
import { afterAll, beforeAll, expect, it } from "vitest";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let client: DebuggerClient;

beforeAll(async () => {
  kernel = await KernelProcess.start();
  client = new DebuggerClient(kernel.client);
  await client.start();
});

afterAll(() => kernel.stop());

/** Runs a cell to its breakpoint, stops it there, and returns its error with the innermost line that it names. */
async function stopAt(code: string, line: number): Promise<unknown[]> {
  await client.setBreakpoints(code, line);
  const { stopped, cell } = await client.run(code);
  expect(stopped).toMatchObject({ reason: "breakpoint" });
  await kernel.client.request("interrupt_request", {}, "control");
  const { errors } = await cell;
  await client.setBreakpoints(code);
  const [error] = errors;
  const place = /Cell \[\d+\]:(\d+)/.exec(((error?.["traceback"] as string[]) ?? []).join("\n"));
  return [error?.["evalue"], `line ${place?.[1]}`];
}

const value = async (expression: string) => {
  const { result, errors } = await kernel.client.execute(expression);
  return result ?? errors;
};
const INTERRUPTED = "The cell was interrupted; variables keep their values.";

it("Stop ends a cell at its line, and its variables stay", async () => {
  expect(await stopAt("let kept = 1;\nkept = 2;\nkept = 3;", 2)).toEqual([INTERRUPTED, "line 2"]);
  expect(await value("kept")).toBe("1");
  expect(await stopAt("let late = 1;\nawait Promise.resolve();\nlate = 2;\nlate = 3;", 3)).toEqual([
    INTERRUPTED,
    "line 3",
  ]);
  expect(await value("late")).toBe("1");
});

it("Stop in a function runs the finally blocks of its callers", async () => {
  const code = `let seen: string[] = [];
function work() {
  seen.push("work");
  seen.push("more");
}
await Promise.resolve();
try {
  work();
} finally {
  seen.push("outer");
}`;
  expect(await stopAt(code, 4)).toEqual([INTERRUPTED, "line 4"]);
  expect(await value("seen")).toBe("[ 'work', 'outer' ]");
});

it("Stop in a try block runs its finally block", async () => {
  const code = `let order: string[] = [];
try {
  order.push("body");
} finally {
  order.push("finally");
}`;
  expect(await stopAt(code, 3)).toEqual([INTERRUPTED, "line 3"]);
  expect(await value("order.at(-1)")).toBe("'finally'");
});

it("a deadline does not run while the code is paused", async () => {
  const code = `import { lab } from "mpslab";
let calls = 0;
const spent = lab.benchmark(() => {
  calls += 1;
}, { repeats: 2, calls: 1, deadlineMs: 2000 });
calls`;
  await client.setBreakpoints(code, { line: 4, hitCondition: "1" });
  const { stopped, cell } = await client.run(code);
  expect(stopped).toMatchObject({ reason: "breakpoint" });
  await new Promise((resolve) => setTimeout(resolve, 2500));
  await client.ask("continue");
  expect((await cell).errors).toEqual([]);
  await client.setBreakpoints(code);
});

it("a crash while paused is told as ever, and the next session has the breakpoints", async () => {
  const code = "let gone = 1;\ngone = 2;";
  await client.setBreakpoints(code, 2);
  const { cell } = await client.run(code);
  const { result } = await client.ask<{ result: string }>("evaluate", { expression: "process.pid" });
  process.kill(Number(result), "SIGKILL");
  expect((await cell).errors).toMatchObject([{ evalue: expect.stringContaining("killed by SIGKILL") }]);
  expect(client.events.at(-1)).toBe("continued");
  expect(await client.ask("debugInfo")).toMatchObject({ isStarted: true, stoppedThreads: [] });
  const again = await client.run(code);
  expect(again.stopped).toMatchObject({ reason: "breakpoint" });
  await client.setBreakpoints(code);
  await client.ask("continue");
  await again.cell;
});

it("a cell that ends the process prints nothing of a debugger", async () => {
  const { stdout, stderr, errors } = await kernel.client.execute("process.exit(0)");
  expect([stdout, stderr]).toEqual(["", ""]);
  expect(errors).toMatchObject([{ evalue: expect.stringContaining("something called process.exit()") }]);
});

it("disconnect lets a paused cell go, and forgets the breakpoints", async () => {
  const code = "let free = 1;\nfree + 1";
  await client.setBreakpoints(code, 2);
  const { cell } = await client.run(code);
  await client.ask("disconnect", { restart: false, terminateDebuggee: false });
  expect((await cell).result).toBe("2");
  expect(await client.ask("debugInfo")).toMatchObject({
    isStarted: false,
    breakpoints: [],
    stoppedThreads: [],
  });
  expect((await client.run(code)).stopped).toBeNull();
});
