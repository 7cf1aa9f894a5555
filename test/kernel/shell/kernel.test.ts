// Tests what a client sees of the kernel, with mocks for compiler, language server and session: messages, their order,
// and what a cell does to the next.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../../../kernel/protocol/messages.ts";
import { KernelClient } from "../../helpers/kernel_client.ts";
import { deferred, startMockKernel, type MockKernel, type RunningCell } from "../../helpers/mock_rooms.ts";

let kernel: MockKernel;
beforeEach(async () => {
  kernel = await startMockKernel();
});
afterEach(() => kernel.stop());

const types = (messages: readonly Message[]): string[] =>
  messages.map(({ header, content }) =>
    header.msg_type === "status" ? String(content["execution_state"]) : header.msg_type,
  );
const failure = { ename: "Error", evalue: "no", traceback: ["Error: no", "  at Cell [1]:1:1"] };

describe("execute", () => {
  it("says busy, echoes the input, sends the output in its order, then idle", async () => {
    kernel.session.scripts.set("train()", ({ print, report }) => {
      print("before\n");
      report("display", { data: { "text/plain": "chart" }, metadata: {}, update: false });
      print("after\n");
      report("result", { data: { "text/plain": "7" }, metadata: {} });
    });
    const { messages, reply } = await kernel.client.execute("train()");
    expect(types(messages)).toEqual([
      "busy",
      "execute_input",
      "stream",
      "display_data",
      "stream",
      "execute_result",
      "idle",
    ]);
    expect(messages[1]?.content).toEqual({ code: "train()", execution_count: 1 });
    expect(messages[2]?.content).toEqual({ name: "stdout", text: "before\n" });
    expect(messages[5]?.content).toEqual({ execution_count: 1, data: { "text/plain": "7" }, metadata: {} });
    expect(reply).toEqual({ status: "ok", execution_count: 1, payload: [], user_expressions: {} });
  });

  it("joins 10,000 printed lines into few messages and loses none", async () => {
    const lines = Array.from({ length: 10_000 }, (_, line) => `line ${line}\n`);
    kernel.session.scripts.set("loop()", ({ print }) => lines.forEach((line) => print(line)));
    const { messages, stdout } = await kernel.client.execute("loop()");
    expect(stdout).toBe(lines.join(""));
    expect(types(messages)).toEqual(["busy", "execute_input", "stream", "idle"]);
  });

  it("keeps stdout and stderr in the order in which they were printed", async () => {
    kernel.session.scripts.set("both()", ({ print }) => {
      print("1\n");
      print("2\n", "stderr");
      print("3\n");
    });
    const { messages } = await kernel.client.execute("both()");
    expect(messages.slice(2, 5).map(({ content }) => content)).toEqual([
      { name: "stdout", text: "1\n" },
      { name: "stderr", text: "2\n" },
      { name: "stdout", text: "3\n" },
    ]);
  });

  it("updates a display by its id, and clears", async () => {
    kernel.session.scripts.set("live()", ({ report }) => {
      report("display", { data: { "text/plain": "0%" }, metadata: {}, displayId: "bar", update: false });
      report("display", { data: { "text/plain": "9%" }, metadata: {}, displayId: "bar", update: true });
      report("clear", { wait: true });
    });
    const { messages } = await kernel.client.execute("live()");
    expect(types(messages).slice(2, -1)).toEqual(["display_data", "update_display_data", "clear_output"]);
    expect(messages[3]?.content).toEqual({
      data: { "text/plain": "9%" },
      metadata: {},
      transient: { display_id: "bar" },
    });
    expect(messages[4]?.content).toEqual({ wait: true });
  });

  it("answers an error with the same content on iopub and in the reply, once each", async () => {
    kernel.session.scripts.set("throw", () => ({ error: failure }));
    const { errors, reply } = await kernel.client.execute("throw");
    expect(errors).toEqual([failure]);
    expect(reply).toEqual({ status: "error", execution_count: 1, ...failure });
  });

  it("sends text of a timer after the cell's end under that cell", async () => {
    let late: (() => void) | undefined;
    kernel.session.scripts.set("later()", ({ print }) => void (late = () => print("late\n")));
    const { messages } = await kernel.client.execute("later()");
    const printed = kernel.client.nextPublished(({ header }) => header.msg_type === "stream");
    late?.();
    expect((await printed).parent_header).toEqual(messages[0]?.parent_header);
  });

  it("with silent broadcasts only the status, and neither counts nor remembers the cell", async () => {
    kernel.session.scripts.set("quiet()", ({ print, report }) => {
      print("not seen");
      report("result", { data: { "text/plain": "7" }, metadata: {} });
    });
    const { messages, reply } = await kernel.client.execute("quiet()", { silent: true });
    expect(types(messages)).toEqual(["busy", "idle"]);
    expect(reply["execution_count"]).toBe(0);
    expect((await kernel.client.execute("1")).reply["execution_count"]).toBe(1);
    const history = await kernel.client.request("history_request", { hist_access_type: "tail", n: 9 });
    expect(history.content["history"]).toEqual([[1, 1, "1"]]);
  });

  it("without store_history shows output but leaves the count", async () => {
    kernel.session.scripts.set("peek()", ({ print }) => print("seen"));
    await kernel.client.execute("1");
    const { stdout, reply } = await kernel.client.execute("peek()", { store_history: false });
    expect(stdout).toBe("seen");
    expect(reply["execution_count"]).toBe(1);
  });

  it("without store_history leaves the output of the cell whose count it shares in the history", async () => {
    const shows =
      (text: string) =>
      ({ report }: RunningCell) =>
        report("result", { data: { "text/plain": text }, metadata: {} });
    kernel.session.scripts.set("1 + 1", shows("2"));
    kernel.session.scripts.set("peek()", shows("seen"));
    await kernel.client.execute("1 + 1");
    await kernel.client.execute("peek()", { store_history: false });
    const range = { hist_access_type: "range", session: 0, start: 1, stop: 2, output: true };
    const history = await kernel.client.request("history_request", range);
    expect(history.content["history"]).toEqual([[1, 1, ["1 + 1", "2"]]]);
  });

  it("and every run has a script of its own, whatever its count", async () => {
    await kernel.client.execute("1", { user_expressions: { a: "2", b: "3" } });
    await kernel.client.execute("4", { store_history: false });
    await kernel.client.execute("5", { silent: true });
    const { runs } = kernel.session;
    expect(runs.map(({ count, storeHistory }) => [count, storeHistory])).toEqual([
      [1, true],
      [1, false],
      [1, false],
    ]);
    const urls = runs.flatMap(({ url, userExpressions }) => [
      url,
      ...Object.values(userExpressions).map((expression) => expression.url),
    ]);
    expect(new Set(urls).size).toBe(5);
  });

  it("evaluates user expressions each for itself", async () => {
    kernel.session.scripts.set("let x = 1", ({ request }) => ({
      userExpressions: Object.fromEntries(
        Object.entries(request.userExpressions).map(([key, { text }]) => [
          key,
          { status: "ok" as const, data: { "text/plain": `value of ${text}` }, metadata: {} },
        ]),
      ),
    }));
    const { reply } = await kernel.client.execute("let x = 1", { user_expressions: { a: "x", b: "= =" } });
    expect(reply["user_expressions"]).toEqual({
      a: { status: "ok", data: { "text/plain": "value of x" }, metadata: {} },
      b: {
        status: "error",
        ename: "SyntaxError",
        evalue: "Unexpected token",
        traceback: [expect.any(String)],
      },
    });
  });
});

