// `%snapshot`: saves variables beside the notebook.
import type { SessionHandler } from "./handler.ts";

export const snapshot: SessionHandler<"snapshot"> = async ({ text }, { snapshots, print }) => {
  if (text === "auto" || text === "off") {
    await snapshots.setAutomatic(text === "auto");
    print(`Snapshots are taken ${text === "auto" ? "after cells and epochs" : "by %snapshot alone"}.\n`);
    return;
  }
  const names = text.split(/[\s,]+/).filter((name) => name !== "");
  print(await snapshots.save(names.length === 0 ? null : names));
};
