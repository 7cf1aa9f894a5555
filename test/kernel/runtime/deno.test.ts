// Cells that were written for Deno's kernel: what `Deno.jupyter` shows, and what there is of Deno's other names.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

it("Deno.jupyter shows values, bundles, and templates of HTML, Markdown and SVG", async () => {
  const { displays } = await notebook.run(`
    const { display: show, html, md, svg } = Deno.jupyter;
    await show({ "text/html": "<b>raw</b>" }, { raw: true });
    await show(html\`<i>\${1 + 1}</i>\`); await show(md\`**\${"a"}**\`); await show(svg\`<svg/>\`);
    await show({ [Deno.jupyter.$display]: () => ({ "text/plain": "itself" }) });
    await Deno.jupyter.broadcast("display_data", { data: { "text/plain": "sent" }, metadata: {} });`);
  expect(displays.map(({ data }) => data)).toEqual([
    { "text/html": "<b>raw</b>" },
    { "text/html": "<i>2</i>" },
    { "text/markdown": "**a**" },
    { "image/svg+xml": "<svg/>" },
    { "text/plain": "itself" },
    { "text/plain": "sent" },
  ]);
});

it("other names say what Node has instead", async () => {
  expect((await notebook.run("Deno.cwd()")).done.error?.evalue).toBe(
    "A cell runs in Node, which has no Deno.cwd: Node has process.cwd().",
  );
});

it("nobody else sees a Deno, and a cell may declare one", async () => {
  expect((await notebook.run('[typeof Deno, "Deno" in globalThis]')).text).toBe("[ 'undefined', false ]");
  expect((await notebook.run("const Deno = { cwd: () => 1 }; Deno.cwd()")).text).toBe("1");
});
