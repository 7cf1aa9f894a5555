// Reads imports as Deno, browsers and Python write them: a package by `npm:`, and what Node does not load at all.

export interface NpmSpecifier {
  /** As Node imports it: `d3/array`. */
  readonly specifier: string;
  readonly name: string;
  /** As it was asked for; null for any version. */
  readonly version: string | null;
}

const NPM = /^npm:\/?((?:@[^/@]+\/)?[^/@]+)(?:@([^/]+))?(\/.*)?$/;

/** `npm:react-dom@18/server`; null for what is no such import. */
export function npmSpecifier(written: string): NpmSpecifier | null {
  const [, name, version, subpath = ""] = NPM.exec(written) ?? [];
  return name === undefined ? null : { specifier: name + subpath, name, version: version ?? null };
}

/** Names the package, in the same number of characters: every offset stays. */
export function withoutNpm(text: string): string {
  if (!text.includes("npm:")) return text;
  return text.replace(
    /(\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])(npm:[^"'\n]+)\2/g,
    (all, before: string, quote: string, written: string) => {
      const read = npmSpecifier(written);
      return read === null ? all : `${before}${quote}${read.specifier}${quote}`.padEnd(all.length);
    },
  );
}

/** The versions that an import asked for, for the advice to install a package. */
export function withAskedVersion(message: string, text: string): string {
  return message.replace(/%npm install ([@\w./-]+)$/, (all, name: string) => {
    for (const [written] of text.matchAll(/npm:[^"'\s]+/g)) {
      const asked = npmSpecifier(written);
      if (asked?.name === name && asked.version !== null) return `${all}@${asked.version}`;
    }
    return all;
  });
}

/** Whether an installed version is what was asked for: `18`, `^7.1`, `2.29.4`, `latest`. */
export function satisfies(installed: string, asked: string): boolean {
  const wanted = /^([~^]?)v?(\d+(?:\.\d+){0,2})$/.exec(asked);
  if (wanted === null) return true; // A tag, or a range that npm reads.
  const [, sign, numbers = ""] = wanted;
  const [want, have] = [numbers.split(".").map(Number), installed.split(/[.+-]/, 3).map(Number)];
  const fixed =
    sign === ""
      ? want.length
      : sign === "~"
        ? Math.min(2, want.length)
        : 1 +
          Math.max(
            0,
            want.findIndex((n) => n > 0),
          );
  if (want.slice(0, fixed).some((number, at) => have[at] !== number)) return false;
  const differs = want.findIndex((number, at) => have[at] !== number);
  return differs < 0 || (have[differs] as number) > (want[differs] as number);
}

/** Packages of Python. A package of npm of that name is another one. */
const OF_PYTHON: Readonly<Record<string, string>> = {
  torch: 'import { nn, optim, torch } from "mpslab" has its names',
  torchvision: 'import { data } from "mpslab" has data sets and transforms',
  numpy: 'import { torch } from "mpslab" has arrays, which are tensors',
  pandas: 'import { data } from "mpslab" has tables, as data.readCsv(file)',
  matplotlib: 'import { lab } from "mpslab" draws charts, as lab.plot(losses)',
  seaborn: 'import { lab } from "mpslab" draws charts, as lab.plot(losses)',
};

/** What to do instead of an import that Node does not load; null for any other. */
export function insteadOfForeign(written: string): string | null {
  const python = written.split(/[./]/, 1)[0]!;
  if (Object.hasOwn(OF_PYTHON, python)) return `'${written}' is a package of Python: ${OF_PYTHON[python]}.`;
  const jsr = /^jsr:\/?(@[^/@]+\/[^/@]+)/.exec(written)?.[1];
  if (jsr !== undefined)
    return `Node does not load '${written}'. JSR has it for npm too: %sh npx jsr add ${jsr}, then import from "${jsr}".`;
  if (!/^https?:/.test(written)) return null;
  const ofCdn =
    /^https?:\/\/(?:esm\.sh|cdn\.skypack\.dev|unpkg\.com|(?:cdn|esm)\.jsdelivr\.net\/npm|esm\.run)\/(?:v\d+\/)?((?:@[^/@]+\/)?[^/@?]+)(@[^/?]+)?/.exec(
      written,
    );
  if (ofCdn !== null)
    return `Node does not load '${written}'. It is a package of npm: %npm install ${ofCdn[1]}${ofCdn[2] ?? ""}, then import from "${ofCdn[1]}".`;
  const ofStd = /^https?:\/\/deno\.land\/std(?:@[^/]+)?\/([\w-]+)/.exec(written)?.[1];
  if (ofStd !== undefined)
    return `Node does not load '${written}'. JSR has it for npm too: %sh npx jsr add @std/${ofStd}, then import from "@std/${ofStd}".`;
  return `Node does not load '${written}': save the file beside the notebook and import "./${written.split("/").at(-1)?.split("?")[0] || "file.ts"}", or install its package of npm.`;
}
