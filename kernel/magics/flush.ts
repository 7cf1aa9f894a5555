// `%flush`: whether epoch loops flush.
import { kernelMagic } from "./magic.ts";

export const flush = kernelMagic({
  name: "flush",
  summary: "whether epoch loops flush, from this cell on; without an argument, whether they do now",
  details: "Under off they are still measured, and nothing is collected or emptied.",
  line: { kind: "word", words: ["on", "off"] },
  run: ({ text }, { switches }) =>
    text === ""
      ? { printed: `%flush is ${switches.flush ? "on" : "off"}\n` }
      : { switches: { flush: text === "on" } },
});
