// `%lsmagic`: lists the magics.
import { columns, usageOf } from "../../lib/magics/usage.ts";
import { GRAMMARS } from "../../lib/magics/grammars.ts";
import type { KernelHandler } from "./handler.ts";

export const lsmagic: KernelHandler<"lsmagic"> = () => {
  const rows = [...GRAMMARS.values()].map((magic): [string, string] => {
    const forms = usageOf(magic).map((usage) => usage.split(" ")[0]);
    return [forms.join(" "), magic.summary];
  });
  return { printed: `${columns(rows).join("\n")}\n\nEach says more with a question mark, as %check?\n` };
};
