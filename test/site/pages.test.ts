// Every guide and every notebook has a page, whoever adds one.
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readCatalogue } from "../../docs/site/pages/catalogue.ts";
import { lessonMarkdown } from "../../docs/site/pages/lesson.ts";
import type { SiteLinks } from "../../docs/site/pages/links.ts";
import { referencePages } from "../../docs/site/pages/reference.ts";
import { readNotebook } from "../../kernel/cli/notebook/file.ts";

const root = path.resolve(import.meta.dirname, "../..");
const catalogue = readCatalogue(root);
const guides = catalogue.guides.flatMap(({ pages }) => pages);
const notebooks = [...catalogue.lessons, ...catalogue.notebooks];

const files = (folder: string, ending: string) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);

describe("the catalogue", () => {
  it("has every guide", () => {
    const shown = [...guides, ...catalogue.contributing].map(({ source }) => source);
    expect(shown).toEqual(expect.arrayContaining(files("docs", ".md")));
  });

  it("has the guides in the groups of the README, each in one", () => {
    const grouped = catalogue.guides.map(({ title, pages }) => [title, pages.map(({ address }) => address)]);
    expect(grouped).toContainEqual([
      "Training",
      ["/guides/lab", "/guides/capture", "/guides/logbook", "/guides/debugger"],
    ]);
    expect(grouped.every(([, pages]) => pages!.length > 0)).toBe(true);
    expect(new Set(guides.map(({ source }) => source)).size).toBe(guides.length);
  });

  it("has every notebook, the numbered ones as lessons in their order", () => {
    expect(notebooks.map(({ source }) => source).toSorted()).toEqual(files("notebooks", ".ipynb").toSorted());
    const numbers = catalogue.lessons.map(({ source }) => Number(/\d+/.exec(source)?.[0]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it("begins with the guide that the README names first", () => {
    expect(guides[0]).toEqual({
      source: "docs/install.md",
      address: "/guides/install",
      title: "Install and check an installation",
    });
  });
});

describe("the page of", () => {
  it.each(notebooks)("$source shows every cell and every stored output", async ({ source }) => {
    const addresses = new Map([...notebooks, ...guides].map((page) => [page.source, page.address]));
    const links: SiteLinks = { root, base: "/", addresses, files: new Set() };
    const page = await lessonMarkdown(source, links);
    const { cells } = readNotebook(path.join(root, source));
    const programs = cells.flatMap((cell) =>
      cell.cell_type === "code" && cell.source.trim() !== "" ? [cell] : [],
    );
    for (const { source: code } of programs) expect(page).toContain(code.trimEnd());
    expect(page.match(/^<div class="output /gm) ?? []).toHaveLength(
      programs.reduce((count, { outputs }) => count + outputs.length, 0),
    );
    expect(links.files).toContain(source);
  });
});

it("the code of a quiz is folded away, because it holds the answers", async () => {
  const links: SiteLinks = { root, base: "/", addresses: new Map(), files: new Set() };
  const page = await lessonMarkdown("notebooks/04-honest-timing.ipynb", links);
  const [before, quiz] = page.split("<details><summary>The code of this cell, with the answers</summary>");
  expect(before).not.toContain("lab.quiz(");
  expect(quiz).toMatch(/^\s+<div class="cell"[^>]*>\s+```ts\nlab\.quiz\([^]*?```\s+<\/div>\s+<\/details>/);
});

it("the overview of the API has a page for each namespace, and links each name to its own", () => {
  const linear = "x W^T + b over the last dimension: [..., inFeatures] -> [..., outFeatures].";
  const pages = referencePages(
    [
      { namespace: "", name: "nn", kind: "namespace", summary: "", url: "modules/nn.html" },
      { namespace: "", name: "Slider", kind: "class", summary: "A <b> | b.", url: "classes/Slider.html" },
      { namespace: "nn", name: "Linear", kind: "class", summary: linear, url: "classes/nn.Linear.html" },
    ],
    "/",
  );
  expect(pages.map(({ address }) => address)).toEqual(["/reference/index", "/reference/nn"]);
  expect(pages[0]!.markdown).toContain("| [nn](/reference/nn) | 1 |");
  expect(pages[0]!.markdown).toContain(
    '- <a href="/api/classes/Slider.html" target="_self">`Slider`</a> A &lt;b> | b.',
  );
  expect(pages[1]!.markdown).toBe(
    `# nn\n\n## Classes\n\n- <a href="/api/classes/nn.Linear.html" target="_self">\`Linear\`</a> ${linear}`,
  );
});
