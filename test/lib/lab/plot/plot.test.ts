// What every plot is: a plain specification that can be changed, spread and saved, and that shows itself.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { metadataOf, type MimeBundle } from "../../../../lib/display.ts";
import { lab } from "../../../../lib/index.ts";

const DISPLAY = Symbol.for("Jupyter.display");
const VEGA_LITE = "application/vnd.vegalite.v5+json";
const shown = (chart: object) => (chart as { [DISPLAY](): Promise<MimeBundle> })[DISPLAY]();
const sizeOf = (png: Uint8Array) => {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
};

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-plot-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a plot", () => {
  it("has the specification's fields alone: JSON and a spread take no method with them", () => {
    const chart = lab.plot([1, 2]);
    const fields = "$schema title width height background padding usermeta config data encoding layer";
    expect(Object.keys(chart).join(" ")).toBe(fields);
    expect(JSON.parse(JSON.stringify(chart))).toEqual({ ...chart });
  });

  it("shows its specification, its picture of twice the pixels, and one line", async () => {
    const chart = lab.plot([1, 2], { title: "Losses" });
    const bundle = await shown(chart);
    expect(Object.keys(bundle)).toEqual([VEGA_LITE, "image/png", "text/plain"]);
    expect(bundle[VEGA_LITE]).toEqual({ ...chart });
    expect(bundle["text/plain"]).toBe(
      "Losses: 1 to 2 over 2 values, lowest 1 at index 0, highest 2 at index 1.",
    );
    const [width, height] = sizeOf(Buffer.from(bundle["image/png"] as string, "base64"));
    expect(metadataOf(bundle)).toEqual({
      "image/png": { width: Math.round(width! / 2), height: Math.round(height! / 2) },
    });
    expect(width! / 2).toBeLessThanOrEqual(640);
  });

  it("draws its fields as they are now: a change changes the picture and the text", async () => {
    const chart = lab.plot([1, 2]);
    const before = sizeOf(await chart.toPng());
    chart.height += 100;
    chart.title = "changed";
    const after = sizeOf(await chart.toPng());
    expect(after[0]).toBe(before[0]);
    expect(after[1]! - before[1]!).toBeGreaterThan(100);
    expect(await chart.toSvg()).toContain(">changed<");
    expect((await shown(chart))["text/plain"]).toMatch(/^changed: /);
  });

  it("that was changed into what Vega-Lite cannot draw says the place", async () => {
    const chart = lab.plot([1, 2]);
    (chart.layer[0] as Record<string, unknown>)["mark"] = "lines";
    const place = /^the chart could not be drawn: layer\[0\]\.mark must be one of .*"line".*, got "lines"$/;
    await expect(shown(chart)).rejects.toThrow(place);
    await expect(chart.toPng()).rejects.toThrow(place);
  });

  it("that was changed into what JSON cannot hold says the place", async () => {
    const chart = lab.plot([1, 2]);
    chart["params"] = [{ name: "a", value: () => 1 }];
    await expect(shown(chart)).rejects.toThrow("plot.params[0].value is a function, which JSON cannot hold");
  });

  it("writes itself as PNG, SVG and JSON", async () => {
    const chart = lab.plot([1, 2], { title: "Losses" });
    const file = (name: string) => path.join(folder, name);
    await Promise.all(["a.png", "a.svg", "a.json"].map((name) => chart.save(file(name))));
    expect(sizeOf(readFileSync(file("a.png")))).toEqual(sizeOf(await chart.toPng()));
    expect(readFileSync(file("a.svg"), "utf8")).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*>Losses</,
    );
    expect(JSON.parse(readFileSync(file("a.json"), "utf8"))).toEqual({ ...chart });
    await expect(chart.save(file("a.pdf"))).rejects.toThrow(
      /plot\.save: file must end in \.png, \.svg or \.json, got ".*a\.pdf"\./,
    );
    await expect(chart.save(file("none/a.png"))).rejects.toThrow("plot.save: there is no folder");
  });
});
