// Fills the start page: what it says of mpslab comes from the README, whose cells are run and compared.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Catalogue, Page } from "./catalogue.ts";
import { siteLinks, type SiteLinks } from "./links.ts";
import { firstChart } from "./outputs.ts";
import { storedCells } from "./stored_notebook.ts";

const README = "README.md";
/** The first one stands beside the title. */
const PICTURE = /^!\[[^\]]*\]\(([^)]+)\)$/m;

/** Fills the places of `docs/site/index.md`. */
export async function homeMarkdown(catalogue: Catalogue, links: SiteLinks): Promise<string> {
  const template = readFileSync(path.join(links.root, "docs/site/index.md"), "utf8");
  const readme = readFileSync(path.join(links.root, README), "utf8");
  const [, picture = ""] = PICTURE.exec(readme) ?? [];
  const shown = (file: string) => siteLinks(`![](${file})`, README, links).match(/\/files\/[^)]*/g);
  const [light = "", dark = light] = shown(picture) ?? [];
  const lessons = await cards(catalogue.lessons, links);
  return template
    .replace("LIGHT_PICTURE", light)
    .replace("DARK_PICTURE", dark)
    .replaceAll(/^README: (.+)$/gm, (_, title: string) => siteLinks(sectionOf(readme, title), README, links))
    .replace("FIRST_LESSON", catalogue.lessons[0]?.address ?? "/lessons/")
    .replace(/^LESSONS$/m, () => lessons);
}

/** The page of all notebooks. */
export async function lessonsMarkdown({ lessons, notebooks }: Catalogue, links: SiteLinks): Promise<string> {
  return [
    "# Lessons",
    "Each lesson asks a question, lets you predict, and measures. `npm start` opens them in JupyterLab.",
    await cards(lessons, links),
    ...(notebooks.length > 0 ? ["## More notebooks", await cards(notebooks, links)] : []),
  ].join("\n\n");
}

/** The text below a heading up to the next; `introduction`: what stands before the first `##`, below the title. */
function sectionOf(readme: string, title: string): string {
  const [introduction = "", ...sections] = readme.split(/^## /m);
  if (title === "introduction")
    return introduction
      .replace(/^# .*\n/, "")
      .replace(PICTURE, "")
      .trim();
  const section = sections.find((text) => text.startsWith(`${title}\n`));
  if (section === undefined)
    throw new Error(`README.md has no section "${title}", which the start page shows.`);
  return section.slice(title.length).trim();
}

async function cards(pages: readonly Page[], links: SiteLinks): Promise<string> {
  const shown = await Promise.all(pages.map((page) => card(page, links)));
  return ['<div class="cards">', ...shown, "</div>"].join("\n\n");
}

/** A notebook's title, the first paragraph below it, and its first chart. */
async function card({ source, title }: Page, links: SiteLinks): Promise<string> {
  const cells = storedCells(links.root, source);
  const [, question = ""] = cells[0]!.source.split(/\n{2,}/);
  const chart = await firstChart(cells.flatMap((cell) => (cell.cell_type === "code" ? cell.outputs : [])));
  const heading = siteLinks(`**[${title}](${source})**`, README, links);
  const text = siteLinks(question, source, links);
  return ['<div class="card">', ...(chart === null ? [] : [chart]), heading, text, "</div>"].join("\n\n");
}
