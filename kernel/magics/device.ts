// `%device`: the device that the session works on.
import { sessionMagic } from "./magic.ts";

export const device = sessionMagic({
  name: "device",
  summary: "shows or chooses the device that the session works on",
  line: { kind: "word", words: ["cpu", "cuda", "mps"], others: true },
  async run({ text }, session) {
    const { chooseDevice, device: current } = await session.device();
    session.print(`${text === "" ? current() : chooseDevice(text)}\n`);
  },
});
