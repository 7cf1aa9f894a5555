// A session with everything in it, in the real kernel: every message that it sends fits the schemas of Jupyter's test
// suite for kernels, and those of the enhancement proposals that the suite does not know yet.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { venvProgram } from "../../../kernel/cli/project.ts";
import type { Message } from "../../../kernel/protocol/messages.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

const replies: Message[] = [];
const ask = async (type: string, content = {}, channel: "shell" | "control" = "shell") => {
  const reply = await kernel.client.request(type, content, channel);
  replies.push(reply);
  return reply.content;
};
const execute = async (code: string, more = {}) => {
  const message = kernel.client.newMessage("execute_request", { code, allow_stdin: false, ...more });
  const [reply] = await Promise.all([
    kernel.client.nextReply("shell", message.header),
    kernel.client.untilIdle(message.header),
    kernel.client.send("shell", message),
  ]);
  replies.push(reply);
};
/** Runs a cell that asks, and answers each question. */
const answer = async (code: string, value: string) => {
  const question = kernel.client.nextMessage("stdin");
  const cell = execute(code, { allow_stdin: true });
  const asked = await question;
  replies.push(asked);
  const reply = kernel.client.newMessage("input_reply", { value });
  await kernel.client.send("stdin", { ...reply, parent_header: asked.header });
  await cell;
  return asked.content;
};

async function wideSession(): Promise<void> {
  await ask("kernel_info_request");
  await execute("const a: number = 1; a + 1", {
    user_expressions: { sum: "a + 2", bad: "nowhere", worse: "1 +" },
  });
  await execute("a", { silent: true, user_expressions: { quiet: "a" } });
  await execute(
    'console.log("out"); console.error("err"); display({ "text/html": "<b>x</b>", "text/plain": "x" });',
  );
  await execute('const shown = display("first"); shown.update("second"); clearOutput({ wait: true });');
  await execute('const wrong: number = "text";');
  await execute("let = = 3");
  await execute('throw new Error("no", { cause: new TypeError("why") })');
  await execute(
    "void Promise.reject(new Error('late')); await new Promise((resolve) => setTimeout(resolve, 20));",
  );
  await execute("%nosuchmagic");
  await execute("%lsmagic");
  await execute('import { torch } from "mpslab"; torch.ones([2, 3])');
  expect(await answer('prompt("Name?")', "Ada")).toEqual({ prompt: "Name?", password: false });
  expect(await answer('prompt("Key?", { password: true })', "s3cret")).toEqual({
    prompt: "Key?",
    password: true,
  });
  expect(await answer('confirm("Sure?")', "y")).toEqual({ prompt: "Sure? [y/N] ", password: false });
  await execute('prompt("nobody is asked")');
  await execute(1 as unknown as string);

  await ask("complete_request", { code: "Math.", cursor_pos: 5 });
  await ask("inspect_request", { code: "a", cursor_pos: 1, detail_level: 0 });
  await ask("inspect_request", { code: "", cursor_pos: 0, detail_level: 1 });
  for (const code of ["1", "{", ")", "`"]) await ask("is_complete_request", { code });
  for (const output of [true, false]) {
    const form = { output, raw: !output };
    await ask("history_request", { ...form, hist_access_type: "tail", n: 3 });
    await ask("history_request", { ...form, hist_access_type: "range", session: 0, start: 1, stop: 3 });
    await ask("history_request", { ...form, hist_access_type: "search", pattern: "a*", unique: true, n: 2 });
  }
  await ask("history_request", { hist_access_type: "sideways" });
  await ask("comm_info_request");
  await ask("connect_request");
  const comm = kernel.client.newMessage("comm_open", { comm_id: "c", target_name: "nobody's", data: {} });
  await Promise.all([kernel.client.untilIdle(comm.header), kernel.client.send("shell", comm)]);

  const { subshell_id } = await ask("create_subshell_request", {}, "control");
  await ask("list_subshell_request", {}, "control");
  await ask("delete_subshell_request", { subshell_id }, "control");
  await ask("delete_subshell_request", { subshell_id }, "control");
  await ask("debug_request", { type: "request", seq: 1, command: "debugInfo" }, "control");
  await ask("debug_request", { type: "request", seq: 2, command: "inspectVariables" }, "control");
  await ask("usage_request", {}, "control");
  await ask("interrupt_request", {}, "control");
  const looping = execute("while (true) {}");
  await kernel.client.nextPublished(({ header }) => header.msg_type === "execute_input");
  await ask("interrupt_request", {}, "control");
  await looping;
  await execute("process.exit(1)");
  await execute("1");
  await ask("shutdown_request", { restart: false }, "control");
  await kernel.exited();
}

it("every message of a wide session fits its schema", async () => {
  await wideSession();
  const lines = [...kernel.client.published, ...replies].map((message) =>
    JSON.stringify({ ...message, identities: undefined, buffers: [] }),
  );
  const { stdout, stderr } = spawnSync(
    venvProgram("python"),
    [path.join(import.meta.dirname, "message_schemas.py")],
    { input: lines.join("\n"), encoding: "utf8" },
  );
  expect(stderr).toBe("");
  expect(stdout).toBe(`seen: ${SEEN.join(" ")}\n`);
});

const SEEN = [
  "clear_output",
  "comm_close",
  "comm_info_reply",
  "complete_reply",
  "connect_reply",
  "create_subshell_reply",
  "debug_reply",
  "delete_subshell_reply",
  "display_data",
  "error",
  "execute_input",
  "execute_reply",
  "execute_result",
  "history_reply",
  "input_request",
  "inspect_reply",
  "interrupt_reply",
  "iopub_welcome",
  "is_complete_reply",
  "kernel_info_reply",
  "list_subshell_reply",
  "shutdown_reply",
  "status",
  "stream",
  "update_display_data",
  "usage_reply",
];
