// ipykernel's own tests of its debugger (tests/test_debugger.py), carried over: the same requests in the same order, with
// cells in TypeScript. Like them, each begins with a kernel of its own.
import { afterEach, beforeEach, expect, it } from "vitest";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let client: DebuggerClient;

const INITIALIZE = {
  clientID: "test-client",
  clientName: "testClient",
  adapterID: "",
  pathFormat: "path",
  linesStartAt1: true,
  columnsStartAt1: true,
  supportsVariableType: true,
  supportsVariablePaging: true,
  supportsRunInTerminalRequest: true,
  locale: "en",
};

const CODE = `function f(a: number, b: number) {
  const c = a + b;
  return c;
}
f(2, 3)`;

beforeEach(async () => {
  kernel = await KernelProcess.start();
  client = new DebuggerClient(kernel.client);
});

afterEach(async () => {
  await client.request("disconnect", { restart: false, terminateDebuggee: true });
  await kernel.stop();
});

const attached = async (): Promise<void> => {
  await client.request("initialize", INITIALIZE);
  await client.request("attach");
};

const dumped = async (code: string): Promise<string> =>
  (await client.ask<{ sourcePath: string }>("dumpCell", { code })).sourcePath;

const breakAt = async (code: string, line: number): Promise<string> => {
  const path = await dumped(code);
  await client.request("debugInfo");
  await client.request("setBreakpoints", {
    breakpoints: [{ line }],
    source: { path },
    sourceModified: false,
  });
  await client.request("configurationDone");
  return path;
};

it("test_debug_initialize", async () => {
  expect((await client.request("initialize", INITIALIZE))["success"]).toBe(true);
});

it("test_supported_features", async () => {
  await attached();
  const { content } = await kernel.client.request("kernel_info_request");
  expect(content["supported_features"]).toContain("debugger");
});

it("test_attach_debug", async () => {
  await attached();
  expect(await client.request("evaluate", { expression: "'a' + 'b'", context: "repl" })).toMatchObject({
    success: true,
    body: { result: "'ab'" },
  });
});

it("test_set_breakpoints", async () => {
  await attached();
  const path = await dumped(CODE);
  const reply = await client.request("setBreakpoints", {
    breakpoints: [{ line: 2 }],
    source: { path },
    sourceModified: false,
  });
  expect(reply).toMatchObject({
    success: true,
    body: { breakpoints: [{ verified: true, source: { path } }] },
  });
  const { breakpoints } = await client.ask<{ breakpoints: { source: string }[] }>("debugInfo");
  expect(breakpoints.map(({ source }) => source)).toContain(path);
  expect((await client.request("configurationDone"))["success"]).toBe(true);
});

it("test_stop_on_breakpoint", async () => {
  await attached();
  await breakAt(CODE, 2);
  expect((await client.run(CODE)).stopped).toMatchObject({ reason: "breakpoint" });
});

it("test_breakpoint_in_cell_with_leading_empty_lines", async () => {
  await attached();
  const code = `\n${CODE}`;
  await breakAt(code, 6);
  expect((await client.run(code)).stopped).toMatchObject({ reason: "breakpoint" });
});

it("test_rich_inspect_not_at_breakpoint", async () => {
  await attached();
  await kernel.client.execute("const text = 'Hello the world';\nconsole.log(text);");
  const { variables } = await client.ask<{ variables: { name: string }[] }>("inspectVariables");
  expect(variables.map(({ name }) => name)).toContain("text");
  expect(await client.ask("richInspectVariables", { variableName: "text" })).toMatchObject({
    data: { "text/plain": "'Hello the world'" },
  });
});

it("test_rich_inspect_at_breakpoint", async () => {
  await attached();
  await breakAt(CODE, 2);
  await client.run(CODE);
  const [frame] = await client.frames();
  const [first] = await client.scope("Locals");
  const rich = { variableName: first?.name, frameId: frame?.id };
  expect(await client.ask("richInspectVariables", rich)).toMatchObject({
    data: { "text/plain": first?.value },
  });
});

it("test_copy_to_globals", async () => {
  await attached();
  const code = `function myTest() {
  const local = { html: "<p>test content</p>" };
  void local;
}
const a = 2;
myTest();`;
  await breakAt(code, 3);
  await client.run(code);
  const [frame] = await client.frames();
  const copy = { srcVariableName: "local", dstVariableName: "local_copy", srcFrameId: frame?.id };
  await client.request("copyToGlobals", copy);
  const local = (await client.scope("Locals")).find(({ evaluateName }) => evaluateName === "local");
  const copied = (await client.scope("Globals")).find(({ evaluateName }) => evaluateName === "local_copy");
  expect([copied?.value, copied?.type]).toEqual([local?.value, local?.type]);
});

it("test_debug_requests_sequential", async () => {
  await attached();
  await breakAt(CODE, 2);
  await client.run(CODE);
  const [frame] = await client.frames();
  const { scopes } = await client.ask<{ scopes: { name: string; variablesReference: number }[] }>("scopes", {
    frameId: frame?.id,
  });
  const referenceOf = (name: string) => scopes.find((scope) => scope.name === name)?.variablesReference;
  const states = () =>
    kernel.client.published
      .filter(
        ({ header, parent_header }) =>
          header.msg_type === "status" && parent_header.msg_type === "debug_request",
      )
      .map(({ content }) => content["execution_state"]);
  const before = states().length;
  // In quick succession.
  const [locals] = await Promise.all(
    ["Locals", "Globals"].map((name) =>
      client.request("variables", { variablesReference: referenceOf(name) }),
    ),
  );
  expect(locals).toMatchObject({
    success: true,
    body: {
      variables: [
        { name: "a", type: "number", value: "2" },
        { name: "b", type: "number", value: "3" },
        { name: "c" },
      ],
    },
  });
  expect(states().slice(before)).toEqual(["busy", "idle", "busy", "idle"]);
});
