// Writes an HTML page that needs no other file: it contains its styles, has no script, and is light or dark as the
// reader's system is.
import { escapeHtml } from "../../../lib/views/html.ts";
import { visible } from "../../../lib/visible.ts";

/**
 * Colours and widths of a page outside JupyterLab. Tables use the variables of JupyterLab's theme, so the page sets
 * these.
 */
const STYLE = `
@media screen { :root { color-scheme: light dark; } }
:root { --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --ground: #fff; --code: #f6f8fa; }
/* Paper is white, whatever the reader's theme. */
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --ground: #111418; --code: #1b2027; }
}
body {
  --jp-ui-font-color1: var(--text); --jp-ui-font-color2: var(--quiet); --jp-border-color2: var(--line);
  margin: 0 auto; padding: 24px 20px 60px; max-width: 860px; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif;
}
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 28px 0 4px; overflow-wrap: anywhere; }
a { color: inherit; text-underline-offset: 3px; } .error { border-left: 3px solid #d55e00; padding-left: 10px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 36px 0 10px; border-bottom: 1px solid var(--line); padding-bottom: 4px; }
p { margin: 6px 0; } .quiet { color: var(--quiet); }
figure { margin: 18px 0; } figure svg, figure img { max-width: 100%; height: auto; display: block; }
/* A page that is printed does not scroll. */
[role="region"] { max-height: none !important; overflow: visible !important; }
summary { cursor: pointer; margin: 10px 0; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 4px; padding: 8px 10px; overflow-x: auto;
  font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; margin: 4px 0 14px; }
.number { color: var(--quiet); font: 12px ui-monospace, Menlo, Consolas, monospace; }
@page { margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; } table { font-size: 11px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; } figure, tr, h3 { break-inside: avoid; } h2, h3 { break-after: avoid; }
  /* Folded sections are printed open: nobody can unfold them on paper. */
  details::details-content { content-visibility: visible; }
}
`;

/** Whatever a chart or a name holds, the page loads nothing and runs nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export interface Page {
  readonly title: string;
  /** A sentence below the title. */
  readonly lead: string;
  /** HTML below it, in order. */
  readonly sections: readonly string[];
  /** After so many seconds the browser reads the file again; 0 for a page that stays as it is. */
  readonly refreshSeconds?: number;
}

export function pageHtml({ title, lead, sections, refreshSeconds = 0 }: Page): string {
  const refresh = refreshSeconds > 0 ? `<meta http-equiv="refresh" content="${refreshSeconds}">\n` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
${refresh}<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p class="quiet">${escapeHtml(lead)}</p>
${sections.join("\n")}
</body>
</html>
`;
}

/** @param anchor the id that links lead to */
export function section(heading: string, html: readonly string[], anchor?: string): string {
  const id = anchor === undefined ? "" : ` id="${escapeHtml(anchor)}"`;
  return html.length === 0
    ? ""
    : `<section${id}>\n<h2>${escapeHtml(heading)}</h2>\n${html.join("\n")}\n</section>`;
}

let figures = 0;

/** @param summary what the picture shows, for those who cannot see it */
export function figure(svg: string, summary: string): string {
  return `<figure role="img" aria-label="${escapeHtml(summary)}">${withOwnIds(visible(withoutAddresses(svg)), `f${++figures}-`)}</figure>`;
}

/**
 * A colour may be the address of a file, which a browser would request. In style sheets a backslash may stand for any
 * letter, and functions other than `url` take addresses too.
 */
function withoutAddresses(svg: string): string {
  const isColour = (value: string): boolean =>
    !value.includes("\\") && !/(?<!^(?:rgb|hsl)a?)\((?!#)/i.test(value) && !/^(?!url\(#).*url/i.test(value);
  return svg.replaceAll(/<[^>]*>/g, (tag) =>
    tag.replaceAll(
      / (fill|stroke|style|filter|mask|cursor|clip-path|marker-\w+)="([^"]*)"/g,
      (whole, name, value) => (isColour(value as string) ? (whole as string) : ` ${name as string}="none"`),
    ),
  );
}

/**
 * Every SVG numbers its clip paths from 1, and an id refers to the first element of the page that has it: without a
 * prefix, this SVG would be clipped by the path of another one.
 */
function withOwnIds(svg: string, prefix: string): string {
  return svg.replaceAll(/<[^>]*>/g, (tag) => tag.replaceAll(/(\bid="|url\(#|href="#)/g, `$1${prefix}`));
}

/** @param png in base64 */
export function picture(png: string, summary: string): string {
  const text = escapeHtml(summary);
  return `<figure><img alt="${text}" src="data:image/png;base64,${escapeHtml(png)}"></figure>`;
}

export function errorParagraph(text: string): string {
  return `<p class="error">${escapeHtml(text)}</p>`;
}

export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

export function folded(summary: string, html: readonly string[]): string {
  return `<details>\n<summary>${escapeHtml(summary)}</summary>\n${html.join("\n")}\n</details>`;
}
