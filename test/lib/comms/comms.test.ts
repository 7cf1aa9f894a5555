// Comms without a kernel: what is sent, what is refused, and when handlers run.
import { AsyncLocalStorage } from "node:async_hooks";
import { beforeEach, describe, expect, it } from "vitest";
import { comms, deliverComms, pollComms } from "../../../lib/comms/comms.ts";
import { ScriptedPage } from "./scripted_page.ts";

let page: ScriptedPage;
beforeEach(() => {
  page = new ScriptedPage();
});

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

describe("handlers", () => {
  it("wait when a message is read in the middle of code, and run at the next await", async () => {
    const comm = comms.open("target");
    const heard: unknown[] = [];
    comm.on("message", ({ data }) => heard.push(data));
    page.say({ action: "message", comm: comm.id, data: { step: 1 } });
    pollComms();
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([{ step: 1 }]);
  });

  it("run in the order of their messages, each in the context that registered it", () => {
    const place = new AsyncLocalStorage<string>();
    const comm = comms.open("target");
    const log: string[] = [];
    for (const name of ["first", "second"]) {
      place.run(name, () =>
        comm.on("message", ({ data }) => log.push(`${place.getStore()} hears ${String(data["step"])}`)),
      );
    }
    page.say({ action: "message", comm: comm.id, data: { step: 1 } });
    page.say({ action: "message", comm: comm.id, data: { step: 2 } });
    place.run("elsewhere", () => deliverComms());
    expect(log).toEqual(["first hears 1", "second hears 1", "first hears 2", "second hears 2"]);
  });

  it("do not run inside each other: what one of them lets in waits for its end", () => {
    const comm = comms.open("target");
    const log: string[] = [];
    comm.on("message", ({ data }) => {
      log.push(`begin ${String(data["step"])}`);
      if (data["step"] === 1) page.say({ action: "message", comm: comm.id, data: { step: 2 } });
      deliverComms({ synchronous: true });
      pollComms();
      log.push(`end ${String(data["step"])}`);
    });
    page.say({ action: "message", comm: comm.id, data: { step: 1 } });
    deliverComms();
    expect(log).toEqual(["begin 1", "end 1", "begin 2", "end 2"]);
  });

  it("that were taken away, or throw, leave the others alone", () => {
    const comm = comms.open("target");
    const log: string[] = [];
    const remove = comm.on("message", () => log.push("removed"));
    comm.on("message", () => {
      throw new Error("broken");
    });
    comm.on("message", () => log.push("kept"));
    remove();
    page.say({ action: "message", comm: comm.id });
    deliverComms();
    expect(log).toEqual(["kept"]);
    expect(page.failures).toEqual([new Error("broken")]);
  });

  it("that are interrupted while code waits for them stop that code; those behind them run later", () => {
    const comm = comms.open("target");
    const log: unknown[] = [];
    comm.on("message", ({ data }) => {
      if (data["stop"]) throw Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
      log.push(data["step"]);
    });
    page.say({ action: "message", comm: comm.id, data: { stop: true } });
    page.say({ action: "message", comm: comm.id, data: { step: 2 } });
    expect(() => deliverComms({ synchronous: true })).toThrow("stop");
    deliverComms();
    expect(log).toEqual([2]);
  });

  it("answer under the message that they handle, and only then", async () => {
    const comm = comms.open("target");
    comm.on("message", () => {
      comm.send({ now: true });
      setImmediate(() => comm.send({ now: false }));
    });
    page.say({ action: "message", comm: comm.id, cause: "their header" });
    deliverComms();
    await nextTask();
    expect(page.sent.slice(1)).toMatchObject([
      { data: { now: true }, cause: "their header" },
      { data: { now: false } },
    ]);
    expect(page.sent[2]).not.toHaveProperty("cause");
  });
});

