// Writes the pages that VitePress renders, and what its configuration needs to know of them, into the site's folder.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Page, readCatalogue } from "./catalogue.ts";
import { homeMarkdown, lessonsMarkdown } from "./home.ts";
import { lessonMarkdown } from "./lesson.ts";
import { FILES, siteLinks, type SiteLinks } from "./links.ts";
import { type PublicName, referencePages } from "./reference.ts";

const [root = ".", folder = "build/site"] = process.argv.slice(2).map((argument) => path.resolve(argument));

/** Where the site lies on its host. */
const base = process.env["MPSLAB_DOCS_BASE"] ?? "/";

function write(file: string, text: string): void {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${text.trimEnd()}\n`);
}

const writePage = (address: string, markdown: string) => write(`pages${address}.md`, markdown);

const catalogue = readCatalogue(root);
const notebooks = [...catalogue.lessons, ...catalogue.notebooks];
const documents = [...catalogue.guides.flatMap(({ pages }) => pages), ...catalogue.contributing];
const addresses = [...documents, ...notebooks].map(({ source, address }) => [source, address] as const);
const links: SiteLinks = {
  root,
  base,
  addresses: new Map([...addresses, ["README.md", "/"]]),
  files: new Set(),
};

for (const { source, address } of documents)
  writePage(address, siteLinks(readFileSync(path.join(root, source), "utf8"), source, links));
for (const { source, address } of notebooks) writePage(address, await lessonMarkdown(source, links));
writePage("/lessons/index", await lessonsMarkdown(catalogue, links));
writePage("/index", await homeMarkdown(catalogue, links));

const names = JSON.parse(readFileSync(path.join(folder, "names.json"), "utf8")) as PublicName[];
const reference = referencePages(names, base);
for (const { address, markdown } of reference) writePage(address, markdown);

for (const file of links.files)
  cpSync(path.join(root, file), path.join(folder, "pages/public", FILES, file), { recursive: true });

const items = (pages: readonly Pick<Page, "address" | "title">[]) =>
  pages.map(({ address, title }) => ({ text: title, link: address }));
write(
  ".vitepress/sidebar.json",
  JSON.stringify({
    guides: catalogue.guides.map(({ title, pages }) => ({ text: title, items: items(pages) })),
    lessons: items(catalogue.lessons),
    notebooks: items(catalogue.notebooks),
    contributing: items(catalogue.contributing),
    reference: items(reference),
  }),
);
