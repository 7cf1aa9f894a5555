// Tracks files of the notebook's folder that the checker has read: local modules, the tsconfig and packages. They
// change while the notebook runs. The server watches no files, so they are compared before each check.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ServerDiagnostic } from "../diagnostics.ts";
import type { LanguageServer } from "./server.ts";
import { withSnapshot } from "./snapshot.ts";

const IMPORT = /(?:from|import|import\s*\(|require\s*\()\s*["']([^"'\n]+)["']/g;
const CANNOT_FIND_MODULE = 2307;
const NO_DECLARATIONS = 7016;

type Paths = Readonly<Record<string, readonly string[]>>;

/** One of the user's own modules, not a package's, as it was when it was read. */
export interface LocalFile {
  readonly path: string;
  readonly modifiedMs: number;
  readonly text: string;
}

interface ReadFile extends Omit<LocalFile, "path"> {
  /** Paths that its imports may refer to. */
  readonly asks: readonly string[];
}

export class FolderFiles {
  readonly #directory: string;
  readonly #server: LanguageServer;
  readonly #localModifiedMs = new Map<string, number>();
  readonly #packagesModifiedMs = new Map<string, number>();
  #configuration: { file: string; modifiedMs: number } | null = null;
  /** The tsconfig's `paths`: absolute targets by pattern. */
  #paths: Paths = {};
  readonly #texts = new Map<string, ReadFile>();

  constructor(directory: string, server: LanguageServer) {
    this.#directory = directory;
    this.#server = server;
  }

  /** @param configuration the tsconfig in use; if null, the folder is watched for a new one */
  watch(configuration: string | null, paths: Paths): void {
    this.#paths = paths;
    const file = configuration ?? path.join(this.#directory, "tsconfig.json");
    this.#configuration = { file, modifiedMs: modifiedMs(file) };
  }

  configurationChanged(): boolean {
    return (
      this.#configuration === null || modifiedMs(this.#configuration.file) !== this.#configuration.modifiedMs
    );
  }

  /** Tells the server which local modules changed since it read them. */
  tellChanges(): void {
    const changed = [];
    for (const [file, known] of this.#localModifiedMs) {
      const now = modifiedMs(file);
      if (now === known) continue;
      changed.push({ path: file, created: known === 0 });
      this.#localModifiedMs.set(file, now);
    }
    this.#server.filesChanged(changed);
  }

  /**
   * Records the local modules that a cell imports, and the paths of those that were not found.
   *
   * @returns the modules that the cell's imports lead to, directly or through other local modules
   */
  async learn(text: string): Promise<readonly LocalFile[]> {
    const asked = this.#asked(text, this.#directory);
    if (asked === null) return [];
    const files = await withSnapshot(this.#server, (ask) => ask<readonly string[]>("getSourceFileNames", {}));
    const local = files.filter((file) => !file.includes("/node_modules/") && !file.startsWith("bundled:"));
    for (const file of [...local, ...asked]) {
      if (!this.#localModifiedMs.has(file)) this.#localModifiedMs.set(file, modifiedMs(file));
    }
    return this.#reached(asked, new Set(local));
  }

  /** @param local the program's files that belong to no package */
  #reached(asked: readonly string[], local: ReadonlySet<string>): LocalFile[] {
    const reached = new Map<string, LocalFile>();
    const waiting = [...asked];
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (reached.has(file) || !local.has(file) || !isModule(file)) continue;
      const { modifiedMs: stamp, text, asks } = this.#read(file);
      reached.set(file, { path: file, modifiedMs: stamp, text });
      waiting.push(...asks);
    }
    return [...reached.values()];
  }

  /** The file's text, read again only after a change. */
  #read(file: string): ReadFile {
    const stamp = modifiedMs(file);
    const known = this.#texts.get(file);
    if (known?.modifiedMs === stamp) return known;
    const text = stamp === 0 ? "" : readFileSync(file, "utf8");
    const fresh = { modifiedMs: stamp, text, asks: this.#asked(text, path.dirname(file)) ?? [] };
    this.#texts.set(file, fresh);
    return fresh;
  }

  /** Paths that the text's imports of local modules may refer to. Null if it imports no such module. */
  #asked(text: string, directory: string): string[] | null {
    const asked = [...text.matchAll(IMPORT)].map(([, specifier = ""]) => this.#targets(specifier, directory));
    if (asked.every((targets) => targets === null)) return null;
    return asked.flatMap((targets) => targets?.flatMap(spellings) ?? []);
  }

  /** Returns the paths that an import of a local module may mean, without extensions. Null for a package. */
  #targets(specifier: string, directory: string): string[] | null {
    if (/^\.{0,2}\//.test(specifier)) return [path.resolve(directory, specifier)];
    if (specifier.startsWith("#")) return subpathTargets(specifier, directory);
    const found = Object.entries(this.#paths).flatMap(([pattern, targets]) => {
      const [before = "", after] = pattern.split("*");
      if (after === undefined) return specifier === pattern ? targets : [];
      if (!specifier.startsWith(before) || !specifier.endsWith(after)) return [];
      const part = specifier.slice(before.length, specifier.length - after.length);
      return targets.map((target) => target.replace("*", part));
    });
    return found.length === 0 ? null : found;
  }

  /** Whether a package, or its types, that is reported missing is on disk now: the user ran `npm install`. */
  installedSince(found: readonly ServerDiagnostic[]): boolean {
    return found.some(({ code, message }) => {
      const specifier = /'([^']*)'/.exec(message)?.[1] ?? "";
      const name = /^(?:@[^/]+\/)?[^./][^/]*/.exec(specifier)?.[0];
      if (name === undefined) return false;
      if (code === CANNOT_FIND_MODULE) return this.#isNewPackage(name);
      return (
        code === NO_DECLARATIONS && this.#isNewPackage(`@types/${name.replace("@", "").replace("/", "__")}`)
      );
    });
  }

  /**
   * True only once for a package. A package that is there but has no types must not restart the server at every check.
   */
  #isNewPackage(name: string): boolean {
    for (let folder = this.#directory; ; folder = path.dirname(folder)) {
      const manifest = path.join(folder, "node_modules", name, "package.json");
      const found = modifiedMs(manifest);
      if (found !== 0) {
        const known = this.#packagesModifiedMs.get(manifest);
        this.#packagesModifiedMs.set(manifest, found);
        return known !== found;
      }
      if (folder === path.dirname(folder)) return false;
    }
  }
}

/** Paths that an import may refer to, whether it has an extension or not. */
function spellings(file: string): string[] {
  const source = file.replace(/\.([cm]?)js$/, ".$1ts");
  return [
    file,
    source,
    `${file}.ts`,
    `${file}.tsx`,
    `${file}.d.ts`,
    `${file}.js`,
    path.join(file, "index.ts"),
  ];
}

/** Whether the file has code to check: JSON and declaration files have none. */
function isModule(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file);
}

/**
 * Resolves `#name` by the `imports` of the nearest package.json. Empty if it names no path; the file at the path may be
 * missing.
 */
function subpathTargets(specifier: string, directory: string): string[] {
  try {
    return [createRequire(path.join(directory, "module")).resolve(specifier)];
  } catch (error) {
    const file = /^Cannot find module '([^']+)'/.exec((error as Error).message)?.[1];
    return file === undefined || !path.isAbsolute(file) ? [] : [file];
  }
}

/** Modification time in ms, 0 where there is no such file. */
function modifiedMs(file: string): number {
  try {
    const found = statSync(file);
    // A pipe is no file here: reading it would block the kernel until somebody writes into it.
    return found.isFile() ? found.mtimeMs : 0;
  } catch {
    return 0;
  }
}
