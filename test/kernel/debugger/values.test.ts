// What the debugger shows of values: scopes, tensors, modules, expressions, rich views, copies.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { DebuggerClient, lines } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let client: DebuggerClient;
let locals: DebugProtocol.Variable[];
let frameId: number;
let cell: Promise<unknown>;

const CELL = `import { nn, torch } from "mpslab";
const model = new nn.Sequential(new nn.Linear(3, 2), new nn.ReLU());
function look(scale: number) {
  const x = torch.ones([2, 3]);
  const table = new Map<string, number[]>([["a", [1, 2]]]);
  const failure = new RangeError("too far", { cause: "distance" });
  const nested = { deep: { deeper: [true, null] }, get lazy() { throw new Error("never read"); } };
  return [x, table, failure, nested, scale];
}
look(0.5);`;

beforeAll(async () => {
  kernel = await KernelProcess.start();
  client = new DebuggerClient(kernel.client);
  await client.start();
  await client.setBreakpoints(CELL, 8);
  ({ cell } = await client.run(CELL));
  locals = await client.scope("Locals");
  frameId = (await client.frames())[0]!.id;
});

afterAll(() => kernel.stop());

const local = (name: string) => locals.find((variable) => variable.name === name)!;
const partsOf = async (name: string) => lines(await client.parts(local(name)));

describe("paused in a function", () => {
  it("shows a tensor by shape, dtype, device and a few values, and opens it", async () => {
    expect(local("x")).toMatchObject({
      value: "Tensor [2, 3] float32 on cpu: [[1., 1., 1.], [1., 1., 1.]]",
    });
    expect(await partsOf("x")).toEqual([
      "shape: [ 2, 3 ]",
      "dtype: 'float32'",
      "device: 'cpu'",
      "nbytes: 24",
      "requiresGrad: false",
      "grad: null",
      "values: tensor([[1., 1., 1.], [1., 1., 1.]])",
    ]);
  });

  it("opens a module as a tree", async () => {
    const globals = await client.scope("Globals");
    const model = globals.find(({ name }) => name === "model")!;
    expect(model.value).toBe("Sequential: 8 parameters in 2 tensors, 32 bytes on cpu");
    const [linear, relu] = await client.parts(model);
    expect([linear, relu].map((part) => part?.value)).toEqual([
      "Linear: 8 parameters in 2 tensors, 32 bytes on cpu",
      "ReLU: 0 parameters in 0 tensors",
    ]);
    const [weight] = await client.parts(linear!);
    expect(weight?.value).toMatch(/^Tensor \[2, 3\] float32 on cpu, requires grad: \[\[/);
    expect(weight?.evaluateName).toBe('model["0"].weight');
  });

  it("opens maps, errors and objects, and calls no getter", async () => {
    expect(await partsOf("table")).toEqual(["'a': [ 1, 2 ]"]);
    expect(await partsOf("failure")).toEqual(["message: 'too far'", "cause: 'distance'"]);
    expect(await partsOf("nested")).toEqual(["deep: { deeper: [ true, null ] }", "lazy: [Getter]"]);
  });

  it("evaluates TypeScript in the frame", async () => {
    const evaluate = (expression: string) =>
      client.request("evaluate", { expression, frameId, context: "repl" });
    expect(await evaluate("(x.shape as number[]).length + scale")).toMatchObject({
      success: true,
      body: { result: "2.5", type: "number" },
    });
    expect(await evaluate("nobody.here")).toMatchObject({
      success: false,
      message: "ReferenceError: nobody is not defined",
    });
    expect(await evaluate("let = =")).toMatchObject({ success: false });
  });

  it("shows a tensor's picture and a module's table", async () => {
    const rich = (variableName: string) =>
      client.ask<{ data: Record<string, string> }>("richInspectVariables", { variableName, frameId });
    expect((await rich("x")).data["text/html"]).toContain("float32");
    expect((await rich("model")).data["text/markdown"]).toContain(
      "| 0.weight | [2, 3] | float32 | cpu | 24 | yes |",
    );
    expect((await rich("scale")).data).toEqual({ "text/plain": "0.5" });
  });

  it("sets a variable", async () => {
    const { scopes } = await client.ask<{ scopes: DebugProtocol.Scope[] }>("scopes", { frameId });
    const { variablesReference } = scopes[0]!;
    expect(
      await client.ask("setVariable", { variablesReference, name: "scale", value: "0.25 as number" }),
    ).toMatchObject({
      value: "0.25",
    });
    expect(lines(await client.scope("Locals"))).toContain("scale: 0.25");
  });

  it("answers an editor from the frame", async () => {
    const complete = await kernel.client.request("complete_request", { code: "tab", cursor_pos: 3 });
    expect(complete.content["matches"]).toContain("table");
    const inspect = await kernel.client.request("inspect_request", { code: "table", cursor_pos: 2 });
    expect(inspect.content["data"]).toMatchObject({
      "text/plain": expect.stringContaining("Map: { 'a' => [ 1, 2 ] }"),
    });
  });

  it("copies a variable to the notebook", async () => {
    await client.ask("copyToGlobals", {
      srcVariableName: "nested",
      dstVariableName: "taken",
      srcFrameId: frameId,
    });
    expect(lines(await client.scope("Globals"))).toContain(
      "taken: { deep: { deeper: [Array] }, lazy: [Getter] }",
    );
    expect(
      (
        await client.request("copyToGlobals", {
          srcVariableName: "x",
          dstVariableName: "a-b",
          srcFrameId: frameId,
        })
      )["message"],
    ).toBe('"a-b" is no name for a variable.');
  });
});

describe("between cells", () => {
  beforeAll(async () => {
    await client.setBreakpoints(CELL);
    await client.ask("continue");
    await cell;
  });

  it("keeps what was copied, for later cells", async () => {
    expect((await kernel.client.execute("taken.deep.deeper[0]")).result).toBe("true");
    expect((await kernel.client.execute("let taken = 5;\ntaken")).result).toBe("5");
  });

  it("lists the notebook's variables, and opens them", async () => {
    const { variables } = await client.ask<{ variables: DebugProtocol.Variable[] }>("inspectVariables");
    expect(lines(variables)).toEqual([
      "look: [Function: look]",
      "model: Sequential: 8 parameters in 2 tensors, 32 bytes on cpu",
      "taken: 5",
    ]);
    expect(lines(await client.parts(variables[1]!))).toContain("training: true");
  });

  it("evaluates an expression", async () => {
    expect(await client.ask("evaluate", { expression: "'a' + 'b'", context: "repl" })).toMatchObject({
      result: "'ab'",
    });
  });
});