describe("a comm of the front end", () => {
  it("is given to its target's handler before its first message", () => {
    const log: unknown[] = [];
    comms.register("greetings", (comm, { data }) => {
      log.push(data);
      comm.on("message", (message) => log.push(message.data));
      comm.on("close", (message) => log.push(message.data));
    });
    page.say({ action: "open", comm: "c1", target: "greetings", data: { opened: 1 } });
    page.say({ action: "message", comm: "c1", data: { said: 2 } });
    page.say({ action: "close", comm: "c1", data: { closed: 3 } });
    pollComms();
    deliverComms();
    expect(log).toEqual([{ opened: 1 }, { said: 2 }, { closed: 3 }]);
    comms.unregister("greetings");
    comms.unregister("greetings");
    expect(page.announced).toEqual([
      ["greetings", true],
      ["greetings", false],
    ]);
  });

  it("to a target that was unregistered meanwhile is closed", () => {
    page.say({ action: "open", comm: "c2", target: "nobody" });
    deliverComms();
    expect(page.sent).toMatchObject([{ action: "close", comm: "c2" }]);
  });
});

it("bytes are those of the view, not of the memory behind it", () => {
  const memory = new Uint8Array([9, 1, 2, 9]);
  comms.open("target", {}, { buffers: [memory.subarray(1, 3), new Uint8Array([5]).buffer] });
  expect(page.sent[0]!.buffers.map((bytes) => [...bytes])).toEqual([[1, 2], [5]]);
});

// oxlint-disable-next-line typescript/no-explicit-any -- misuse, as JavaScript allows it
const wrong = (value: unknown): any => value;

it.each<[string, () => unknown, string]>([
  [
    "open without a target",
    () => comms.open(wrong(undefined)),
    "comms.open takes the name of a target, not undefined.",
  ],
  ["open with an empty target", () => comms.open(""), "comms.open takes the name of a target, not ''."],
  [
    "open with data that is no object",
    () => comms.open("t", wrong([1])),
    "The data of a comm is an object such as { step: 1 }, not [ 1 ].",
  ],
  [
    "send null",
    () => comms.open("t").send(wrong(null)),
    "The data of a comm is an object such as { step: 1 }, not null.",
  ],
  [
    "send with metadata that is no object",
    () => comms.open("t").send({}, { metadata: wrong("m") }),
    "The metadata of a comm is an object such as { step: 1 }, not 'm'.",
  ],
  [
    "open with what JSON cannot hold",
    () => comms.open("t", { a: 1n }),
    "data.a is a bigint, which JSON cannot hold: convert it with Number() or String().",
  ],
  [
    "send what JSON cannot hold",
    () => comms.open("t").send({ on: { click() {} } }),
    "data.on.click is a function, which JSON cannot hold: leave it out, or call it.",
  ],
  [
    "send metadata that JSON cannot hold",
    () => comms.open("t").send({}, { metadata: { kind: Symbol("x") } }),
    "metadata.kind is a symbol, which JSON cannot hold: use its description.",
  ],
  [
    "close with what JSON cannot hold",
    () => comms.open("t").close({ losses: new Float32Array(1) }),
    "data.losses is a Float32Array, which JSON cannot hold: convert it with Array.from().",
  ],
  [
    "send a text as bytes",
    () => comms.open("t").send({}, { buffers: [wrong("bytes")] }),
    "A buffer of a comm is an ArrayBuffer or a typed array, not 'bytes'.",
  ],
  [
    "register without a handler",
    () => comms.register("t", wrong(undefined)),
    "comms.register takes the name of a target and a function, not 't' and undefined.",
  ],
  [
    "listen to an event that is none",
    () => comms.open("t").on(wrong("msg"), () => {}),
    'comm.on takes "message" or "close" and a function, not \'msg\' and [Function (anonymous)].',
  ],
  [
    "listen to an inherited name",
    () => comms.open("t").on(wrong("toString"), () => {}),
    'comm.on takes "message" or "close" and a function, not \'toString\' and [Function (anonymous)].',
  ],
])("%s: a TypeError that says what to give", (_name, misuse, sentence) => {
  expect(misuse).toThrow(new TypeError(sentence));
});

it("a closed comm says so, and closes once", () => {
  const comm = comms.open("target");
  comm.close({ why: "done" });
  comm.close();
  expect(page.sent.map(({ action }) => action)).toEqual(["open", "close"]);
  expect(() => comm.send({})).toThrow('The comm to "target" is closed: open another one with comms.open.');
});
