// Messages to frames and back, and every frame that is refused.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../kernel/protocol/messages.ts";
import { Wire, WireError } from "../../../kernel/protocol/wire.ts";

const KEY = "a-key";
const request: Message = {
  identities: [Buffer.from([0, 255, 1])],
  header: {
    msg_id: "m1",
    msg_type: "execute_request",
    session: "s",
    username: "ada",
    date: "2026-01-01T00:00:00Z",
    version: "5.4",
  },
  parent_header: {},
  metadata: { cellId: "c" },
  content: { code: 'console.log("→ 𝒳")' },
  buffers: [Buffer.from([1, 2, 3])],
};

const frames = (): Buffer[] => new Wire("sha256", KEY).encode(request);
const decode = (given: readonly Buffer[]): Message => new Wire("sha256", KEY).decode(given);

/** Frames with parts replaced, signed anew: what a client that knows the key could send. */
function signed(...parts: string[]): Buffer[] {
  const hmac = createHmac("sha256", KEY);
  for (const part of parts) hmac.update(part);
  return ["<IDS|MSG>", hmac.digest("hex"), ...parts].map((part) => Buffer.from(part));
}

describe("a message", () => {
  it("comes back as it was sent, buffers and identities of any length included", () => {
    expect(decode(frames())).toEqual(request);
    for (const identities of [[], [Buffer.from("one")], [Buffer.from("a"), Buffer.alloc(300, 7)]]) {
      const message = { ...request, identities };
      expect(decode(new Wire("sha256", KEY).encode(message))).toEqual(message);
    }
  });

  it.each([
    ["Nice day 😀".slice(0, 10), "Nice day \ufffd"],
    ["😀".slice(1), "\ufffd"],
    ["\ud83d and 😀 and \ude00", "\ufffd and 😀 and \ufffd"],
    [String.raw`the text \ud83d`, String.raw`the text \ud83d`],
    [String.raw`\\` + "\ud83d", String.raw`\\` + "\ufffd"],
  ])("is well-formed Unicode in names and values: %j leaves as %j", (text, sent) => {
    const message = { ...request, content: { [text]: [text] }, metadata: { text } };
    expect(decode(new Wire("sha256", KEY).encode(message))).toMatchObject({
      content: { [sent]: [sent] },
      metadata: { text: sent },
    });
  });

  it("is signed over its four parts in order, as the protocol says", () => {
    const [, delimiter, signature, ...parts] = frames();
    const hmac = createHmac("sha256", KEY);
    for (const part of parts.slice(0, 4)) hmac.update(part);
    expect(delimiter?.toString()).toBe("<IDS|MSG>");
    expect(signature?.toString()).toBe(hmac.digest("hex"));
  });

  it("needs no signature when the connection has no key", () => {
    const open = new Wire("sha256", "");
    const sent = open.encode(request);
    expect(sent[2]?.toString()).toBe("");
    expect(open.decode(sent)).toEqual(request);
    expect(open.decode(sent)).toEqual(request);
  });

  it("is accepted once: its replay is refused", () => {
    const wire = new Wire("sha256", KEY);
    const sent = frames();
    wire.decode(sent);
    expect(() => wire.decode(sent)).toThrow(new WireError("a message that came before, replayed"));
  });
});

describe("frames that are no message", () => {
  const header = JSON.stringify(request.header);
  it.each<[string, () => Buffer[], string]>([
    ["no frame", () => [], "no <IDS|MSG> delimiter in 0 frames"],
    ["no delimiter", () => frames().filter((_, index) => index !== 1), "no <IDS|MSG> delimiter in 7 frames"],
    ["nothing after the delimiter", () => frames().slice(0, 2), "0 frames after the delimiter"],
    ["a part missing", () => frames().slice(0, 6), "4 frames after the delimiter"],
    ["no signature", () => frames().with(2, Buffer.alloc(0)), "the message is not signed"],
    ["a signature of the wrong length", () => frames().with(2, Buffer.from("ab")), "not by our key"],
    ["a signature of other bytes", () => frames().with(2, Buffer.alloc(64, 0xff)), "not by our key"],
    ["a signature by another key", () => new Wire("sha256", "other").encode(request), "not by our key"],
    ["a content changed after signing", () => frames().with(6, Buffer.from("{}")), "not by our key"],
    ["a header that is not JSON", () => signed("{", "{}", "{}", "{}"), "the header is not JSON"],
    ["a header that is an array", () => signed("[]", "{}", "{}", "{}"), "the header is not a JSON object"],
    ["a header that is null", () => signed("null", "{}", "{}", "{}"), "the header is not a JSON object"],
    [
      "a header without its fields",
      () => signed("{}", "{}", "{}", "{}"),
      "the header's msg_id is not a string",
    ],
    [
      "a message type that is a number",
      () => signed(JSON.stringify({ ...request.header, msg_type: 7 }), "{}", "{}", "{}"),
      "the header's msg_type is not a string but 7",
    ],
    [
      "a parent header that is a string",
      () => signed(header, '"x"', "{}", "{}"),
      "the parent header is not a JSON",
    ],
    ["metadata that is a number", () => signed(header, "{}", "1", "{}"), "the metadata is not a JSON object"],
    ["a content that is empty", () => signed(header, "{}", "{}", ""), "the content is not JSON"],
    [
      "a content nested too deep",
      () => signed(header, "{}", "{}", "[".repeat(1e6)),
      "the content is not JSON",
    ],
  ])("%s", (_, given, reason) => {
    expect(() => decode(given())).toThrow(WireError);
    expect(() => decode(given())).toThrow(reason);
  });
});
