// Lists the pages of the site: the file of the repository that each shows, its address and its title. New guides and new
// notebooks are found by themselves.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { storedCells } from "./stored_notebook.ts";

export interface Page {
  /** Path from the repository's root: `docs/cells.md`. */
  readonly source: string;
  /** Where the site has it, without an ending: `/guides/cells`. */
  readonly address: string;
  readonly title: string;
}

/** Guides under a title of the README's list: `- **Training**: [measure it](docs/lab.md), ...`. */
export interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
}

export interface Catalogue {
  /** `docs/*.md`, in the order and the groups of the README. */
  readonly guides: readonly Group[];
  /** The numbered notebooks, in their order. */
  readonly lessons: readonly Page[];
  /** The other notebooks. */
  readonly notebooks: readonly Page[];
  /** For those who work on mpslab itself. */
  readonly contributing: readonly Page[];
}

/** Guides of how it works inside stand with the other pages for contributors. */
const INTERNALS = "docs/internals.md";

export function readCatalogue(root: string): Catalogue {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const files = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
  const groups = groupsOf(readme).map(({ title, text }): Group => {
    const place = (name: string) => text.indexOf(`(docs/${name})`);
    const names = files.filter((name) => place(name) >= 0).toSorted((a, b) => place(a) - place(b));
    return { title, pages: names.map((name) => guidePage(root, name)) };
  });
  const listed = new Set(groups.flatMap(({ pages }) => pages.map(({ source }) => source)));
  const missing = files.filter((name) => !listed.has(`docs/${name}`));
  if (missing.length > 0) throw new Error(`The list of guides in README.md lacks docs/${missing[0]}.`);
  const notebooks = readdirSync(path.join(root, "notebooks"))
    .filter((name) => name.endsWith(".ipynb"))
    .toSorted()
    .map((name) => notebookPage(root, name));
  const isNumbered = ({ source }: Page) => /^notebooks\/\d/.test(source);
  return {
    guides: groups.map(({ title, pages }) => ({
      title,
      pages: pages.filter(({ source }) => source !== INTERNALS),
    })),
    lessons: notebooks.filter(isNumbered),
    notebooks: notebooks.filter((page) => !isNumbered(page)),
    contributing: [
      markdownPage(root, "CONTRIBUTING.md", "/contributing"),
      markdownPage(root, "test/README.md", "/tests"),
      guidePage(root, path.basename(INTERNALS)),
      markdownPage(root, "native/README.md", "/native"),
    ],
  };
}

/** The items of the README's list of guides. */
function groupsOf(readme: string): { readonly title: string; readonly text: string }[] {
  const [, list = ""] = /^## Guides\n([^]*?)(?=^## )/m.exec(readme) ?? [];
  return [...list.matchAll(/^- \*\*([^*]+)\*\*:((?:.|\n(?!- ))*)/gm)].map(([, title = "", text = ""]) => ({
    title,
    text,
  }));
}

function guidePage(root: string, name: string): Page {
  return markdownPage(root, `docs/${name}`, `/guides/${path.basename(name, ".md")}`);
}

function markdownPage(root: string, source: string, address: string): Page {
  return { source, address, title: titleOf(readFileSync(path.join(root, source), "utf8"), source) };
}

function notebookPage(root: string, name: string): Page {
  const source = `notebooks/${name}`;
  const [first] = storedCells(root, source);
  return {
    source,
    address: `/lessons/${path.basename(name, ".ipynb")}`,
    title: titleOf(first?.source ?? "", source),
  };
}

/** @throws Error for a text without one */
function titleOf(markdown: string, source: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`${source} has no title: begin it with a line "# ...".`);
  return title;
}
