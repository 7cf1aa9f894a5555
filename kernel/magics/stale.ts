// `%stale`: lists the cells that used a value which was redefined since, and says whether they are marked.
import { staleList } from "../staleness/stale_text.ts";
import type { KernelHandler } from "./handler.ts";

export const stale: KernelHandler<"stale"> = ({ text }, { staleCells }) =>
  text === "" ? { printed: staleList(staleCells()) } : { switches: { stale: text === "on" } };
