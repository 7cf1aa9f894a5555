// `%snapshot`: saves variables beside the notebook.
import { sessionMagic } from "./magic.ts";

export const snapshot = sessionMagic({
  name: "snapshot",
  summary: "saves variables to files beside the notebook, from which %restore brings them back",
  details:
    "Without names: every variable. Tensors go to a safetensors file, plain values (with Map, Set, Date, bigint and typed " +
    "arrays) to JSON, of modules and optimizers their state. An older snapshot is replaced.\n" +
    "auto: after cells and epochs, while the code goes on, at most every 5 s and for at most 5% of the time. off: no longer.",
  line: { kind: "text", placeholder: "auto | off | NAMES", optional: true, firstWords: ["auto", "off"] },
  async run({ text }, { snapshots, print }) {
    if (text === "auto" || text === "off") {
      await snapshots.setAutomatic(text === "auto");
      print(`Snapshots are taken ${text === "auto" ? "after cells and epochs" : "by %snapshot alone"}.\n`);
      return;
    }
    const names = text.split(/[\s,]+/).filter((name) => name !== "");
    print(await snapshots.save(names.length === 0 ? null : names));
  },
});
