// Comms through the whole kernel: a client on real sockets, the kernel process, the session process, and back.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, Message } from "../../../kernel/protocol/messages.ts";
import type { KernelClient } from "../../helpers/kernel_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let client: KernelClient;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  ({ client } = kernel);
  await client.execute('import { comms, AnyWidget, slider, button } from "mpslab";');
});
afterAll(() => kernel.stop());

async function say(type: string, content: Json, buffers: readonly Buffer[] = []): Promise<Message> {
  const message = { ...client.newMessage(type, content), buffers };
  await client.send("shell", message);
  return message;
}

/** The next comm message of that type on iopub, of one comm if it is named. */
const heard = (type: string, comm?: string): Promise<Message> =>
  client.nextPublished(
    ({ header, content }) => header.msg_type === type && (comm === undefined || content["comm_id"] === comm),
  );

/** Runs a cell that opens a comm; resolves with the `comm_open` that the client sees. */
async function opened(
  code: string,
): Promise<{ readonly id: string; readonly open: Message; readonly cell: string }> {
  const open = heard("comm_open");
  const { messages, errors } = await client.execute(code);
  expect(errors).toEqual([]);
  const message = await open;
  return { id: String(message.content["comm_id"]), open: message, cell: messages[0]!.parent_header.msg_id };
}

/** Resolves when some cell prints exactly this. */
const shown = (text: string): Promise<unknown> =>
  client.nextPublished(({ content }) => content["text"] === text);

/** Returns the text that was printed under a cell after its end. */
const printed = (cell: string): Promise<unknown> =>
  client
    .nextPublished(
      ({ header, parent_header }) => header.msg_type === "stream" && parent_header.msg_id === cell,
    )
    .then(({ content }) => content["text"]);

describe("a comm that a cell opens", () => {
  it("tells the client its target, data, metadata and buffers, under the cell", async () => {
    const { open, cell } = await opened(
      `const first = comms.open("progress", { total: 3 }, { metadata: { version: "1" }, buffers: [new Float32Array([1, 2])] });`,
    );
    expect(open.content).toMatchObject({ target_name: "progress", data: { total: 3 } });
    expect(open.metadata).toEqual({ version: "1" });
    expect(open.buffers.map((buffer) => [...buffer])).toEqual([[0, 0, 128, 63, 0, 0, 0, 64]]);
    expect(open.parent_header.msg_id).toBe(cell);
  });

  it("is listed, by its target too", async () => {
    const { id } = await opened('comms.open("listed");');
    const all = await client.request("comm_info_request");
    expect(all.content["comms"]).toMatchObject({ [id]: { target_name: "listed" } });
    const some = await client.request("comm_info_request", { target_name: "listed" });
    expect(some.content).toEqual({ status: "ok", comms: { [id]: { target_name: "listed" } } });
  });

  it("hears the client, bytes included, and answers under the client's message", async () => {
    const { id } = await opened(`
      const echo = comms.open("echo");
      echo.on("message", ({ data, metadata, buffers }) =>
        echo.send({ got: data, metadata, bytes: buffers.map((bytes) => [...bytes]) }, { buffers }));`);
    const answer = heard("comm_msg", id);
    const question = await say("comm_msg", { comm_id: id, data: { step: 7 } }, [
      Buffer.from([1, 0, 255]),
      Buffer.alloc(0),
    ]);
    const { content, buffers, parent_header } = await answer;
    expect(content["data"]).toEqual({ got: { step: 7 }, metadata: {}, bytes: [[1, 0, 255], []] });
    expect(buffers.map((buffer) => [...buffer])).toEqual([[1, 0, 255], []]);
    expect(parent_header.msg_id).toBe(question.header.msg_id);
  });

  it("carries 20 MB both ways", async () => {
    const { id } = await opened(`
      const large = comms.open("large");
      large.on("message", ({ buffers }) => large.send({}, { buffers }));`);
    const answer = heard("comm_msg", id);
    const bytes = Buffer.alloc(20_000_000, 7);
    await say("comm_msg", { comm_id: id, data: {} }, [bytes]);
    expect((await answer).buffers[0]!.equals(bytes)).toBe(true);
  });

  it("prints what its handlers print under the cell that registered them, not under the one that runs", async () => {
    const { id, cell } = await opened(`
      const talker = comms.open("talker");
      talker.on("message", ({ data }) => console.log("heard", data.word));`);
    const text = printed(cell);
    const running = client.execute(
      "for (let i = 0; i < 200; i++) await new Promise((resolve) => setTimeout(resolve, 1));",
    );
    await say("comm_msg", { comm_id: id, data: { word: "now" } });
    expect(await text).toBe("heard now\n");
    expect((await running).stdout).toBe("");
  });

  it("closed by the client, calls the close handlers and sends no more", async () => {
    const { id, cell } = await opened(`
      const closing = comms.open("closing");
      closing.on("close", ({ data }) => console.log("closed", data));`);
    const text = printed(cell);
    await say("comm_close", { comm_id: id, data: { why: "done" } });
    expect(await text).toBe("closed { why: 'done' }\n");
    const { errors } = await client.execute("closing.send({});");
    expect(errors[0]!["evalue"]).toBe('The comm to "closing" is closed: open another one with comms.open.');
    expect(((await client.request("comm_info_request")).content["comms"] as Json)[id]).toBeUndefined();
  });

  it("closed by the cell, is closed for the client", async () => {
    const { id } = await opened('const brief = comms.open("brief");');
    const close = heard("comm_close", id);
    await client.execute("brief.close({ reason: 1 }); brief.close();");
    expect((await close).content["data"]).toEqual({ reason: 1 });
    await say("comm_msg", { comm_id: id, data: {} });
    await say("comm_close", { comm_id: id });
    expect((await client.execute("brief.closed")).result).toBe("true");
  });

  it("whose handler throws tells it under the handler's cell, and works on", async () => {
    const { id, cell } = await opened(`
      const fragile = comms.open("fragile");
      fragile.on("message", ({ data }) => { if (data.bad) throw new RangeError("too bad"); fragile.send({ fine: true }); });`);
    const error = client.nextPublished(
      ({ header, parent_header }) => header.msg_type === "error" && parent_header.msg_id === cell,
    );
    await say("comm_msg", { comm_id: id, data: { bad: true } });
    expect((await error).content).toMatchObject({ ename: "RangeError", evalue: "too bad" });
    const answer = heard("comm_msg", id);
    await say("comm_msg", { comm_id: id, data: {} });
    expect((await answer).content["data"]).toEqual({ fine: true });
  });
});

