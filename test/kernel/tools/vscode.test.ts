// VS Code's order of messages: it speaks to the kernel's sockets itself, asks on shell before it listens on iopub, and
// runs all cells at once.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Dealer } from "zeromq";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConnection, type Connection } from "../../../kernel/protocol/connection.ts";
import type { Message } from "../../../kernel/protocol/messages.ts";
import { Wire } from "../../../kernel/protocol/wire.ts";
import { KernelClient } from "../../helpers/kernel_client.ts";
import { KERNEL_MAIN, writeConnectionFile } from "../../helpers/kernel_process.ts";
import { HANG_MS } from "../../helpers/hang.ts";

const directory = mkdtempSync(path.join(tmpdir(), "mpslab-vscode-"));
let kernel: ChildProcess;
let connection: Connection;
let client: KernelClient;

beforeAll(async () => {
  const file = await writeConnectionFile(directory);
  connection = readConnection(file);
  kernel = spawn(process.execPath, [KERNEL_MAIN, file], { cwd: directory, stdio: "ignore" });
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The options with which VS Code executes a cell of a notebook. */
const NOTEBOOK_CELL = { silent: false, store_history: true, allow_stdin: true, stop_on_error: false };

it("kernel_info is answered before anybody listens on iopub", async () => {
  const wire = new Wire(connection.digest, connection.key);
  const shell = new Dealer({ routingId: randomUUID(), linger: 0, receiveTimeout: HANG_MS });
  shell.connect(connection.shell);
  const header = {
    msg_id: randomUUID(),
    msg_type: "kernel_info_request",
    session: randomUUID(),
    username: "vscode",
    date: new Date().toISOString(),
    version: "5.2",
  };
  const request: Message = {
    identities: [],
    header,
    parent_header: {},
    metadata: {},
    content: {},
    buffers: [],
  };
  await shell.send(wire.encode(request));
  const reply = wire.decode(await shell.receive());
  expect(reply.header.msg_type).toBe("kernel_info_reply");
  expect(reply.parent_header.msg_id).toBe(header.msg_id);
  shell.close();
});

it("who listens later is welcomed, and hears the status of its next request", async () => {
  client = await KernelClient.connect(connection);
  const request = client.newMessage("kernel_info_request", {});
  const heard = client.untilIdle(request.header);
  await client.send("shell", request);
  expect((await heard).map(({ content }) => content["execution_state"])).toEqual(["busy", "idle"]);
});

it("Run All sends every cell at once: each has its own outputs, and a failing one stops none", async () => {
  const cells = ["const a: number = 20;", "a + 1", "missing", "console.log('after'); a * 2"];
  const runs = await Promise.all(cells.map((code) => client.execute(code, NOTEBOOK_CELL)));
  expect(runs.map(({ reply }) => reply["status"])).toEqual(["ok", "ok", "error", "ok"]);
  expect(runs.map(({ reply }) => reply["execution_count"])).toEqual([1, 2, 3, 4]);
  expect(runs.map(({ result }) => result)).toEqual([undefined, "21", undefined, "40"]);
  expect(runs[3]?.stdout).toBe("after\n");
  for (const { messages } of runs) {
    const types = messages.map(({ header, content }) => content["execution_state"] ?? header.msg_type);
    expect(types.slice(0, 2)).toEqual(["busy", "execute_input"]);
    expect(types.at(-1)).toBe("idle");
  }
});

it("hidden cells leave the count and the history alone", async () => {
  const hidden = await client.execute("console.log('seen by VS Code')", {
    silent: false,
    store_history: false,
  });
  expect(hidden.stdout).toBe("seen by VS Code\n");
  expect((await client.execute("a", NOTEBOOK_CELL)).reply["execution_count"]).toBe(5);
});

it("Interrupt comes as a message, Shut Down ends both processes", async () => {
  const looping = client.execute("console.log('looping'); while (true);", NOTEBOOK_CELL);
  await client.nextPublished(({ content }) => content["text"] === "looping\n");
  await client.request("interrupt_request", {}, "control");
  expect((await looping).reply["ename"]).toBe("KeyboardInterrupt");
  const gone = new Promise((resolve) => kernel.once("exit", resolve));
  const { content } = await client.request("shutdown_request", { restart: false }, "control");
  expect(content).toMatchObject({ status: "ok", restart: false });
  expect(await gone).toBe(0);
  client.close();
});
