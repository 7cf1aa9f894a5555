// `%check`: sets what a type error does to its cell.
import type { CheckMode } from "./kernel_side.ts";
import type { KernelHandler } from "./handler.ts";

export const check: KernelHandler<"check"> = ({ text }, { switches }) =>
  text === ""
    ? { printed: `%check is ${switches.check}\n` }
    : { switches: { check: text === "on" ? "error" : (text as CheckMode) } };
