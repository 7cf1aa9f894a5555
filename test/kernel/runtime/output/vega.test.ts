// Vega and Vega-Lite specifications as values of cells, and elements of DOMs: how they show themselves, and what they are
// told from.
import { symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Notebook } from "../../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

const LITE = "application/vnd.vegalite.v5+json";
const schema = (language: string, version: number) =>
  `"$schema": "https://vega.github.io/schema/${language}/v${version}.json"`;
const BARS = `"mark": "bar", "data": { "values": [{ "k": "a", "n": 1 }] }, "encoding": { "x": { "field": "k" }, "y": { "field": "n", "type": "quantitative" } }`;

/** The bundle and the metadata of the cell's result. */
async function resultOf(code: string) {
  const { done } = await notebook.run(code);
  expect(done.error).toBeUndefined();
  const result = notebook.messages.findLast((message) => message.type === "result");
  return result as unknown as { data: Record<string, unknown>; metadata: Record<string, unknown> };
}

describe("a Vega-Lite specification", () => {
  it("draws itself as the value of a cell, with a picture at half its pixels", async () => {
    const { data, metadata } = await resultOf(`({ ${schema("vega-lite", 5)}, "title": "Counts", ${BARS} })`);
    expect(Object.keys(data)).toEqual([LITE, "image/png", "text/plain"]);
    expect(data[LITE]).toMatchObject({ title: "Counts", mark: "bar" });
    expect(data["text/plain"]).toBe("Vega-Lite chart: Counts; bar of k, n; 1 row.");
    const { width } = metadata["image/png"] as { width: number };
    expect(Buffer.from(data["image/png"] as string, "base64").readUint32BE(16)).toBe(2 * width);
  });

  it("draws itself through display(), and without $schema where its fields leave no doubt", async () => {
    const { displays } = await notebook.run(`display({ ${BARS} });`);
    expect(displays.map(({ data }) => Object.keys(data))).toEqual([[LITE, "image/png", "text/plain"]]);
    expect(displays[0]!.metadata).toHaveProperty("image/png");
  });

  it("of version 6 is drawn as version 5, which is what JupyterLab draws", async () => {
    const { data } = await resultOf(`({ ${schema("vega-lite", 6)}, ${BARS} })`);
    expect(data[LITE]).toMatchObject({ $schema: "https://vega.github.io/schema/vega-lite/v5.json" });
  });

  it("is drawn as a plot that was spread is, with its changes", async () => {
    const { data } = await resultOf(
      'import { lab } from "mpslab";\n({ ...lab.plot([1, 2]), title: "mine", width: 200 })',
    );
    expect(data[LITE]).toMatchObject({ title: "mine", width: 200, background: "transparent" });
    expect(data["text/plain"]).toBe("Vega-Lite chart: mine; 2 rows.");
  });

  it.each([
    [
      "a mark that is none",
      `({ ${schema("vega-lite", 5)}, "mark": "bars", "encoding": {} })`,
      /cannot be drawn: mark must be .*got "bars"\.$/,
    ],
    [
      "a version that version 5 cannot stand for",
      `({ ${schema("vega-lite", 6)}, "mark": { "type": "ring" }, "encoding": {} })`,
      /cannot be drawn: mark\.type must be one of .*"arc".*, got "ring"\. It says that it is of version 6, and is drawn as version 5\.$/,
    ],
    [
      "a function in it",
      `({ ${BARS}, "params": [() => 1] })`,
      /^The Vega-Lite specification: specification\.params\[0\] is a function, which JSON cannot hold/,
    ],
  ])("with %s is an error that names the place", async (_, code, message) => {
    const { done } = await notebook.run(code);
    expect(done.error?.ename).toBe("TypeError");
    expect(done.error?.evalue).toMatch(message);
  });

  it("that display() cannot draw is an error of its cell, after what the cell printed", async () => {
    const { done, stdout } = await notebook.run(
      `display({ ${BARS.replace("quantitative", "number")} });\nconsole.log("went on");`,
    );
    expect(stdout).toBe("went on\n");
    expect(done.error?.evalue).toBe(
      'The Vega-Lite specification cannot be drawn: encoding.y.type must be one of "quantitative", "ordinal", "temporal", "nominal", "geojson", got "number".',
    );
  });

  it("in Vega's own language has Vega's type", async () => {
    const { data } = await resultOf(
      `({ ${schema("vega", 5)}, "width": 20, "height": 20, "marks": [{ "type": "rect", "encode": { "enter": { "width": { "value": 9 }, "height": { "value": 9 }, "fill": { "value": "red" } } } }] })`,
    );
    expect(Object.keys(data)).toEqual(["application/vnd.vega.v5+json", "image/png", "text/plain"]);
  });

  it.each([
    ["data of another schema", '({ $schema: "https://json-schema.org/draft-07/schema", type: "object" })'],
    ["a mark without an encoding", '({ mark: "bar", name: "pub" })'],
    ["layers of a network", "({ data: {}, layer: [{ size: 3 }] })"],
    ["what contains itself", "const loop: any = { data: {}, layer: [] }; loop.layer.push(loop); loop"],
  ])("is not taken for one: %s", async (_, code) => {
    const { data } = await resultOf(code);
    expect(Object.keys(data)).toEqual(["text/plain"]);
  });
});

describe("an element", () => {
  beforeAll(async () => {
    symlinkSync(path.resolve("node_modules"), path.join(notebook.directory, "node_modules"));
    const { done } = await notebook.run(`
      import * as Plot from "@observablehq/plot";
      import { parseHTML } from "linkedom";
      const { document } = parseHTML("<html></html>");`);
    expect(done.error).toBeUndefined();
  });

  it("of Observable Plot shows as HTML in the theme's colour, and as a picture", async () => {
    const { data } = await resultOf("Plot.lineY([1, 3, 2]).plot({ document, ariaLabel: 'three values' })");
    expect(Object.keys(data)).toEqual(["text/html", "image/svg+xml", "text/plain"]);
    expect(data["text/html"]).toMatch(/^<svg .*currentColor/s);
    expect(data["image/svg+xml"]).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(data["image/svg+xml"]).not.toContain("&nbsp;");
    expect(data["text/plain"]).toMatch(/^<svg> 640 × 400: three values/);
  });

  it("that is hypertext shows as HTML, with its text for who reads", async () => {
    const { data } = await resultOf(`
      const box = document.createElement("div");
      box.innerHTML = "<b>loss</b> &amp; <i>accuracy</i>";
      box`);
    expect(data).toEqual({
      "text/html": "<div><b>loss</b> &amp; <i>accuracy</i></div>",
      "text/plain": "<div>: loss & accuracy",
    });
  });

  it("is drawn by display() too, and an object that merely has the field is not", async () => {
    const { displays } = await notebook.run(`
      display(document.createElement("hr"));
      display({ outerHTML: "<b>data</b>" });`);
    expect(displays.map(({ data }) => Object.keys(data).join())).toEqual([
      "text/html,text/plain",
      "text/plain",
    ]);
  });
});
