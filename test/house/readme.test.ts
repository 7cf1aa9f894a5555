// The README leads a newcomer through the files: shortly, and to files that are there.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { filesOf, root } from "./sources.ts";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
/** What a reader writes, what a run makes, and the notebooks' folder. */
const OUTSIDE = new Set(["a.ts", "output/", "notebooks/"]);
const howItWorks = /^## How it works\n[^]*?(?=^## )/m.exec(readme)?.[0] ?? "";

it('"How it works" follows a cell and an operator in at most 60 lines', () => {
  expect(howItWorks).toMatch(/\*\*A cell\*\*[^]*\*\*An operator\*\*/);
  expect(howItWorks.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

it("names only files and folders that are there", () => {
  const files = filesOf("kernel", "lib", "native", "test");
  const named = [...readme.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs|cc|h|py|json)|(?:[\w-]+\/)+)`/g)];
  const missing = named
    .map(([, name]) => name!)
    .filter((name) => !OUTSIDE.has(name))
    .filter((name) => !files.some((file) => file.endsWith(`/${name}`) || `/${file}`.includes(`/${name}`)));
  expect(missing).toEqual([]);
});
