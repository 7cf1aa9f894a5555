// Remembers what cells import by name. When the session has ended, a new one gets the same imports before its first
// cell. An import only gives a name to a module, so users expect it to be there again. Values are not computed again.
import type { Compiled } from "../cell/compile.ts";
import type { ImportedName } from "../cell/imported_names.ts";

export class NotebookImports {
  readonly #present = new Map<string, ImportedName>();
  #lost: readonly ImportedName[] = [];

  /** @param names those names that the cell has defined */
  commit({ importedNames }: Compiled, names: readonly string[]): void {
    for (const name of names) this.#present.delete(name);
    for (const each of importedNames) if (names.includes(each.name)) this.#present.set(each.name, each);
  }

  present(): readonly ImportedName[] {
    return [...this.#present.values()];
  }

  sessionEnded(): void {
    this.#lost = [...this.#lost, ...this.#present.values()];
    this.#present.clear();
  }

  forget(): void {
    this.#present.clear();
    this.#lost = [];
  }

  /**
   * Returns the imports to run before the next cell. Each is returned once, whether it succeeds or not.
   *
   * @param restored the imports that a snapshot brings back
   */
  takeLost(restored: readonly ImportedName[]): readonly ImportedName[] {
    const lost = [...this.#lost, ...restored].filter(({ name }) => !this.#present.has(name));
    this.#lost = [];
    return [...new Map(lost.map((each) => [each.name, each])).values()];
  }
}
