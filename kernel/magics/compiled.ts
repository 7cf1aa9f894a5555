// `%compiled`: the cell as it would run.
import { kernelMagic } from "./magic.ts";

export const compiled = kernelMagic({
  name: "compiled",
  summary: "shows the JavaScript that this cell would run as, and does not run it",
  line: { kind: "none" },
  run: () => ({ showsCompiled: true }),
});
