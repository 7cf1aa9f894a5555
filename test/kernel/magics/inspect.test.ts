// `%inspect` opens the session to another debugger, as Chrome's and VS Code's attach to Node.
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;

beforeAll(async () => {
  kernel = await KernelProcess.start();
});

afterAll(() => kernel.stop());

async function inspected() {
  const { stdout, stderr, errors } = await kernel.client.execute("%inspect");
  expect([stderr, errors]).toEqual(["", []]);
  const address = /^The session can be debugged at (127\.0\.0\.1:\d+): /.exec(stdout)?.[1];
  expect(stdout).toBe(
    `The session can be debugged at ${address}: add it to chrome://inspect, or attach "Node.js: Attach" of VS Code to port ${address?.split(":")[1]}.\n`,
  );
  return address;
}

it("prints where a debugger of Node's attaches, and opens it once", async () => {
  const address = await inspected();
  expect(await inspected()).toBe(address);
  const targets = (await (await fetch(`http://${address}/json/list`)).json()) as { type: string }[];
  expect(targets).toMatchObject([{ type: "node" }]);
});

it("Node's own debugger reads the notebook's variables and pauses a cell", async () => {
  const address = await inspected();
  await kernel.client.execute("let answer = 42;");
  const attached = spawn(process.execPath, ["inspect", address!], { stdio: ["pipe", "pipe", "inherit"] });
  let printed = "";
  attached.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const write = (command: string) => attached.stdin.write(`${command}\n`);
  await expect.poll(() => printed).toContain("debug>");
  write('exec("answer + 1")');
  await expect.poll(() => printed).toContain("43");

  const cell = kernel.client.execute("debugger;\nanswer");
  await expect.poll(() => printed).toMatch(/break in mpslab-cell:/);
  write("cont");
  expect((await cell).result).toBe("42");
  attached.kill();
  expect((await kernel.client.execute("answer")).result).toBe("42");
});
