// Configures VitePress. `npm run docs` copies this folder to build/site/.vitepress, and writes sidebar.json beside it.
import { readFileSync } from "node:fs";
import { defineConfig, postcssIsolateStyles } from "vitepress";

interface Item {
  readonly text: string;
  readonly link: string;
}

interface Group {
  readonly text: string;
  readonly items: Item[];
}

type Kind = "lessons" | "notebooks" | "contributing" | "reference";

const groups = JSON.parse(readFileSync(new URL("sidebar.json", import.meta.url), "utf8")) as Record<
  Kind,
  Item[]
> & { readonly guides: Group[] };

const documents = [...groups.guides, { text: "Contributing", items: groups.contributing, collapsed: true }];

/**
 * The words of a text: a name of Python's is one of ours, `no_grad` is found as `noGrad`. Words that every page has are none:
 * the `a` of "save a model" begins thousands of others. The browser gets this function as text, so that it uses nothing from
 * around it.
 */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(?<=[\p{L}\d])_+(?=[\p{L}\d])/gu, "")
    .split(/[\n\r\p{Z}\p{P}]+/u)
    .filter(
      (word) => !/^(?:an?|and|at|by|do|does|for|how|i|in|is|it|my|of|on|or|that|the|to|with)?$/i.test(word),
    );
}

/** Where the site lies on its host: "/mpslab/" for a project's page. */
const base = (process.env["MPSLAB_DOCS_BASE"] ?? "/") as `/${string}/`;

/** Opened from the disk, a page finds neither its styles nor its search, because a browser loads no module from there. */
const FROM_DISK = `if (location.protocol === "file:") addEventListener("DOMContentLoaded", () => {
  const note = document.createElement("p");
  note.style = "margin: 0; padding: 12px 20px; background: #ffd166; color: #1f2328; font: 16px/1.5 system-ui, sans-serif";
  note.textContent = "These pages were opened from the disk, and their styles and their search need a server: run " +
    "python3 -m http.server --directory output/docs in the repository, and open http://localhost:8000${base}.";
  document.body.prepend(note);
});`;

export default defineConfig({
  title: "mpslab",
  description: "A Jupyter kernel for TypeScript with PyTorch tensors",
  lang: "en",
  head: [
    ["link", { rel: "icon", href: `${base}api/assets/favicon.svg` }],
    ["script", {}, FROM_DISK],
  ],
  base,
  srcDir: "pages",
  outDir: "../../output/docs",
  cacheDir: "cache",
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    image: { lazyLoading: true },
    // Formulas between dollar signs, as JupyterLab shows them.
    math: true,
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: groups.guides[0]!.items[0]!.link, activeMatch: "/guides/" },
      { text: "Lessons", link: "/lessons/", activeMatch: "/lessons/" },
      { text: "API", link: "/reference/", activeMatch: "/reference/" },
    ],
    sidebar: {
      "/lessons/": [
        { text: "Lessons", items: groups.lessons },
        { text: "More notebooks", items: groups.notebooks },
      ],
      "/reference/": [{ text: "API", items: groups.reference }],
      "/": documents,
    },
    outline: [2, 3],
    externalLinkIcon: true,
    search: {
      provider: "local",
      options: {
        // A name of the API is found on its own page before the many pages that use it.
        miniSearch: {
          options: { tokenize: wordsOf },
          searchOptions: { boostDocument: (id: string) => (id.includes("/reference/") ? 2 : 1) },
        },
        // Words of a chart's axes and of stored pictures are nobody's search.
        _render: (source, env, md) =>
          md.render(source, env).replaceAll(/<div class="output (?:figure|image) [^]*?<\/div>/g, ""),
      },
    },
  },
  vite: {
    // What notebooks show as HTML has styles of its own.
    css: { postcss: { plugins: [postcssIsolateStyles({ includeFiles: [/vp-doc\.css/, /base\.css/] })] } },
    build: { chunkSizeWarningLimit: 4096 },
  },
});
