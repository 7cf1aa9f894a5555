// tslab's notebooks run unchanged: its package's own display functions write to our session.
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

it("tslab.display shows every kind that tslab has", async () => {
  const { displays, done } = await notebook.run(`
    import * as tslab from "tslab";
    tslab.display.html("<b>h</b>"); tslab.display.markdown("**m**"); tslab.display.latex("$x$"); tslab.display.svg("<svg/>");
    tslab.display.javascript("1"); tslab.display.text("t"); tslab.display.png(new Uint8Array([137, 80, 78, 71]));
    tslab.display.raw("application/json", '{"a":1}');`);
  expect(done.error).toBeUndefined();
  expect(displays.map(({ data }) => data)).toEqual([
    { "text/html": "<b>h</b>" },
    { "text/markdown": "**m**" },
    { "text/latex": "$x$" },
    { "image/svg+xml": "<svg/>" },
    { "text/javascript": "1" },
    { "text/plain": "t" },
    { "image/png": "iVBORw==" },
    { "application/json": '{"a":1}' },
  ]);
});

it("tslab.newDisplay shows once and then updates", async () => {
  const { displays } = await notebook.run(
    'const live = tslab.newDisplay(); live.text("one"); live.text("two");',
  );
  expect(displays.map(({ update }) => update)).toEqual([false, true]);
  expect(displays[0]?.displayId).toBe(displays[1]?.displayId);
});

it("the functions are those of the installed package", async () => {
  const { version } = createRequire(import.meta.url)("tslab/package.json") as { version: string };
  expect((await notebook.run("tslab.versions.tslab")).text).toBe(`'${version}'`);
});
