// The debugger of a whole kernel, message for message as JupyterLab asks: breakpoints in cells, steps, the stack.
import { afterAll, beforeAll, expect, it } from "vitest";
import { DebuggerClient, lines } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let client: DebuggerClient;

beforeAll(async () => {
  kernel = await KernelProcess.start();
  client = new DebuggerClient(kernel.client);
  await client.ask("debugInfo");
  await client.start();
});

afterAll(() => kernel.stop());

const CELL = `function f(a: number, b: number) {
  const c = a + b;
  return c;
}

const g = (x: number) => f(x, 1);
g(2) + f(3, 4)`;

it("stops at a breakpoint that was set before the cell ran, and goes on to its result", async () => {
  const [breakpoint] = await client.setBreakpoints(CELL, 2);
  expect(breakpoint).toMatchObject({ line: 2, verified: true });
  const { stopped, cell } = await client.run(CELL);
  expect(stopped).toEqual({ reason: "breakpoint", threadId: 1, allThreadsStopped: true });
  expect(await client.stack()).toEqual(["f 2", "g 6", "Cell [1] 7"]);
  expect(lines(await client.scope("Locals"))).toEqual(["a: 2", "b: 1", "c: not initialised"]);
  expect(await client.go("next")).toBe("step");
  expect(await client.stack()).toEqual(["f 3", "g 6", "Cell [1] 7"]);
  expect(lines(await client.scope("Locals"))).toEqual(["a: 2", "b: 1", "c: 3"]);
  expect(await client.go("continue")).toBe("breakpoint");
  expect(await client.stack()).toEqual(["f 2", "Cell [1] 7"]);
  await client.setBreakpoints(CELL);
  await client.ask("continue", { threadId: 1 });
  expect((await cell).result).toBe("10");
});

it("names a frame's source as the client does: by the hash of the cell's text", async () => {
  await client.setBreakpoints(CELL, 7);
  const { cell } = await client.run(CELL);
  const [frame] = await client.frames();
  const { sourcePath } = await client.ask("dumpCell", { code: CELL });
  expect(frame?.source?.path).toBe(sourcePath);
  expect(await client.ask("source", { source: { path: sourcePath } })).toEqual({
    content: CELL,
    mimeType: "text/x-typescript",
  });
  await client.ask("continue");
  await cell;
});

it("holds a breakpoint in a function of a cell that ran before, in a cell that runs again, and in its twin", async () => {
  await client.setBreakpoints(CELL, 3);
  for (const code of ["f(1, 1)", CELL]) {
    const { stopped, cell } = await client.run(code);
    expect(stopped).toMatchObject({ reason: "breakpoint" });
    expect((await client.stack())[0]).toBe("f 3");
    await client.setBreakpoints(CELL);
    await client.ask("continue");
    await cell;
    await client.setBreakpoints(CELL, 3);
  }
  await client.setBreakpoints(CELL);
});

it("steps in, over and out without showing what the compiler or the kernel add", async () => {
  const code = `let total = 0;
const add = (x: number) => {
  total += x;
};
for (const epoch of [1, 2]) {
  add(epoch);
}
total`;
  await client.setBreakpoints(code, 6);
  const { cell } = await client.run(code);
  const steps: string[] = [];
  for (const command of ["stepIn", "stepOut", "next", "next"] as const) {
    expect(await client.go(command)).toMatch(/step|breakpoint/);
    steps.push((await client.stack()).join(" < "));
  }
  expect(steps[0]).toMatch(/^add 3 < Cell \[\d+\] 6$/);
  expect(steps.slice(1).every((step) => /^Cell \[\d+\] [5-8]$/.test(step))).toBe(true);
  await client.setBreakpoints(code);
  await client.ask("continue");
  expect((await cell).result).toBe("3");
});

it("steps over an await, and shows who awaits", async () => {
  const code = `async function load(x: number) {
  await Promise.resolve();
  const loaded = x * 2;
  return loaded;
}
const got = await load(4);
got`;
  await client.setBreakpoints(code, 2);
  const { cell } = await client.run(code);
  expect(await client.go("next")).toBe("step");
  expect((await client.stack())[0]).toBe("load 3");
  expect((await client.stack()).slice(1).join()).toMatch(/^async Cell \[\d+\] 6$/);
  await client.ask("continue");
  expect((await cell).result).toBe("8");
  await client.setBreakpoints(code);
});

