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

export interface Catalogue {
  /** `docs/*.md`, in the order of the README. */
  readonly guides: readonly Page[];
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
  const place = (name: string) => readme.lastIndexOf(`(docs/${name})`);
  const guides = readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .toSorted((a, b) => place(a) - place(b))
    .map((name) => markdownPage(root, `docs/${name}`, `/guides/${path.basename(name, ".md")}`));
  const notebooks = readdirSync(path.join(root, "notebooks"))
    .filter((name) => name.endsWith(".ipynb"))
    .toSorted()
    .map((name) => notebookPage(root, name));
  const isNumbered = ({ source }: Page) => /^notebooks\/\d/.test(source);
  return {
    guides: guides.filter(({ source }) => source !== INTERNALS),
    lessons: notebooks.filter(isNumbered),
    notebooks: notebooks.filter((page) => !isNumbered(page)),
    contributing: [
      markdownPage(root, "CONTRIBUTING.md", "/contributing"),
      markdownPage(root, "test/README.md", "/tests"),
      ...guides.filter(({ source }) => source === INTERNALS),
      markdownPage(root, "native/README.md", "/native"),
    ],
  };
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
