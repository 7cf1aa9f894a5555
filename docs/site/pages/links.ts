// Leads the links of a Markdown text, which name files of the repository, to where the site has these files.
import { existsSync } from "node:fs";
import path from "node:path";

export interface SiteLinks {
  readonly root: string;
  /** Path of the site on its host, from `/` to `/`. VitePress adds it to links between pages and to pictures only. */
  readonly base: string;
  /** Addresses of pages by the file that they show: `docs/cells.md` -> `/guides/cells`. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Files that are linked to and are no pages. The site gets a copy of each in `FILES`. */
  readonly files: Set<string>;
}

/** The folder of the site, from its base on, that holds copies of files of the repository, under their paths. */
export const FILES = "files/";

const FENCE = /(^(?<fence>`{3,})[^]*?^\k<fence>`*$)/m;
const TARGET = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g;
/** `https:`, `mailto:` */
const SCHEME = /^[a-z]+:/i;

/**
 * Leaves code as it is. A picture that has a dark twin (`a-light.png`, `a-dark.png`) becomes both; the theme shows one.
 *
 * @param source path of the text's own file from the repository's root
 * @throws Error for a link to a file that does not exist
 */
export function siteLinks(markdown: string, source: string, links: SiteLinks): string {
  return outsideOfFences(markdown, (text) =>
    text.replaceAll(TARGET, (whole: string, bang: string, words: string, target: string, hash = "") => {
      if (SCHEME.test(target) || target.startsWith("/")) return whole;
      const file = path.posix.join(path.posix.dirname(source), target);
      if (bang !== "") return pictures(words, file, source, links);
      const inner = siteLinks(words, source, links);
      const address = links.addresses.get(file);
      if (address !== undefined) return `[${inner}](${address}${hash})`;
      return outsideLink(links.base + copyOf(file, source, links), inner);
    }),
  );
}

/** A link to what VitePress has not rendered: the browser loads it, not VitePress's router. */
export function outsideLink(address: string, inner: string): string {
  return `<a href="${address}" target="_self">${inner}</a>`;
}

function pictures(words: string, file: string, source: string, links: SiteLinks): string {
  const picture = (file: string, attributes: string) =>
    `![${words}](/${copyOf(file, source, links)})${attributes}`;
  const dark = file.replace(/-light(?=\.\w+$)/, "-dark");
  if (dark === file || !existsSync(path.join(links.root, dark))) return picture(file, "");
  return `${picture(file, "{.in-light}")}${picture(dark, "{.in-dark}")}`;
}

/** Where the copy of a file lies, from the site's base on. */
function copyOf(file: string, source: string, { root, files }: SiteLinks): string {
  if (!existsSync(path.join(root, file)))
    throw new Error(`${source} links to ${file}, which does not exist.`);
  files.add(file);
  return FILES + file;
}

function outsideOfFences(markdown: string, change: (text: string) => string): string {
  let rest = markdown;
  let changed = "";
  for (let fence = FENCE.exec(rest); fence !== null; fence = FENCE.exec(rest)) {
    changed += change(rest.slice(0, fence.index)) + fence[0];
    rest = rest.slice(fence.index + fence[0].length);
  }
  return changed + change(rest);
}
