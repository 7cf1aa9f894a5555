// Cells beside what they run as: `test/cells/name.input.ts` and `name.expected.js`. `npx vitest run test/kernel/cell/golden
// --update` rewrites the latter; read the difference before it is committed.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { Evaluator } from "../../helpers/evaluator.ts";

const folder = path.join(import.meta.dirname, "../../cells");
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".input.ts"))
  .map((file) => file.slice(0, -".input.ts".length));

describe.each(names)("%s", (name) => {
  const text = readFileSync(path.join(folder, `${name}.input.ts`), "utf8");

  it("compiles to what is written down", async () => {
    const { code } = compile(text, NO_BINDINGS, { script: "1", flush: true });
    await expect(`${code}\n`).toMatchFileSnapshot(path.join(folder, `${name}.expected.js`));
  });

  it("runs, and runs again", async () => {
    const notebook = new Evaluator();
    try {
      const first = await notebook.run(text);
      expect(await notebook.run(text)).toEqual(first);
    } finally {
      notebook.close();
    }
  });
});
