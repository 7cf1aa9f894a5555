// Shows the sources of what is documented as pages of the site, a line an anchor, so that the site needs no other host.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codeToHtml } from "shiki";

/** Where the site lies on its host. */
export const BASE = process.env.MPSLAB_DOCS_BASE ?? "/";

/** What TypeScript's own files declare, such as `Error.message`, has no page. */
export function linkSources(project) {
  for (const reflection of Object.values(project.reflections)) {
    const ours = reflection.sources?.filter(({ fileName }) => fileName.startsWith("lib/"));
    for (const source of ours ?? []) source.url = `${BASE}source/${source.fileName}.html#L${source.line}`;
    if (ours?.length === 0) delete reflection.sources;
    else if (ours) reflection.sources = ours;
  }
}

/** A page for each file that declares something public, with an anchor `#L12` on each line. */
export async function writeSources(project, folder) {
  const sources = Object.values(project.reflections).flatMap((reflection) => reflection.sources ?? []);
  const files = new Map(sources.map(({ fileName, fullFileName }) => [fileName, fullFileName]));
  for (const [name, file] of files) {
    const page = path.join(folder, `${name}.html`);
    mkdirSync(path.dirname(page), { recursive: true });
    writeFileSync(page, await sourcePage(name, readFileSync(file, "utf8")));
  }
}

/** Beyond this, colours take seconds and megabytes: the generated declarations of operators. */
const COLOURED_LETTERS = 100_000;

async function sourcePage(name, text) {
  const code = await codeToHtml(text, {
    lang: text.length > COLOURED_LETTERS ? "text" : "ts",
    themes: { light: "github-light", dark: "github-dark" },
    defaultColor: false,
    transformers: [
      {
        line(node, line) {
          node.properties.id = `L${line}`;
        },
      },
    ],
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} | mpslab</title>
<link rel="icon" href="${BASE}api/assets/favicon.svg">
<style>
:root { color-scheme: light dark; counter-reset: line; }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { margin: 0; }
h1 { margin: 0; padding: 12px 16px; font: 600 16px system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: light-dark(#0b66a8, #6bb8f0); }
pre { margin: 0; padding: 8px 16px; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
.shiki span { color: light-dark(var(--shiki-light), var(--shiki-dark)); }
.line { counter-increment: line; }
.line::before { content: counter(line); display: inline-block; width: 3em; margin-right: 1em; text-align: right; opacity: 0.5; }
.line:target { background: light-dark(#fff3bf, #4d3f00); }
</style>
<script>
const kept = localStorage.getItem("vitepress-theme-appearance");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
</script>
</head>
<body>
<h1><a href="${BASE}reference/index.html">API</a> / ${name}</h1>
${code}
</body>
</html>
`;
}
