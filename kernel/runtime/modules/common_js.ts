// Removes local CommonJS files that changed on disk from Node's cache, with every module that required them. The next
// `require` or import reads them again.
import { isInPackage, stampOf } from "./local_graph.ts";

export class CommonJsFiles {
  readonly #cache: NodeJS.Dict<NodeModule>;
  /** The folder in which this program is installed. It does not change during a session. */
  readonly #ownCode: string;
  readonly #stamps = new Map<string, string>();

  constructor(cache: NodeJS.Dict<NodeModule>, ownCode: string) {
    this.#cache = cache;
    this.#ownCode = ownCode;
  }

  /** Records what has been loaded. */
  remember(): void {
    for (const [file] of this.#local()) if (!this.#stamps.has(file)) this.#stamps.set(file, stampOf(file));
  }

  forgetChanged(): void {
    const local = this.#local();
    const stale = new Set(
      local
        .filter(([file]) => stampOf(file) !== (this.#stamps.get(file) ?? stampOf(file)))
        .map(([file]) => file),
    );
    for (let known = -1; known < stale.size;) {
      known = stale.size;
      for (const [file, { children }] of local) {
        if (children.some(({ filename }) => stale.has(filename))) stale.add(file);
      }
    }
    for (const file of stale) {
      delete this.#cache[file];
      this.#stamps.delete(file);
    }
  }

  #local(): [file: string, module: NodeModule][] {
    return Object.entries(this.#cache).filter(
      (entry): entry is [string, NodeModule] =>
        entry[1] !== undefined && !isInPackage(entry[0]) && !entry[0].startsWith(this.#ownCode),
    );
  }
}
