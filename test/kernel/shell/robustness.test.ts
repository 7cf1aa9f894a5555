// Tests what a kernel must survive: frames that are no message, messages that are no request, requests that make no
// sense. After each of them it answers, and its heart beats.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Header, Message } from "../../../kernel/protocol/messages.ts";
import { Wire } from "../../../kernel/protocol/wire.ts";
import { startMockKernel, type MockKernel } from "../../helpers/mock_rooms.ts";

let kernel: MockKernel;
beforeAll(async () => {
  kernel = await startMockKernel();
});
afterAll(() => kernel.stop());

const request = (type = "kernel_info_request", content = {}): Message =>
  kernel.client.newMessage(type, content);
const sign = (message: Message): Buffer[] => kernel.client.encode(message);

async function expectAlive(): Promise<void> {
  expect((await kernel.client.request("kernel_info_request")).content["status"]).toBe("ok");
  expect((await kernel.client.execute("1")).reply["status"]).toBe("ok");
  expect(await kernel.client.beat()).toBe("ping");
}

/** Index of each part in signed frames that have no identities. */
const PART = { delimiter: 0, signature: 1, header: 2, content: 5 } as const;
const withHeader = (changes: Record<string, unknown>): Buffer[] => {
  const message = request();
  return sign({ ...message, header: { ...message.header, ...changes } as unknown as Header });
};

describe.each(["shell", "control", "stdin"] as const)(
  "on %s the kernel refuses and goes on after",
  (channel) => {
    it.each<[string, () => Buffer[], string]>([
      ["an empty frame", () => [Buffer.alloc(0)], "no <IDS|MSG> delimiter"],
      [
        "random bytes",
        () => [Buffer.from([0xff, 0x00, 0x80]), Buffer.alloc(1000, 0xaa)],
        "no <IDS|MSG> delimiter",
      ],
      ["the delimiter alone", () => sign(request()).slice(0, 1), "0 frames after the delimiter"],
      ["a message cut short", () => sign(request()).slice(0, 4), "3 frames after the delimiter"],
      ["an unsigned message", () => sign(request()).with(PART.signature, Buffer.alloc(0)), "is not signed"],
      [
        "a signature that is no hex",
        () => sign(request()).with(PART.signature, Buffer.alloc(64, "z")),
        "not by our key",
      ],
      ["a forged message", () => new Wire("sha256", "guessed").encode(request()), "not by our key"],
      [
        "a content changed on the way",
        () => sign(request()).with(PART.content, Buffer.from("[]")),
        "not by our key",
      ],
      [
        "a header without a type",
        () => withHeader({ msg_type: undefined }),
        "header's msg_type is not a string",
      ],
      [
        "a header whose id is a number",
        () => withHeader({ msg_id: 5 }),
        "header's msg_id is not a string but 5",
      ],
      [
        "a header whose session is null",
        () => withHeader({ session: null }),
        "header's session is not a string",
      ],
      [
        "a header whose user is a list",
        () => withHeader({ username: [] }),
        "header's username is not a string",
      ],
      [
        "a header whose subshell is a number",
        () => withHeader({ subshell_id: 7 }),
        "header's subshell_id is not a string but 7",
      ],
      [
        "a header of a megabyte",
        () => withHeader({ more: "x".repeat(1e6) }),
        "every answer repeats it, so at most 8192",
      ],
    ])("%s", async (_, frames, reason) => {
      const before = kernel.log.length;
      await kernel.client.sendFrames(channel, frames());
      await expect.poll(() => kernel.log.slice(before)).toEqual([expect.stringContaining(reason)]);
      expect(kernel.log.at(-1)).toMatch(new RegExp(`^${channel}: `));
      await expectAlive();
    });

    it("a message that it had before: it is not run twice", async () => {
      const runs = kernel.session.runs.length;
      const message = request("execute_request", { code: "once" });
      const idle = kernel.client.untilIdle(message.header);
      const frames = sign(message);
      await kernel.client.sendFrames("shell", frames);
      await idle;
      await kernel.client.sendFrames(channel, frames);
      await expect.poll(() => kernel.log.at(-1)).toBe(`${channel}: a message that came before, replayed`);
      expect(kernel.session.runs.length).toBe(runs + 1);
      await expectAlive();
    });
  },
);

describe.each(["shell", "control"] as const)("on %s", (channel) => {
  it.each(["launch_missiles", "execute_reply", "", "__proto__", "constructor", "_request"])(
    "a message of the unknown type %j gets busy and idle, no reply",
    async (type) => {
      const message = request(type);
      const messages = kernel.client.untilIdle(message.header);
      await kernel.client.send(channel, message);
      expect((await messages).map(({ content }) => content["execution_state"])).toEqual(["busy", "idle"]);
      expect(kernel.log.at(-1)).toBe(
        `no answer to ${JSON.stringify(type)} on ${channel}: unknown message type`,
      );
    },
  );

  it.each([
    ["complete_request", { code: "a", cursor_pos: {} }, "cursor_pos must be an integer, not {}"],
    ["inspect_request", { code: 1 }, "code must be a string, not 1"],
    ["is_complete_request", {}, "code is missing"],
    ["history_request", { hist_access_type: "tail", n: "all" }, 'n must be an integer, not "all"'],
    ["shutdown_request", { restart: "maybe" }, 'restart must be true or false, not "maybe"'],
  ])("a %s with %j is answered with a TypeError", async (type, content, evalue) => {
    const reply = await kernel.client.request(type, content, channel);
    expect(reply.content).toMatchObject({ status: "error", ename: "TypeError", evalue });
    await expectAlive();
  });
});

it.each([
  [{}, "code is missing"],
  [{ code: ["1"] }, 'code must be a string, not ["1"]'],
  [{ code: "1", silent: 0 }, "silent must be true or false, not 0"],
])("an execute_request with %j is answered with a TypeError", async (content, evalue) => {
  const reply = await kernel.client.request("execute_request", content);
  expect(reply.content).toMatchObject({ status: "error", ename: "TypeError", evalue });
  await expectAlive();
});

it("positions far outside the text are answered", async () => {
  for (const cursor_pos of [-5, 1e9]) {
    const { content } = await kernel.client.request("complete_request", { code: "a", cursor_pos });
    expect(content["status"]).toBe("ok");
  }
});

it("an input_reply without a value, or for nobody, is dropped", async () => {
  await kernel.client.send("stdin", request("input_reply", {}));
  await kernel.client.send("stdin", request("execute_request", { code: "not here" }));
  await expectAlive();
  expect(kernel.session.runs.map(({ text }) => text)).not.toContain("not here");
});

it("a message of 20 MB passes", async () => {
  const code = `"${"x".repeat(20e6)}"`;
  expect((await kernel.client.execute(code)).reply["status"]).toBe("ok");
});

it("2,000 requests at once are all answered, each with its idle", async () => {
  const requests = Array.from({ length: 2000 }, () => request("is_complete_request", { code: "1" }));
  const idles = requests.map(({ header }) => kernel.client.untilIdle(header));
  for (const message of requests) await kernel.client.send("shell", message);
  const answered = await Promise.all(idles);
  expect(answered.map((messages) => messages.length)).toEqual(requests.map(() => 2));
});
