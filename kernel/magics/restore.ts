// `%restore`: brings variables back from the notebook's snapshot. Its line has become a declaration before magics are
// looked for (`kernel/snapshot/restored_cell.ts`); what is left for the table is its name and its help.
import { kernelMagic, MagicError } from "./magic.ts";

export const restore = kernelMagic({
  name: "restore",
  summary: "brings variables back from the snapshot beside the notebook, with their types",
  details:
    "Without names: everything. The state of a module or an optimizer is loaded into the one of that name: run the cell " +
    "that makes it first. A damaged snapshot is refused whole.",
  line: { kind: "text", placeholder: "NAMES", optional: true },
  run: () => {
    throw new MagicError("%restore stands at the beginning of its line, without a space before it.");
  },
});