it("leaves the next cell alone after a step out of the last line", async () => {
  const code = "let z = 1;\nz";
  await client.setBreakpoints(code, 2);
  const { cell } = await client.run(code);
  await client.ask("next");
  await cell;
  const { stopped } = await client.run("const w = 3;\nw + 1");
  expect(stopped).toBeNull();
  await client.setBreakpoints(code);
});

it("pauses a loop, and at a debugger statement", async () => {
  const looping = kernel.client.execute("let spins = 0;\nwhile (true) {\n  spins++;\n}");
  await expect
    .poll(async () => (await client.ask<{ result: string }>("evaluate", { expression: "spins" })).result)
    .not.toBe("0");
  const stopped = client.next("stopped");
  await client.ask("pause", { threadId: 1 });
  expect((await stopped).body["reason"]).toBe("pause");
  expect((await client.stack())[0]).toMatch(/^Cell \[\d+\] [23]$/);
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await looping).errors).toMatchObject([{ ename: "KeyboardInterrupt" }]);

  const { stopped: atStatement, cell } = await client.run("let k = 1;\ndebugger;\nk = 2;");
  expect(atStatement).toMatchObject({ reason: "breakpoint" });
  expect((await client.stack())[0]).toMatch(/ 2$/);
  await client.ask("continue");
  await cell;
});

it.each([
  ["a timer", "await new Promise((again) => setTimeout(again, 100));"],
  ["a callback of a timer", "await new Promise<void>((again) => setTimeout(() => {\n  again(); }, 20));"],
  ["a file", 'await (await import("node:fs/promises")).readFile("package.json");'],
  ["a DataLoader", 'for await (const _ of new (await import("mpslab")).data.DataLoader([1, 2, 3])) await 0;'],
])("pauses code that awaits %s", async (_, awaits) => {
  const looping = kernel.client.execute(`while (true) {\n  ${awaits}\n  1; }`);
  await kernel.client.nextPublished(({ header }) => header.msg_type === "execute_input");
  const stopped = client.next("stopped");
  await client.ask("pause", { threadId: 1 });
  expect((await stopped).body["reason"]).toBe("pause");
  expect((await client.stack())[0]).toMatch(/^(Cell \[\d+\]|\(anonymous\)) [234]$/);
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await looping).errors).toMatchObject([{ ename: "KeyboardInterrupt" }]);
});

it("does not stop the next cell for a pause that the last one ended before", async () => {
  const sleeping = kernel.client.execute("await new Promise((awake) => setTimeout(awake, 300));");
  await kernel.client.nextPublished(({ header }) => header.msg_type === "execute_input");
  await client.ask("pause", { threadId: 1 });
  await client.ask("continue", { threadId: 1 });
  await sleeping;
  expect((await client.run("const late = 1;\nlate")).stopped).toBeNull();
});

it("stops a paused loop while the client still asks for variables", async () => {
  for (const name of ["a", "b", "c", "d", "e"].map((letter) => `turns_${letter}`)) {
    const looping = kernel.client.execute(`let ${name} = 0;\nwhile (true) {\n  ${name}++;\n}`);
    const turns = () => client.request("evaluate", { expression: name });
    await expect.poll(async () => (await turns())["success"]).toBe(true);
    const stopped = client.next("stopped");
    await client.ask("pause", { threadId: 1 });
    await stopped;
    const interrupted = kernel.client.request("interrupt_request", {}, "control");
    await Promise.all([interrupted, turns(), turns(), turns(), turns()]);
    expect((await looping).errors).toMatchObject([{ ename: "KeyboardInterrupt" }]);
  }
});

it("refuses what is out of date, or not there", async () => {
  const refused = async (command: string, given: object) => (await client.request(command, given))["message"];
  expect(await refused("scopes", { frameId: 999 })).toBe(
    "There is no frame 999: the code has gone on since.",
  );
  expect(await refused("variables", { variablesReference: 1 })).toBe(
    "The variables are out of date: the code has gone on since.",
  );
  expect(await refused("next", {})).toBe("The code is not paused.");
  expect(await refused("source", { source: { path: "/no/such.ts" } })).toBe(
    "There is no source /no/such.ts.",
  );
  expect(await refused("setBreakpoints", {})).toBe("setBreakpoints needs the argument source, with a path.");
  expect(await refused("restartFrame", {})).toBe('This debugger has no command "restartFrame".');
});
