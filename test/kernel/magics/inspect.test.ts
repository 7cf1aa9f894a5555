// `%inspect` opens the session to another debugger, as Chrome's and VS Code's attach to Node, at an address with a token.
import { afterAll, beforeAll, expect, it } from "vitest";
import { InspectorClient } from "../../helpers/inspector_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;

beforeAll(async () => {
  kernel = await KernelProcess.start();
});

afterAll(() => kernel.stop());

async function inspected(): Promise<URL> {
  const { stdout, stderr, errors } = await kernel.client.execute("%inspect");
  expect([stderr, errors]).toEqual(["", []]);
  const address = /^The session can be debugged at (ws:\/\/127\.0\.0\.1:\d+\/[-\da-f]{36})\n/.exec(
    stdout,
  )?.[1];
  expect(stdout).toBe(
    `The session can be debugged at ${address}\n` +
      `Attach VS Code with "websocketAddress": "${address}", or open devtools://devtools/bundled/js_app.html?ws=${address?.slice(5)} in Chrome.\n` +
      "Whoever knows the address runs code as you; %inspect off closes it.\n",
  );
  return new URL(address!);
}

it("prints where a debugger attaches, opens it once, and tells its token to nobody who asks the port", async () => {
  const { host, href } = await inspected();
  expect((await inspected()).href).toBe(href);
  for (const path of ["json", "json/list", "json/version"]) {
    const answer = await fetch(`http://${host}/${path}`);
    expect([answer.status, await answer.text()]).toEqual([404, ""]);
  }
  await expect(InspectorClient.attach(`ws://${host}/00000000-0000-4000-8000-000000000000`)).rejects.toThrow();
});

it("a debugger reads the notebook's variables and pauses a cell; off closes it", async () => {
  const { href } = await inspected();
  await kernel.client.execute("let answer = 42;");
  const attached = await InspectorClient.attach(href);
  const read = await attached.send("Runtime.evaluate", { expression: "answer + 1", replMode: true });
  expect(read.result?.result?.value).toBe(43);
  await attached.send("Debugger.enable");
  const cell = kernel.client.execute("debugger;\nanswer");
  const { params } = await attached.event("Debugger.paused");
  const [frame] = params!["callFrames"] as { callFrameId: string }[];
  const there = await attached.send("Debugger.evaluateOnCallFrame", { ...frame, expression: "answer" });
  expect(there.result?.result?.value).toBe(42);
  await attached.send("Debugger.resume");
  expect((await cell).result).toBe("42");

  expect((await kernel.client.execute("%inspect off")).stdout).toBe("The session is closed to debuggers.\n");
  await attached.closed;
  await expect(InspectorClient.attach(href)).rejects.toThrow();
  expect((await kernel.client.execute("%inspect off")).stdout).toBe("No debugger can attach: it is off.\n");
  expect((await kernel.client.execute("answer")).result).toBe("42");
  expect((await inspected()).href).not.toBe(href);
});
