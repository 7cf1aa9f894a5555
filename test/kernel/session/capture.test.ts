// Native output between cells, cut into pieces in every way that a pipe may cut it.
import { describe, expect, it } from "vitest";
import { CapturedStream } from "../../../kernel/session/capture.ts";
import { fence } from "../../../kernel/session/channel.ts";

const TOKEN = "0123abcd";

function captured(): { stream: CapturedStream; text: () => string } {
  const pieces: string[] = [];
  return { stream: new CapturedStream(TOKEN, (piece) => pieces.push(piece)), text: () => pieces.join("") };
}

describe("a captured stream", () => {
  const whole = Buffer.from(`grüße ${fence(TOKEN, "cell-1")}später`, "utf8");

  it.each(Array.from({ length: whole.length - 1 }, (_, index) => index + 1))(
    "gives all text and no mark when cut after byte %i",
    async (cut) => {
      const { stream, text } = captured();
      stream.push(whole.subarray(0, cut));
      stream.push(whole.subarray(cut));
      await stream.passed("cell-1");
      expect(text()).toBe("grüße später");
    },
  );

  it("has given on everything before the mark when the mark has passed", async () => {
    const { stream, text } = captured();
    const passed = stream.passed("cell-1").then(text);
    stream.push(Buffer.from("one"));
    stream.push(Buffer.from(`two${fence(TOKEN, "cell-1")}three`));
    expect(await passed).toBe("onetwothree");
  });

  it("holds back nothing but what may be the beginning of a mark", () => {
    const { stream, text } = captured();
    stream.push(Buffer.from("a\0b"));
    expect(text()).toBe("a\0b");
    stream.push(Buffer.from("\x00012"));
    expect(text()).toBe("a\0b");
    stream.push(Buffer.from("x"));
    expect(text()).toBe("a\0b\x00012x");
  });

  it("is passed by every cell when it has ended", async () => {
    const { stream, text } = captured();
    const waiting = stream.passed("cell-1");
    stream.push(Buffer.from("last words"));
    stream.end();
    await waiting;
    await stream.passed("cell-2");
    expect(text()).toBe("last words");
  });
});
