// Frames of the channel, whole and in pieces.
import { describe, expect, it } from "vitest";
import { encodeFrame, FrameDecoder, type FromSession } from "../../../kernel/session/channel.ts";

const messages: FromSession[] = [
  { type: "ready", pid: 7 },
  { type: "stream", cell: "c", name: "stdout", text: "Grüße, 世界\n" },
  { type: "clear", cell: "c", wait: true },
  {
    type: "comm",
    cell: null,
    action: "message",
    comm: "7",
    data: { ü: 1 },
    metadata: {},
    buffers: [new Uint8Array([0, 255, 10]), new Uint8Array(0), new Uint8Array(300).fill(9)],
  },
  { type: "comm", cell: "c", action: "close", comm: "7", data: {}, metadata: {}, buffers: [] },
  { type: "clear", cell: "c", wait: false },
];
const bytes = Buffer.concat(messages.map(encodeFrame));

describe("frames", () => {
  it.each([1, 2, 3, 5, 64, 1000])("survive a pipe that delivers %i bytes at a time", (size) => {
    const decoder = new FrameDecoder<FromSession>();
    const received: FromSession[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      received.push(...decoder.push(bytes.subarray(start, start + size)));
    }
    expect(received).toEqual(messages);
  });

  it("carry 50 MB in pieces of 64 KiB", () => {
    const text = "x".repeat(50_000_000);
    const frame = encodeFrame({ type: "stream", cell: "c", name: "stdout", text });
    const decoder = new FrameDecoder<FromSession>();
    const received: FromSession[] = [];
    for (let start = 0; start < frame.length; start += 65_536) {
      received.push(...decoder.push(frame.subarray(start, start + 65_536)));
    }
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ text });
  });
});
