// Checks every link and picture of the built site: the file must exist, and the anchor must be in it. Links to other
// sites are not followed.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const ADDRESS = /\s(?:href|src)="([^"]*)"/g;
const ANCHOR = /\s(?:id|name)="([^"]*)"/g;
/** `https:`, `data:`, and `//host` */
const ELSEWHERE = /^(?:[a-z][\w+.-]*:|\/\/)/i;

/**
 * `guides/cells.html: /guides/lab.html#nowhere`
 *
 * @param folder the built site
 * @param base path of the site on its host, from `/` to `/`
 */
export function brokenLinks(folder: string, base = "/"): string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".html"),
  );
  const texts = new Map(pages.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (file: string) => {
    const known = anchors.get(file) ?? new Set(found(texts.get(file) ?? "", ANCHOR));
    anchors.set(file, known);
    return known;
  };
  return [...texts].flatMap(([page, text]) =>
    [...new Set(found(text, ADDRESS))]
      .filter((address) => address !== "" && !ELSEWHERE.test(address))
      .filter((address) => {
        const { pathname, hash } = new URL(address, `http://site${base}${page}`);
        const file = fileAt(folder, base, decodeURIComponent(pathname));
        if (file === null) return true;
        const anchor = decodeURIComponent(hash.slice(1));
        return anchor !== "" && file.endsWith(".html") && !anchorsOf(file).has(anchor);
      })
      .map((address) => `${page}: ${address}`),
  );
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, value]) => decoded(value!));
}

/** The characters that an attribute writes as entities. */
function decoded(value: string): string {
  return value
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}

/** The file that a host sends for a path, from the folder on; null for none. */
function fileAt(folder: string, base: string, pathname: string): string | null {
  if (!pathname.startsWith(base)) return null;
  const file = pathname.slice(base.length);
  const candidates = file === "" || file.endsWith("/") ? [`${file}index.html`] : [file, `${file}.html`];
  return candidates.find((one) => isFile(path.join(folder, one))) ?? null;
}

const isFile = (file: string) => existsSync(file) && statSync(file).isFile();
