// Files of Parquet and Arrow: what the guide of tables says of the packages that read and write them, run as it stands there.
import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Notebook } from "../kernel/session/notebook.ts";

const guide = readFileSync(path.join(import.meta.dirname, "../../docs/tables.md"), "utf8");
const cells = [...guide.matchAll(/```typescript\n(.*?)```/gs)].map(([, text]) => text!);
const cellWith = (name: string): string => cells.find((text) => text.includes(name))!;

let notebook: Notebook;
beforeAll(async () => {
  notebook = new Notebook();
  const installed = path.join(process.env["MPSLAB_PACKAGES_OF_NPM"]!, "node_modules");
  symlinkSync(installed, path.join(notebook.directory, "node_modules"));
  await run(`import { data } from "mpslab";
    const flats = data.readCsv("area,district,when\\n30.5,north,2024-01-02\\n,,\\n60,south,2024-02-01T10:00:00Z\\n");`);
});
afterAll(() => notebook.close());

async function run(cell: string): Promise<string | undefined> {
  const { text, done } = await notebook.run(cell);
  expect(done.error?.traceback.join("\n")).toBeUndefined();
  return text as string | undefined;
}

it.each(["hyparquet", "apache-arrow"])("%s gives back the table that was written", async (name) => {
  await run(cellWith(`from "${name}"`));
  expect(
    await run("require('node:assert').deepStrictEqual(again.records(), flats.records()); again.length"),
  ).toBe("3");
});
