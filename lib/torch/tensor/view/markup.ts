// Writes the parts of a tensor's view as HTML: a histogram as inline SVG, facts in a row, printed text.
import { COLOR, escapeHtml } from "../../../views/html.ts";

/** Said of a `pre` too: on the pages of nbconvert it would have the font of the text, and columns would not stand. */
const CODE_FONT = "var(--jp-code-font-family, monospace)";

/** `1234.5678` -> `1234.6`, `0.0000123456` -> `1.2346e-5`; whole numbers stay whole up to 15 digits. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return String(value);
  return size >= 1e-3 && size < 1e15 ? String(Number(value.toPrecision(5))) : value.toExponential(4);
}

/** `0.012345` -> `1.23%` */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`;
}

const BAR_WIDTH = 8;
const HEIGHT = 56;

/** Bars from `min` to `max`, which stand below it. */
export function histogramSvg(counts: readonly number[], min: number, max: number): string {
  const highest = Math.max(...counts);
  const width = counts.length * BAR_WIDTH;
  const bars = counts.map((count, at) => {
    // Every value that occurs stays visible.
    const height = count === 0 ? 0 : Math.max(1, (count / highest) * HEIGHT);
    return `<rect x="${at * BAR_WIDTH}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR_WIDTH - 1}" height="${height.toFixed(1)}"/>`;
  });
  const label = `Histogram from ${shortNumber(min)} to ${shortNumber(max)}`;
  const words = `y="${HEIGHT + 13}" font-size="11" fill="${COLOR.quiet}"`;
  return [
    `<svg role="img" aria-label="${label}" width="${width}" height="${HEIGHT + 18}" viewBox="0 0 ${width} ${HEIGHT + 18}" style="display:block;font-family:var(--jp-ui-font-family, sans-serif)">`,
    `<g fill="${COLOR.bar}">${bars.join("")}</g>`,
    `<line x1="0" x2="${width}" y1="${HEIGHT + 0.5}" y2="${HEIGHT + 0.5}" stroke="${COLOR.line}"/>`,
    `<text x="0" ${words}>${shortNumber(min)}</text>`,
    `<text x="${width}" text-anchor="end" ${words}>${shortNumber(max)}</text></svg>`,
  ].join("");
}

/** Names and values in one row, as `shape [2, 3] · float32`. */
export function factsHtml(facts: readonly (readonly [name: string, value: string])[]): string {
  const parts = facts.map(
    ([name, value]) =>
      `<span style="white-space:nowrap"><span style="color:${COLOR.quiet}">${escapeHtml(name)}</span> ${escapeHtml(value)}</span>`,
  );
  return `<div style="display:flex;flex-wrap:wrap;gap:2px 16px">${parts.join("")}</div>`;
}

export function preHtml(text: string): string {
  return `<pre style="margin:0;color:${COLOR.text};font-family:${CODE_FONT};overflow-x:auto">${escapeHtml(text)}</pre>`;
}
