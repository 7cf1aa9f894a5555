// `%flush`: switches the flushing of epoch loops on or off.
import type { KernelHandler } from "./handler.ts";

export const flush: KernelHandler<"flush"> = ({ text }, { switches }) =>
  text === ""
    ? { printed: `%flush is ${switches.flush ? "on" : "off"}\n` }
    : { switches: { flush: text === "on" } };
