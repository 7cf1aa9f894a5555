// Shows a tensor in a notebook, beside the text that PyTorch prints: its properties, statistics, and values, or
// pictures if it holds images. Decides what to show; `markup.ts` writes the HTML.
import type { Tensor } from "../../types/index.ts";
import { formatBytes } from "../../../units.ts";
import { shapeText } from "../../vocabulary/arguments.ts";
import { isComplexDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { formatTensor } from "../print/print.ts";
import { drawGrid, gridText, looksLikeImages } from "./images.ts";
import { COLOR, escapeHtml } from "../../../views/html.ts";
import { tableHtml } from "../../../views/table_html.ts";
import { factsHtml, histogramSvg, percent, preHtml, shortNumber } from "./markup.ts";
import { describeValues, type Statistics } from "./statistics.ts";
import { valuesTable } from "./values_table.ts";

/** Up to so many elements stand there as PyTorch prints them; more in a table with gaps. */
const MAX_PRINTED = 100;

/** The user did not ask for the picture, so it must neither take long nor fill the notebook. */
const MAX_PIXELS = 2 ** 17;

/** Null for what one line of text says as well: a lone value, a tensor without any, a disposed one. */
export function tensorHtml(tensor: Tensor): string | null {
  if (native.isDisposed(tensor) || native.numel(tensor) < 2) return null;
  const hasValues = tensor.layout === "strided" && !tensor.device.startsWith("meta");
  const statistics = hasValues ? describeValues(tensor) : null;
  const parts = [
    factsHtml([...facts(tensor), ...(statistics === null ? [] : valueFacts(tensor, statistics))]),
  ];
  if (statistics !== null && hasShape(tensor, statistics))
    parts.push(histogramSvg(statistics.histogram, statistics.min, statistics.max));
  if (statistics !== null && looksLikeImages(tensor, statistics)) parts.push(imagesHtml(tensor));
  else if (!hasValues || tensor.numel() <= MAX_PRINTED) parts.push(preHtml(formatTensor(tensor)));
  else {
    parts.push(tableHtml(valuesTable(tensor)));
  }
  return `<div style="display:flex;flex-direction:column;gap:6px;color:${COLOR.text};font-size:13px">${parts.join("")}</div>`;
}

/** A few values say more than a picture of how they are spread. */
const MIN_SPREAD = 16;

function hasShape(tensor: Tensor, { min, max, looked }: Statistics): boolean {
  return tensor.dtype !== "bool" && min < max && looked >= MIN_SPREAD;
}

function facts(tensor: Tensor): [string, string][] {
  const { device, dtype, layout, nbytes, shape } = tensor;
  const gradFunction = native.gradFnName(tensor);
  return [
    ["Tensor", shapeText(shape)],
    ["dtype", dtype],
    ["device", device],
    ...(layout === "strided"
      ? [["size", formatBytes(nbytes)] as [string, string]]
      : [["layout", layout] as [string, string]]),
    ...(gradFunction !== null
      ? [["gradFn", gradFunction] as [string, string]]
      : native.requiresGrad(tensor)
        ? [["requiresGrad", "true"] as [string, string]]
        : []),
  ];
}

function valueFacts(tensor: Tensor, statistics: Statistics): [string, string][] {
  const { looked, min, max, mean, std, nan, infinite, zero } = statistics;
  const count = tensor.numel();
  const found: [string, string][] = [];
  if (looked < count)
    found.push(["sampled", `${looked.toLocaleString("en")} of ${count.toLocaleString("en")} elements`]);
  if (tensor.dtype === "bool") return [...found, ["true", percent(mean)]];
  if (nan + infinite < looked) {
    found.push([
      isComplexDType(tensor.dtype) ? "magnitude" : "range",
      `${shortNumber(min)} to ${shortNumber(max)}`,
    ]);
    found.push(["mean", shortNumber(mean)]);
    if (Number.isFinite(std)) found.push(["std", shortNumber(std)]);
  }
  if (zero > 0) found.push(["zeros", percent(zero / looked)]);
  if (nan > 0) found.push(["NaN", nan.toLocaleString("en")]);
  if (infinite > 0) found.push(["inf", infinite.toLocaleString("en")]);
  return found;
}

function imagesHtml(tensor: Tensor): string {
  const grid = drawGrid(tensor, {}, MAX_PIXELS);
  const source = `data:image/png;base64,${Buffer.from(grid.png).toString("base64")}`;
  const words = gridText(grid);
  return `<div><img src="${source}" alt="${escapeHtml(words)}" width="${grid.width}" height="${grid.height}" style="max-width:100%;height:auto"><div style="color:${COLOR.quiet}">${escapeHtml(words)}</div></div>`;
}
