// A plot: a plain Vega-Lite specification that shows itself, and that writes itself to a file. It is drawn from its
// fields as they are at that moment, so a change of a field changes the picture.
import path from "node:path";
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../display.ts";
import { checkText } from "../../torch/vocabulary/arguments.ts";
import { requireJson } from "../../json.ts";
import { writeWhole, writeWholeText } from "../../whole_file.ts";
import { type Specification, VEGA_LITE_MIME } from "../../charts/chart_style.ts";
import { checkedPicture } from "../../charts/picture.ts";
import { renderPng, renderSvg } from "../../charts/render.ts";

/** The fields that every plot has; others may be added, as Vega-Lite's documentation describes. */
export interface PlotFields {
  $schema: string;
  title: { text: string | readonly string[]; subtitle?: string | readonly string[] } | string;
  /** Pixels of the plot inside its axes. */
  width: number;
  height: number;
  data: { values: unknown };
  /** The layers of marks: lines, then their labels on top. */
  layer: Specification[];
  encoding: Record<string, Specification>;
  background: string;
  padding: number;
  usermeta: Specification;
  config: Specification;
  [field: string]: unknown;
}

export interface PlotMethods {
  /** PNG with two pixels for each pixel of the chart. */
  toPng(): Promise<Uint8Array>;
  /** SVG as text. */
  toSvg(): Promise<string>;
  /** Writes a file: `loss.png`, `loss.svg`, or the specification as `loss.json`. */
  save(file: string): Promise<void>;
}

export type Plot = PlotFields & PlotMethods;

const FORMATS = new Set([".png", ".svg", ".json"]);

/**
 * Gives a specification its methods. The methods are not enumerable: a spread or `JSON.stringify` takes only the
 * specification.
 *
 * @param finding what the chart shows, to be read after its title
 */
export function makePlot(fields: PlotFields, finding: string): Plot {
  const plot = fields as Plot;
  const own = {
    toPng: async () => (await renderPng(paper("plot.toPng", plot))).png,
    toSvg: async () => renderSvg(paper("plot.toSvg", plot)),
    save: (file: string) => save(plot, file),
    [DISPLAY]: () => bundleOf(plot, finding),
    [inspect.custom]: () => summaryOf(plot, finding),
  };
  return Object.defineProperties(
    plot,
    Object.fromEntries(Reflect.ownKeys(own).map((key) => [key, { value: own[key as keyof typeof own] }])),
  );
}

/** Line breaks in the title are meant for the picture only. */
function summaryOf({ title }: Partial<PlotFields>, finding: string): string {
  // A grid of plots has only their titles.
  if (title === undefined) return finding;
  const text = typeof title === "object" && title !== null ? title.text : title;
  const lead = [text].flat().join(" ");
  return finding === "" ? `${lead}.` : `${lead}: ${finding}`;
}

async function bundleOf(plot: Plot, finding: string): Promise<MimeBundle> {
  requireJson(plot, "plot");
  return checkedPicture(VEGA_LITE_MIME, { ...plot }, onPaper(plot), () => summaryOf(plot, finding));
}

function paper(call: string, plot: Plot): Specification {
  requireJson(plot, `${call}: the plot`);
  return onPaper(plot);
}

/** A picture is white, whatever lies behind it. */
function onPaper(plot: Specification): Specification {
  const ground = plot["background"] === "transparent" ? { background: "white", padding: 12 } : {};
  return { ...plot, ...ground };
}

async function save(plot: Plot, file: string): Promise<void> {
  const call = "plot.save";
  checkText(call, "file", file);
  const format = path.extname(file).toLowerCase();
  if (!FORMATS.has(format))
    throw new RangeError(`${call}: file must end in .png, .svg or .json, got ${JSON.stringify(file)}.`);
  requireJson(plot, "plot");
  if (format === ".json") return writeWholeText(call, file, `${JSON.stringify(plot, null, 2)}\n`);
  if (format === ".svg") return writeWholeText(call, file, await plot.toSvg());
  const png = await plot.toPng();
  writeWhole(call, file, (write) => write(png));
}