describe("the queue after an error", () => {
  const sendCells = async (codes: string[], stop_on_error: boolean) => {
    const allArrived = deferred<void>();
    kernel.session.scripts.set("throw", () => allArrived.promise.then(() => ({ error: failure })));
    const requests = codes.map((code) =>
      kernel.client.newMessage("execute_request", { code, stop_on_error, silent: false }),
    );
    const replies = requests.map(({ header }) => kernel.client.nextReply("shell", header));
    const idles = requests.map(({ header }) => kernel.client.untilIdle(header));
    for (const request of requests) await kernel.client.send("shell", request);
    // Answered at once although cells wait: what was sent before it has arrived too.
    void kernel.client.request("kernel_info_request").then(() => allArrived.resolve());
    await Promise.all(idles);
    return (await Promise.all(replies)).map(({ content }) => content["ename"] ?? content["status"]);
  };

  it("is aborted with stop_on_error; every aborted cell gets reply and idle", async () => {
    expect(await sendCells(["1", "throw", "2", "3"], true)).toEqual(["ok", "Error", "Aborted", "Aborted"]);
    expect(kernel.session.runs.map(({ text }) => text)).toEqual(["1", "throw"]);
  });

  it("runs on without stop_on_error", async () => {
    expect(await sendCells(["throw", "2"], false)).toEqual(["Error", "ok"]);
  });

  it("takes the first cell that comes after the error's reply", async () => {
    kernel.session.scripts.set("throw", () => ({ error: failure }));
    for (let round = 0; round < 50; round++) {
      expect((await kernel.client.execute("throw")).reply["status"]).toBe("error");
      expect((await kernel.client.execute("1")).reply["status"]).toBe("ok");
    }
  });
});

