// `%restore`: brings variables back from the notebook's snapshot. Its line has become a declaration before magics are
// looked for (`kernel/snapshot/restored_cell.ts`); what is left for the table is its name and its help.
import { MagicError, type KernelHandler } from "./handler.ts";

export const restore: KernelHandler<"restore"> = () => {
  throw new MagicError("%restore stands at the beginning of its line, without a space before it.");
};
