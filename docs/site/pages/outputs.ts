// Turns an output that a notebook holds into Markdown for the site: the richest of its forms that a page without scripts
// can show.
import { parseHTML } from "linkedom";
import { VEGA_LITE_MIME } from "../../../lib/charts/chart_style.ts";
import { renderSvg } from "../../../lib/charts/render.ts";
import type { DisplayOutput, MimeBundle, Output } from "../../../kernel/cli/notebook/format.ts";
import { escapeHtml } from "../../../lib/views/html.ts";

const VEGA_MIME = "application/vnd.vega.v5+json";

/** Shows what one type of a bundle holds; null where a page cannot. */
type Show = (content: string, bundle: MimeBundle) => string | null | Promise<string | null>;

/** By type, the richest first. */
const SHOW: Readonly<Record<string, Show>> = {
  [VEGA_LITE_MIME]: (_, bundle) => chart(bundle, VEGA_LITE_MIME),
  [VEGA_MIME]: (_, bundle) => chart(bundle, VEGA_MIME),
  "text/html": html,
  "text/markdown": (content) => box("markdown", content),
  "image/svg+xml": (content, bundle) => picture(content, bundle),
  "image/png": (content, bundle) => image("image/png", content, bundle),
  "image/jpeg": (content, bundle) => image("image/jpeg", content, bundle),
  "application/vnd.jupyter.widget-view+json": (_, bundle) => widget(bundle),
  "text/plain": (content) => box("text", fenced(content, "ansi")),
};

export function outputMarkdown(output: Output): string | Promise<string> {
  switch (output.output_type) {
    case "stream":
      return box(output.name === "stderr" ? "text error" : "text", fenced(output.text, "ansi"));
    case "error":
      return box("text error", fenced(output.traceback.join("\n"), "ansi"));
    default:
      return displayMarkdown(output);
  }
}

async function displayMarkdown({ data }: DisplayOutput): Promise<string> {
  for (const [type, show] of Object.entries(SHOW)) {
    if (!(type in data)) continue;
    const shown = await show(String(data[type]), data);
    if (shown !== null) return shown;
  }
  throw new Error(`An output has no form that a page can show, only ${Object.keys(data).join(", ")}.`);
}

/** The first chart among outputs; null for none. */
export async function firstChart(outputs: readonly Output[]): Promise<string | null> {
  const chart = outputs.find((output) => "data" in output && VEGA_LITE_MIME in output.data);
  return chart === undefined ? null : await outputMarkdown(chart);
}

/** A block of code, whatever fences its text holds. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function box(kind: string, markdown: string): string {
  return `<div class="output ${kind}">\n\n${markdown}\n\n</div>`;
}

/** Charts take the text's colour, so that one picture follows the light and the dark theme. */
async function chart(bundle: MimeBundle, type: string): Promise<string> {
  return picture(await renderSvg(bundle[type]), bundle);
}

function picture(svg: string, bundle: MimeBundle): string {
  return asItIs("figure", `role="img" aria-label="${summary(bundle)}"`, svg);
}

function image(type: string, base64: string, bundle: MimeBundle): string {
  const address = `data:${type};base64,${base64.replaceAll(/\s/g, "")}`;
  return asItIs("image", "", `<img src="${address}" alt="${summary(bundle)}">`);
}

/** The text of a picture for those who cannot see it. */
function summary(bundle: MimeBundle): string {
  return escapeHtml(String(bundle["text/plain"] ?? "")).replaceAll("\n", "&#10;");
}

/** Elements that would act on the page, or need a script. */
const ACTIVE = "script, style, link, iframe, object, embed, form";

function html(content: string): string | null {
  const { document } = parseHTML(`<!doctype html><html><body>${content}</body></html>`);
  if (document.querySelector(ACTIVE)) return null;
  return asItIs("html", "", document.body.innerHTML);
}

function widget(bundle: MimeBundle): string {
  const note = `<p class="note">A widget: it answers in JupyterLab.</p>`;
  return box("text widget", `${note}\n\n${fenced(String(bundle["text/plain"] ?? ""), "ansi")}`);
}

/** HTML that neither Markdown nor Vue reads. Markdown ends a block of HTML at an empty line. */
function asItIs(kind: string, attributes: string, content: string): string {
  const block = content.replaceAll(/\n(?=[ \t]*\n)/g, "&#10;");
  return `<div class="output ${kind} vp-raw" v-pre ${attributes}>${block}</div>`;
}