describe("a comm that the client opens", () => {
  it("reaches the target that a cell has registered, messages in their order", async () => {
    await client.execute(`
      comms.register("sum", (comm, { data }) => {
        let sum = Number(data.start);
        comm.on("message", ({ data }) => comm.send({ sum: (sum += Number(data.add)) }));
      });`);
    const answers = new Promise<unknown[]>((resolve) => {
      const sums: unknown[] = [];
      void client.nextPublished(({ header, content }) => {
        if (header.msg_type === "comm_msg" && content["comm_id"] === "theirs") sums.push(content["data"]);
        if (sums.length === 2) resolve(sums);
        return sums.length === 2;
      });
    });
    await say("comm_open", { comm_id: "theirs", target_name: "sum", data: { start: 1 } });
    await say("comm_msg", { comm_id: "theirs", data: { add: 2 } });
    await say("comm_msg", { comm_id: "theirs", data: { add: 3 } });
    expect(await answers).toEqual([{ sum: 3 }, { sum: 6 }]);
    expect((await client.request("comm_info_request")).content["comms"]).toMatchObject({
      theirs: { target_name: "sum" },
    });
  });

  it.each([
    ["that nobody has registered", "nobody", ""],
    ["that is registered no more", "gone", 'comms.register("gone", () => {}); comms.unregister("gone");'],
  ])("to a target %s is closed again", async (_name, target, code) => {
    await client.execute(code);
    const close = heard("comm_close", `to ${target}`);
    const open = await say("comm_open", { comm_id: `to ${target}`, target_name: target, data: {} });
    expect((await close).parent_header.msg_id).toBe(open.header.msg_id);
  });

  it.each([
    ["comm_open", { comm_id: 1, target_name: "sum" }],
    ["comm_open", { comm_id: "x" }],
    ["comm_msg", { comm_id: "never opened", data: {} }],
    ["comm_msg", { data: {} }],
    ["comm_msg", { comm_id: "theirs", data: "text" }],
    ["comm_close", { comm_id: "never opened" }],
    ["comm_close", {}],
  ])("as %s %o does no harm: busy, idle, and the kernel goes on", async (type, content) => {
    const message = client.newMessage(type, content);
    const messages = client.untilIdle(message.header);
    await client.send("shell", message);
    expect((await messages).map(({ header }) => header.msg_type)).toEqual(["status", "status"]);
    expect((await client.execute("1 + 1")).result).toBe("2");
  });
});