describe("while a cell runs", () => {
  let release: () => void;
  let running: Promise<unknown>;
  beforeEach(async () => {
    kernel.session.scripts.set("long()", () => new Promise<void>((resolve) => (release = resolve)));
    const started = kernel.client.nextPublished(({ header }) => header.msg_type === "execute_input");
    running = kernel.client.execute("long()");
    await started;
  });
  afterEach(async () => {
    release();
    await running;
  });

  it.each([
    ["kernel_info_request", {}],
    ["complete_request", { code: "a", cursor_pos: 1 }],
    ["inspect_request", { code: "a", cursor_pos: 1 }],
    ["is_complete_request", { code: "a" }],
    ["history_request", { hist_access_type: "tail", n: 1 }],
    ["comm_info_request", {}],
    ["usage_request", {}],
  ])("%s is answered", async (type, content) => {
    const reply = await kernel.client.request(type, content);
    expect(reply.header.msg_type).toBe(type.replace("request", "reply"));
    expect(["ok", "complete", undefined]).toContain(reply.content["status"]);
  });

  it("the kernel shows as busy again after it answered something else", async () => {
    const request = kernel.client.newMessage("complete_request", { code: "a", cursor_pos: 1 });
    const idle = kernel.client.untilIdle(request.header);
    await kernel.client.send("shell", request);
    await idle;
    const busy = await kernel.client.nextPublished(({ header }) => header.msg_type === "status");
    expect(busy.content["execution_state"]).toBe("busy");
    expect(busy.parent_header).toMatchObject({ msg_type: "execute_request" });
  });

  it("an interrupt on the control channel reaches the session and is answered", async () => {
    const reply = await kernel.client.request("interrupt_request", {}, "control");
    expect(reply.content).toEqual({ status: "ok" });
    expect(kernel.session.interrupts).toBe(1);
  });

  it("a shutdown is answered before the process may exit, whatever ends meanwhile; cells that wait do not run", async () => {
    const waiting = kernel.client.execute("2", { stop_on_error: false });
    kernel.session.closing = () => {
      release();
      return running;
    };
    await kernel.client.request("shutdown_request", { restart: false }, "control");
    expect((await waiting).reply["ename"]).toBe("Aborted");
    expect(kernel.session.runs.map(({ text }) => text)).toEqual(["long()"]);
    expect(kernel.shutdowns()).toBe(1);
  });

  it("a shutdown is answered and ends the session", async () => {
    const reply = await kernel.client.request("shutdown_request", { restart: true }, "control");
    expect(reply.content).toEqual({ status: "ok", restart: true });
    expect(kernel.session.closed).toBe(true);
    expect(kernel.language().closed).toBe(true);
    expect(kernel.shutdowns()).toBe(1);
  });
});

