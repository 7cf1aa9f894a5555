// Checks the documents that lead a newcomer: their length, and that the files and links which they name exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { filesOf, root } from "./sources.ts";

const read = (name: string): string => readFileSync(path.join(root, name), "utf8");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "native/README.md",
  ...readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/**
 * Names outside of the repository: files that set-up or a run makes, a header of PyTorch, and names that stand for a
 * file of the reader.
 */
const OUTSIDE = new Set([
  "MetalShaderLibrary.h",
  "a.ts",
  "build/",
  "dist/",
  "kernel.json",
  "mpslab-lessons/",
  "node_modules/",
  "notebooks/",
  "notebooks/claims/",
  "output/",
  "course/nbgrader_config.py",
  "course/source/lesson/",
  "course/",
  "output/packages/",
  "docs/",
  "uptime.ts",
]);

const NAMED = /`((?:[\w.-]+\/)*[\w-]+\.(?:ts|mjs|cc|mm|h|py)|(?:[\w-]+\/)+)`/g;
const LINK = /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g;

it("the README has at most 120 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

it("the README says in its first paragraph that no Mac has run it", () => {
  expect(read("README.md").split("\n\n")[1]).toContain("no Mac has run");
});

it('"How it works" follows a cell and an operator in at most 60 lines', () => {
  const howItWorks = /^## How it works\n[^]*?(?=^## )/m.exec(read("docs/internals.md"))?.[0] ?? "";
  expect(howItWorks).toMatch(/\*\*A cell\*\*[^]*\*\*An operator\*\*/);
  expect(howItWorks.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

describe("every document", () => {
  const matches = (pattern: RegExp) =>
    documents.flatMap((document) =>
      [...read(document).matchAll(pattern)].map(([, found]) => ({ document, found: found! })),
    );
  const isThere = (document: string, link: string) =>
    existsSync(path.join(root, path.dirname(document), link));

  it("links to files that exist", () => {
    expect(matches(LINK).filter(({ document, found }) => !isThere(document, found))).toEqual([]);
  });

  it("shows pictures that have a dark twin, which the site shows in the dark theme", () => {
    const pictures = matches(LINK).filter(({ found }) => found.endsWith(".png"));
    const alone = pictures.filter(({ document, found }) => {
      const dark = found.replace("-light.png", "-dark.png");
      return dark === found || !isThere(document, dark);
    });
    expect(alone).toEqual([]);
  });

  it("names only files and folders that exist", () => {
    const files = filesOf("docs", "kernel", "lib", "native", "packages", "test");
    const isKnown = (name: string) =>
      OUTSIDE.has(name) || files.some((file) => file.endsWith(`/${name}`) || `/${file}`.includes(`/${name}`));
    expect(matches(NAMED).filter(({ found }) => !isKnown(found))).toEqual([]);
  });
});

it("the README links to every guide", () => {
  const guides = documents.filter((name) => name.startsWith("docs/"));
  expect(guides.filter((guide) => !read("README.md").includes(`(${guide})`))).toEqual([]);
});