describe("while a cell is running without a pause", () => {
  it("comm_info, refusals and the states of widgets are answered; a loop sees the page's values", async () => {
    const { id } = await opened('const rate = slider({ label: "rate", value: 0.5 });');
    const running = client.execute("let turns = 0; while (rate.value === 0.5) turns++; rate.value");
    const refused = heard("comm_close", "during");
    await say("comm_open", { comm_id: "during", target_name: "nobody" });
    await refused;
    expect(
      (await client.request("comm_info_request", { target_name: "jupyter.widget" })).content["comms"],
    ).toEqual({
      [id]: { target_name: "jupyter.widget" },
    });
    const states = heard("comm_msg", "reload");
    await say("comm_open", { comm_id: "reload", target_name: "jupyter.widget.control", data: {} });
    await say("comm_msg", { comm_id: "reload", data: { method: "request_states" } });
    expect((await states).content["data"]).toMatchObject({
      method: "update_states",
      states: {
        [id]: { model_name: "AnyModel", model_module: "anywidget", state: { label: "rate", value: 0.5 } },
      },
      buffer_paths: [],
    });
    await say("comm_msg", {
      comm_id: id,
      data: { method: "update", state: { value: 0.75 }, buffer_paths: [] },
    });
    expect((await running).result).toBe("0.75");
    await say("comm_close", { comm_id: id });
  });

  it("handlers wait: for the end of an epoch in a loop, never in the middle of its code", async () => {
    const { id } = await opened(`
      const press = button({ label: "count" });
      const order: string[] = [];
      press.onPress(() => order.push("handler"));`);
    const running = client.execute(`
      for (let epoch = 0; epoch < 2; epoch++) {
        order.push("begin");
        if (epoch === 0) console.log("begun");
        if (epoch === 0) while (!press.pressed);
        order.push("end");
      }
      order.join(" ")`);
    await shown("begun\n");
    await say("comm_msg", {
      comm_id: id,
      data: { method: "update", state: { presses: 1 }, buffer_paths: [] },
    });
    expect((await running).result).toBe("'begin end handler begin end'");
  });

  it("handlers wait for the next await, one that does not reach the event loop too", async () => {
    const { id } = await opened(`
      const poke = comms.open("poke");
      const log: string[] = [];
      poke.on("message", () => log.push("handler"));`);
    const running = client.execute(`
      const until = (ms: number) => { const end = Date.now() + ms; while (Date.now() < end); };
      async function inner() { log.push("before await"); await null; log.push("after await"); }
      console.log("ready");
      // The message arrives in one of the turns, which calls the handler at its next await.
      while (!log.includes("handler")) {
        log.length = 0;
        until(50);
        const done = inner();
        log.push("after the call");
        await done;
      }
      log.join(", ")`);
    await shown("ready\n");
    await say("comm_msg", { comm_id: id, data: {} });
    expect((await running).result).toBe("'before await, after the call, handler, after await'");
  });

  it("a handler that never ends can be interrupted, and takes the loop that waits for it along", async () => {
    const { id } = await opened(`
      const endless = comms.open("endless");
      endless.on("message", () => { console.log("in the handler"); while (true); });`);
    await say("comm_msg", { comm_id: id, data: {} });
    await shown("in the handler\n");
    const error = client.nextPublished(({ header }) => header.msg_type === "error");
    await client.request("interrupt_request", {}, "control");
    expect((await error).content["ename"]).toBe("KeyboardInterrupt");

    const running = client.execute(`
      console.log("looping");
      for (let epoch = 0; epoch < 1e9; epoch++) { const end = Date.now() + 5; while (Date.now() < end); }`);
    await shown("looping\n");
    await say("comm_msg", { comm_id: id, data: {} });
    await shown("in the handler\n");
    await client.request("interrupt_request", {}, "control");
    expect((await running).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
  });
});

it("every comm is closed when the session ends, and its targets are gone", async () => {
  const { id } = await opened('comms.register("mine", () => {}); comms.open("last");');
  const close = heard("comm_close", id);
  await client.execute("process.exit(3)");
  await close;
  expect((await client.request("comm_info_request")).content["comms"]).toEqual({});
  const refused = heard("comm_close", "late");
  await say("comm_open", { comm_id: "late", target_name: "mine" });
  await refused;
});