describe("interrupt", () => {
  it("between cells goes to the session, where a timer may loop, and not to the next cell", async () => {
    await kernel.client.request("interrupt_request", {}, "control");
    expect(kernel.session.interrupts).toBe(1);
    expect((await kernel.client.execute("1")).reply["status"]).toBe("ok");
  });

  it("while types are checked keeps the cell from running", async () => {
    let release!: () => void;
    const checking = new Promise<void>((started) => {
      kernel.language().diagnostics.set("1", () => {
        started();
        return new Promise((resolve) => (release = () => resolve([])));
      });
    });
    const cell = kernel.client.execute("1");
    await checking;
    await kernel.client.request("interrupt_request", {}, "control");
    release();
    expect((await cell).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
    expect(kernel.session.runs).toEqual([]);
  });
});

describe("other requests", () => {
  it("kernel_info names the language, the protocol and the debugger", async () => {
    const { content } = await kernel.client.request("kernel_info_request");
    expect(content).toMatchObject({
      status: "ok",
      protocol_version: "5.5",
      implementation: "mpslab",
      language_info: { name: "typescript", file_extension: ".ts" },
      debugger: true,
      supported_features: ["debugger", "kernel subshells"],
    });
  });

  it("connect_request gives the ports, as ipykernel still does", async () => {
    const { content } = await kernel.client.request("connect_request");
    const port = (address: string) => Number(address.split(":").at(-1));
    const { shell, iopub, stdin, control, heartbeat } = kernel.connection;
    expect(content).toEqual({
      status: "ok",
      shell_port: port(shell),
      iopub_port: port(iopub),
      stdin_port: port(stdin),
      control_port: port(control),
      hb_port: port(heartbeat),
    });
  });

  it("debug_request is refused as the debug adapter protocol has it", async () => {
    const request = { type: "request", seq: 7, command: "attach" };
    const { content } = await kernel.client.request("debug_request", request, "control");
    const message = "attach: the debugger has not been started; send initialize and attach first.";
    expect(content).toEqual({
      type: "response",
      seq: expect.any(Number),
      request_seq: 7,
      success: false,
      command: "attach",
      message,
      body: { error: { id: 1, format: message } },
    });
  });

  it("are answered on the control channel as well", async () => {
    const { content } = await kernel.client.request("kernel_info_request", {}, "control");
    expect(content["status"]).toBe("ok");
  });

  it("usage gives the memory of the kernel in bytes", async () => {
    const { content } = await kernel.client.request("usage_request", {}, "control");
    expect(content["pid"]).toBe(process.pid);
    expect(content["kernel_memory"]).toBeGreaterThan(10e6);
  });

  it("a comm to a target that nobody registered is closed", async () => {
    const closed = kernel.client.nextPublished(({ header }) => header.msg_type === "comm_close");
    const content = { comm_id: "c1", target_name: "jupyter.widget", data: {} };
    await kernel.client.send("shell", kernel.client.newMessage("comm_open", content));
    expect((await closed).content).toEqual({ comm_id: "c1", data: {} });
    expect((await kernel.client.request("comm_info_request")).content).toEqual({ status: "ok", comms: {} });
  });

  it("a second client gets a welcome of its own, and sees what the first one runs", async () => {
    const second = await KernelClient.connect(kernel.connection);
    kernel.session.scripts.set("shared()", ({ print }) => print("seen by both"));
    const seen = second.nextPublished(({ header }) => header.msg_type === "stream");
    await kernel.client.execute("shared()");
    expect((await seen).content).toEqual({ name: "stdout", text: "seen by both" });
    second.close();
  });
});
