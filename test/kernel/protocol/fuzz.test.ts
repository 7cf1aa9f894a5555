// A hundred thousand messages that no client would send, from a seeded generator, to the real kernel: damaged frames,
// wrong signatures, wrong types, contents that make no sense. Then it answers as before, and its memory is bounded.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Dealer } from "zeromq";
import { readConnection } from "../../../kernel/protocol/connection.ts";
import type { Header, Json, Message } from "../../../kernel/protocol/messages.ts";
import type { Channel } from "../../../kernel/protocol/sockets.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { bytes, chance, integer, pick, seed } from "./random.ts";

const MESSAGES = 100_000;
const CHANNELS: readonly Channel[] = ["shell", "control", "stdin"];
const MEGABYTE = 1e6;

let kernel: KernelProcess;
const dealers = {} as Record<Channel, Dealer>;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  const connection = readConnection(kernel.connectionFile);
  for (const channel of CHANNELS) {
    dealers[channel] = new Dealer({ linger: 0, sendHighWaterMark: 0 });
    dealers[channel].connect(connection[channel]);
  }
  await kernel.client.execute("let kept = 42");
});
afterAll(async () => {
  for (const dealer of Object.values(dealers)) dealer.close();
  await kernel.stop();
});

const deep = "[".repeat(5000) + "]".repeat(5000);
const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  "",
  "text",
  [],
  [1],
  {},
  { a: [] },
  "x".repeat(3000),
];
const wrong = () => pick(WRONG);

/** Requests of every kind, with contents that do not fit; but no shutdown, which some damage might make a good one. */
const CONTENTS: readonly (() => [string, Json])[] = [
  () => ["execute_request", { code: pick([1, null, [], {}]), silent: wrong() }],
  () => ["execute_request", { code: "1", user_expressions: pick([1, [], { a: 1 }, "x"]) }],
  () => ["complete_request", { code: wrong(), cursor_pos: wrong() }],
  () => ["inspect_request", { code: "a.b", cursor_pos: pick([{}, "1", 1.5, []]) }],
  () => ["is_complete_request", { code: pick([1, {}, null]) }],
  () => ["history_request", { hist_access_type: wrong(), n: wrong(), output: wrong() }],
  () => ["history_request", { hist_access_type: "search", pattern: pick([1, "[", "*".repeat(50)]), n: 1 }],
  () => ["comm_open", { comm_id: wrong(), target_name: wrong(), data: wrong() }],
  () => ["comm_msg", { comm_id: pick(["closed long ago", 1, null]), data: wrong() }],
  () => ["comm_close", { comm_id: wrong() }],
  () => ["comm_info_request", { target_name: wrong() }],
  () => ["delete_subshell_request", { subshell_id: wrong() }],
  () => ["debug_request", { seq: wrong(), command: wrong() }],
  () => ["input_reply", { value: wrong() }],
  () => [
    pick(["", "_request", "launch", "__proto__", "constructor", "execute_reply", "status"]),
    { a: wrong() },
  ],
];

const request = (): Message => kernel.client.newMessage(...pick(CONTENTS)());
const HEADER_FIELDS = [
  "msg_id",
  "msg_type",
  "session",
  "username",
  "date",
  "version",
  "subshell_id",
] as const;
const PARTS = { signature: 1, first: 2, last: 5 };

/** Signed frames of parts that need not be JSON objects. */
const signed = (part: number, text: string): Buffer[] => {
  const frames = kernel.client.encode(request());
  return kernel.client.sign(frames.slice(PARTS.first, PARTS.last + 1).with(part, Buffer.from(text)));
};

const DAMAGES: readonly (() => Buffer[])[] = [
  () => Array.from({ length: integer(6) }, () => bytes(integer(200))),
  () => kernel.client.encode(request()).slice(0, integer(6)),
  () => kernel.client.encode(request()).slice(1 + integer(5)),
  () => kernel.client.encode(request()).toSpliced(integer(7), 0, bytes(integer(50))),
  () => {
    const frames = kernel.client.encode(request());
    const frame = Buffer.from(pick(frames));
    if (frame.length > 0) frame[integer(frame.length)]! ^= 1 << integer(8);
    return frames.with(1 + integer(5), frame);
  },
  () => kernel.client.encode(request()).with(PARTS.signature, bytes(64)),
  () =>
    signed(
      integer(4),
      pick(["", "null", "[]", "7", '"text"', "{", '{"a":', "\u0000", deep, `{"a":${deep}}`]),
    ),
  () => {
    const message = request();
    const header = { ...message.header, [pick(HEADER_FIELDS)]: wrong() } as unknown as Header;
    return kernel.client.encode({ ...message, header });
  },
  () => [
    ...kernel.client.encode(request()),
    ...Array.from({ length: integer(100) }, () => bytes(integer(20))),
  ],
  () => kernel.client.encode(request()),
];

const megabytes = async (): Promise<number> => {
  const { content } = await kernel.client.request("usage_request", {}, "control");
  return Number(content["kernel_memory"]) / MEGABYTE;
};

it(`${MESSAGES} malformed messages: the kernel answers, its cells keep their values, its memory is bounded`, async () => {
  seed(20261121);
  const before = await megabytes();
  let replayed = kernel.client.encode(request());
  for (let sent = 1; sent <= MESSAGES; sent++) {
    const frames = chance(0.05) ? replayed : pick(DAMAGES)();
    // An empty message cannot be sent at all.
    if (frames.length > 0) await dealers[pick(CHANNELS)].send(frames);
    if (chance(0.01)) replayed = frames.length > 0 ? frames : replayed;
    if (sent % 5000 === 0)
      expect((await kernel.client.request("kernel_info_request")).content["status"]).toBe("ok");
  }
  expect((await kernel.client.execute("kept")).result).toBe("42");
  expect(await kernel.client.beat()).toBe("ping");
  expect((await megabytes()) - before).toBeLessThan(200);
  // Twenty lines in ten seconds, not a hundred thousand.
  expect(kernel.log.split("\n").length).toBeLessThan(1000);
});

it("messages of 100 MB are read or refused, and the next one is answered", async () => {
  const big = Buffer.alloc(100e6, "x");
  const message = kernel.client.newMessage("launch_missiles", {});
  await dealers.shell.send([big]);
  await dealers.shell.send(kernel.client.encode(message).with(PARTS.last, big));
  await dealers.control.send([
    ...kernel.client.encode(kernel.client.newMessage("comm_msg", { comm_id: "none", data: {} })),
    big,
  ]);
  const { content } = await kernel.client.request("is_complete_request", { code: `"${big}"` });
  expect(content["status"]).toBe("complete");
  expect((await kernel.client.execute("kept")).result).toBe("42");
});
