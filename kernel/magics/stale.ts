// `%stale`: lists the cells that used a value which was redefined since, and says whether they are marked.
import type { KernelHandler } from "./handler.ts";

export const stale: KernelHandler<"stale"> = ({ text }, { staleList }) =>
  text === "" ? { printed: staleList() } : { switches: { stale: text === "on" } };
