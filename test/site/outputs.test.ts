// What a notebook has stored of a cell is shown on the site in its richest form, in the colours of the theme.
import { describe, expect, it } from "vitest";
import { fenced, outputMarkdown } from "../../docs/site/pages/outputs.ts";

const displayed = (data: Record<string, unknown>) =>
  Promise.resolve(outputMarkdown({ output_type: "display_data", data, metadata: {} }));

describe("an output", () => {
  it("of text keeps its colours", () => {
    const text = "[ \u001b[33m32\u001b[39m ]\n";
    expect(outputMarkdown({ output_type: "stream", name: "stdout", text })).toBe(
      '<div class="output text">\n\n```ansi\n[ \u001b[33m32\u001b[39m ]\n```\n\n</div>',
    );
  });

  it("on stderr is marked", () => {
    expect(outputMarkdown({ output_type: "stream", name: "stderr", text: "careful" })).toContain(
      '<div class="output text error">',
    );
  });

  it("of an error shows the error's message and place", () => {
    const traceback = ["\u001b[1;31mTypeCheckError\u001b[0m: no", "    at Cell [4]:1:16"];
    const shown = outputMarkdown({ output_type: "error", ename: "TypeCheckError", evalue: "no", traceback });
    expect(shown).toContain("TypeCheckError\u001b[0m: no\n    at Cell [4]:1:16\n");
  });

  it("of HTML goes around Markdown and Vue, empty lines too", async () => {
    const shown = await displayed({ "text/html": "<pre>a\n\n{{ b }}</pre><br>", "text/plain": "a" });
    expect(shown).toBe('<div class="output html vp-raw" v-pre ><pre>a&#10;\n{{ b }}</pre><br></div>');
  });

  it("of HTML with a script shows its text", async () => {
    const shown = await displayed({ "text/html": "<script>alert(1)</script>", "text/plain": "a table" });
    expect(shown).toContain("```ansi\na table\n```");
  });

  it("of a widget shows its text, and says that it answers in JupyterLab", async () => {
    const shown = await displayed({
      "application/vnd.jupyter.widget-view+json": { model_id: "1" },
      "text/plain": "Quiz: Honest timing",
    });
    expect(shown).toMatch(/A widget: it answers in JupyterLab[^]*Quiz: Honest timing/);
  });

  it("of a chart is a drawing in the text's colour, with its summary for those who cannot see it", async () => {
    const shown = await displayed({
      "application/vnd.vegalite.v5+json": {
        $schema: "https://vega.github.io/schema/vega-lite/v5.json",
        background: "transparent",
        data: { values: [{ x: 1 }] },
        mark: "point",
        encoding: { x: { field: "x", type: "quantitative" } },
        config: { axis: { labelColor: "currentColor" } },
      },
      "image/png": "aGk=",
      "text/plain": "one point at 1",
    });
    expect(shown).toMatch(
      /^<div class="output figure vp-raw" v-pre role="img" aria-label="one point at 1"><svg /,
    );
    expect(shown).toContain('fill="currentColor"');
    expect(shown).not.toContain("\n\n");
  });

  it("of a picture alone is that picture", async () => {
    expect(await displayed({ "image/png": "aG\nk=", "text/plain": "8 images" })).toContain(
      '<img src="data:image/png;base64,aGk=" alt="8 images">',
    );
  });

  it("without a form that a page can show is an error", async () => {
    await expect(displayed({ "application/x-own": "1" })).rejects.toThrow(
      "An output has no form that a page can show, only application/x-own.",
    );
  });
});

it("a block of code has longer fences than its text", () => {
  expect(fenced("````md\n```", "text")).toBe("`````text\n````md\n```\n`````");
});
