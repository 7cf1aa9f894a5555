// `%pdb`: whether the state at an error is kept for `%debug`.
import type { KernelHandler } from "./handler.ts";

export const pdb: KernelHandler<"pdb"> = ({ text }, { switches }) =>
  text === ""
    ? { printed: `%pdb is ${switches.pdb ? "on" : "off"}\n` }
    : { switches: { pdb: text === "on" } };
