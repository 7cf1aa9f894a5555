// Maps a client's names of sources to the V8 scripts that came from them. A cell's path contains the hash of its text:
// all runs of one text share a path, so do two cells with the same text, and an edit changes the path. Files have their
// own paths.
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AskInspector } from "./inspector.ts";
import { murmur2 } from "./murmur2.ts";
import { ScriptMap } from "./script_map.ts";

/** A client computes the path of a cell from these. The same in every kernel, so that breakpoints outlive a restart. */
export const CELL_PATHS = {
  hashMethod: "Murmur2",
  hashSeed: 0xc70f6907,
  tmpFilePrefix: path.join(tmpdir(), "mpslab") + path.sep,
  tmpFileSuffix: ".ts",
} as const;

/** One run of a cell. */
export interface CellScript {
  /** V8's name of the script. */
  readonly url: string;
  readonly code: string;
  readonly map: string;
  /** The cell's text as the client sent it. */
  readonly text: string;
  /** `Cell [3]` */
  readonly title: string;
  readonly declares: readonly string[];
}

/** How many cells' scripts are kept. Functions of older cells are shown without their lines. */
const MAX_SCRIPTS = 1000;

export function cellPath(text: string): string {
  const { hashSeed, tmpFilePrefix, tmpFileSuffix } = CELL_PATHS;
  return `${tmpFilePrefix}${murmur2(text, hashSeed)}${tmpFileSuffix}`;
}

export function isCellPath(source: string): boolean {
  return source.startsWith(CELL_PATHS.tmpFilePrefix);
}

/** A place in the code as a client sees it. */
export interface SourceLocation {
  readonly path: string;
  /** `Cell [3]`, or the file's name. */
  readonly title: string;
  readonly line: number;
  readonly column: number;
}

interface FileScript {
  readonly url: string;
  readonly scriptId: string;
  readonly sourceMapURL: string;
}

/** The file behind a script's URL, such as `file:///home/me/model.ts?changed=3f2a`. */
function filePathOf(url: string): string | null {
  return url.startsWith("file:") ? fileURLToPath(url.replace(/\?.*$/, "")) : null;
}

export class Sources {
  readonly #ask: AskInspector;
  readonly #cells = new Map<string, CellScript>();
  /** The texts of cells that a client has dumped, or that ran, by path. */
  readonly #texts = new Map<string, string>();
  readonly #files = new Map<string, FileScript>();
  readonly #maps = new Map<string, ScriptMap | null>();

  constructor(ask: AskInspector) {
    this.#ask = ask;
  }

  dump(text: string): string {
    const source = cellPath(text);
    this.#texts.set(source, text);
    return source;
  }

  addCell(script: CellScript): void {
    this.#cells.set(script.url, script);
    const [oldest] = this.#cells.keys();
    if (this.#cells.size > MAX_SCRIPTS && oldest !== undefined) {
      this.#cells.delete(oldest);
      this.#maps.delete(oldest);
    }
  }

  addFile(script: FileScript): void {
    this.#files.set(script.url, script);
  }

  /** The session has ended, and its scripts with it. */
  forgetScripts(): void {
    this.#cells.clear();
    this.#files.clear();
    this.#maps.clear();
  }

  cell(url: string): CellScript | undefined {
    return this.#cells.get(url);
  }

  cellsAt(source: string): CellScript[] {
    return [...this.#cells.values()].filter(({ text }) => cellPath(text) === source);
  }

  /** Lists the user's files and packages. Packages that come with this program are left out. */
  modules(ownFolder: string): object {
    const own = new URL("../node_modules/", ownFolder || "file:///").href;
    const modules = this.files
      .filter(({ url }) => !url.startsWith(own))
      .map(({ url, scriptId }) => ({ id: scriptId, path: filePathOf(url) ?? url }))
      .map(({ id, path: file }) => ({ id, name: path.basename(file), path: file }));
    return { modules, totalModules: modules.length };
  }

  get files(): readonly FileScript[] {
    return [...this.#files.values()];
  }

  /** The text of a cell or a file; null if it has none. */
  async textAt(source: string): Promise<string | null> {
    const dumped = this.#texts.get(source) ?? this.cellsAt(source).at(-1)?.text;
    if (dumped !== undefined) return dumped;
    if (isCellPath(source)) return null;
    const file = path.isAbsolute(source) ? await textOfFile(source) : null;
    if (file !== null) return file;
    for (const { url } of this.files) {
      const map = await this.mapOf(url);
      const text = map?.textOf(urlOfSource(source));
      if (text != null) return text;
    }
    return null;
  }

  /** The map from a script to what the user wrote; null if the user wrote the script itself. */
  async mapOf(url: string): Promise<ScriptMap | null> {
    const known = this.#maps.get(url);
    if (known !== undefined) return known;
    const cell = this.#cells.get(url);
    const map = cell === undefined ? await this.#mapOfFile(url) : new ScriptMap(cell.code, cell.map);
    // Maps are cached, except for a file that V8 has not loaded: under its plain URL it may still change.
    if (cell !== undefined || url.includes("?") || this.#files.has(url)) this.#maps.set(url, map);
    return map;
  }

  /** Null for code without a source: code that the compiler inserted, and scripts that are no longer known. */
  async locate(url: string, lineNumber: number, columnNumber: number): Promise<SourceLocation | null> {
    const map = await this.mapOf(url);
    const cell = this.#cells.get(url);
    const original = map?.original({ lineNumber, columnNumber });
    if (cell !== undefined) {
      if (original == null) return null;
      const { line, column } = original;
      return { path: cellPath(cell.text), title: cell.title, line, column };
    }
    const file = filePathOf(url);
    if (file === null) return null;
    if (original != null) {
      const source = filePathOf(original.source) ?? original.source;
      return { path: source, title: path.basename(source), line: original.line, column: original.column };
    }
    return { path: file, title: path.basename(file), line: lineNumber + 1, column: columnNumber + 1 };
  }

  async #mapOfFile(url: string): Promise<ScriptMap | null> {
    const file = filePathOf(url);
    if (file === null) return null;
    try {
      if (/\.(?:m?ts|tsx)$/.test(file)) {
        const local = await this.#ask<LocalSource>("Session.localSource", { path: file });
        return local.map === null ? null : new ScriptMap(local.code, local.map, local.url);
      }
      const script = this.#files.get(url);
      if (!script?.sourceMapURL) return null;
      const { scriptSource } = await this.#ask<{ scriptSource: string }>("Debugger.getScriptSource", {
        scriptId: script.scriptId,
      });
      const mapUrl = new URL(script.sourceMapURL, url);
      const text = mapUrl.protocol === "data:" ? await dataOf(mapUrl) : await readFile(mapUrl, "utf8");
      return new ScriptMap(scriptSource, text, mapUrl.protocol === "data:" ? url : mapUrl.href);
    } catch {
      return null; // The map is missing, or the file does not parse any more.
    }
  }
}

/**
 * The file's text; null for anything but a regular file, because a pipe would keep its reader waiting. Reading does not
 * block the kernel.
 */
async function textOfFile(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? await readFile(file, "utf8") : null;
}

export interface LocalSource {
  readonly url: string;
  readonly text: string;
  readonly code: string;
  readonly map: string | null;
}

export function urlOfSource(source: string): string {
  return path.isAbsolute(source) ? pathToFileURL(source).href : source;
}

async function dataOf(url: URL): Promise<string> {
  return await (await fetch(url)).text();
}
