// `%check`: what a type error does to its cell.
import type { CheckMode } from "./kernel_side.ts";
import { kernelMagic } from "./magic.ts";

export const check = kernelMagic({
  name: "check",
  summary: "what a type error does to its cell, from this one on; without an argument, what it does now",
  details:
    "error: the cell does not run. warn: the error is printed and the cell runs. off: types are not checked.",
  line: { kind: "word", words: ["error", "warn", "off"] },
  run: ({ text }, { switches }) =>
    text === "" ? { printed: `%check is ${switches.check}\n` } : { switches: { check: text as CheckMode } },
});
