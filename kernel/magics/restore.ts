// `%restore`: brings variables back from the notebook's snapshot. `kernel/snapshot/restored_cell.ts` turns its line
// into a declaration before magics are read. This handler only runs for a line that was not recognized there.
import { MagicError, type KernelHandler } from "./handler.ts";

export const restore: KernelHandler<"restore"> = () => {
  throw new MagicError("%restore stands at the beginning of its line, without a space before it.");
};
