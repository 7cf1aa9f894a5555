// Makes the lock that a notebook carries in its metadata: versions of mpslab, libtorch and Node, and of the npm packages
// that its cells import, with what those depend on, as npm's lock file beside it has them.
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename } from "node:path";
import { lockFileAbove } from "../../../lib/records/logbook/origin.ts";
import { packageManifest } from "../../../lib/installation/package.ts";
import { torchFolder, torchVersion } from "../../../lib/installation/torch_package.ts";
import { isProgram, type Notebook } from "./format.ts";

/** A package in npm's lock file (version 2 or 3), without its address, because a registry may be private. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface NotebookLock {
  readonly mpslab: string;
  /** Null where set-up has not found a torch package. */
  readonly torch: string | null;
  readonly node: string;
  /** The nearest lock file in the notebook's folder or above it. */
  readonly lockFile?: { readonly name: string; readonly sha256: string };
  /** By their paths, such as `node_modules/lodash`. Present if the lock file is npm's and the cells import packages. */
  readonly packages?: Readonly<Record<string, LockedPackage>>;
}

/** `import _ from "lodash/fp"`, `await import("d3")`, `require("@scope/name")`, `require.resolve("d3")` */
const IMPORTED = /\b(?:from|import|require(?:\.resolve)?)\s*\(?\s*["']([^"'.#/][^"']*)["']/g;
const OWN = new Set(["mpslab", "tslab"]);

export function notebookLock(notebook: Notebook, folder: string): NotebookLock {
  const torch = torchFolder();
  const lock = lockFileAbove(folder);
  const sources = notebook.cells.filter(isProgram).map(({ source }) => source);
  const packages = lock === null ? {} : lockedPackages(lock.file, importedPackages(sources));
  return {
    mpslab: packageManifest().version,
    torch: torch === null ? null : torchVersion(torch),
    node: process.versions.node,
    ...(lock === null ? {} : { lockFile: { name: basename(lock.file), sha256: lock.sha256 } }),
    ...(Object.keys(packages).length === 0 ? {} : { packages }),
  };
}

/** Names of the packages that the sources import, without mpslab itself. */
export function importedPackages(sources: readonly string[]): string[] {
  const specifiers = sources.flatMap((source) =>
    [...source.matchAll(IMPORTED)].map(([, specifier]) => specifier!),
  );
  const names = specifiers
    .filter((specifier) => !specifier.includes(":") && !isBuiltin(specifier))
    .map((specifier) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  return [...new Set(names)].filter((name) => !OWN.has(name)).toSorted();
}

/** The packages and everything that they depend on; empty if the lock file is not npm's. */
function lockedPackages(file: string, names: readonly string[]): Record<string, LockedPackage> {
  if (basename(file) !== "package-lock.json" || names.length === 0) return {};
  const { packages = {} } = JSON.parse(readFileSync(file, "utf8")) as {
    packages?: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Map<string, LockedPackage>();
  const visit = (name: string, importer: string): void => {
    const place = placeOf(name, importer, packages);
    if (place === null || found.has(place)) return;
    const { version, integrity, dependencies, optionalDependencies } = packages[place]!;
    found.set(place, {
      ...(version && { version }),
      ...(integrity && { integrity }),
      ...(dependencies && { dependencies }),
      ...(optionalDependencies && { optionalDependencies }),
    });
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next, place);
  };
  for (const name of names) visit(name, "");
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Node's search: in the importer's own `node_modules`, then in those above it. */
function placeOf(
  name: string,
  importer: string,
  packages: Readonly<Record<string, LockedPackage>>,
): string | null {
  for (
    let at = importer;
    ;
    at = at.includes("/node_modules/") ? at.slice(0, at.lastIndexOf("/node_modules/")) : ""
  ) {
    const place = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (place in packages) return place;
    if (at === "") return null;
  }
}

/** A package.json and a lock file from which `npm ci` installs the packages; null where the lock has none. */
export function filesOfLock({ packages }: NotebookLock): Readonly<Record<string, string>> | null {
  if (packages === undefined) return null;
  const own = Object.entries(packages).filter(([place]) => place.lastIndexOf("node_modules/") === 0);
  const needed = new Set(
    Object.values(packages).flatMap((one) =>
      Object.keys({ ...one.dependencies, ...one.optionalDependencies }),
    ),
  );
  const name = (place: string) => place.slice("node_modules/".length);
  const dependencies = Object.fromEntries(
    own.filter(([place]) => !needed.has(name(place))).map(([place, { version }]) => [name(place), version]),
  );
  const root = { name: "notebook", version: "0.0.0" };
  const lock = {
    ...root,
    lockfileVersion: 3,
    requires: true,
    packages: { "": { ...root, dependencies }, ...packages },
  };
  return {
    "package.json": `${JSON.stringify({ ...root, private: true, dependencies }, null, 2)}\n`,
    "package-lock.json": `${JSON.stringify(lock, null, 2)}\n`,
  };
}
