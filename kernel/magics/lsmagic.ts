// `%lsmagic`: which magics there are.
import { columns, usageOf } from "./help.ts";
import { kernelMagic } from "./magic.ts";

export const lsmagic = kernelMagic({
  name: "lsmagic",
  summary: "lists the magics",
  line: { kind: "none" },
  run: (_, { magics }) => {
    const rows = [...magics.values()].map((magic): [string, string] => {
      const forms = usageOf(magic).map((usage) => usage.split(" ")[0]);
      return [forms.join(" "), magic.summary];
    });
    return { printed: `${columns(rows).join("\n")}\n\nEach says more with a question mark, as %check?\n` };
  },
});
