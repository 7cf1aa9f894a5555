// Finds which names a failed cell had initialized. V8 leaves the old value in place if a cell that declares a name
// again fails before that line. So a name counts as initialized only if its value differs from the one before the cell.
// That earlier value is remembered without keeping it alive. Also asks tables among the values for the type of their rows.
import { types } from "node:util";
import { ROW_TYPE } from "../../lib/row_type.ts";
import type { Evaluator } from "./evaluate.ts";
import { isObject } from "./objects.ts";

/** A primitive, or a weak set of one object. */
type Before = { readonly primitive: unknown } | { readonly object: WeakSet<WeakKey> };

export class DeclaredNames {
  readonly #evaluator: Evaluator;
  readonly #known = new Set<string>();

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  /**
   * Call before a cell that declares `names` runs. @returns a function to call after it, which returns the initialised
   * names
   */
  watch(names: readonly string[]): (succeeded: boolean) => string[] {
    const before = new Map<string, Before>();
    this.#visit(
      names.filter((name) => this.#known.has(name)),
      (name, value) => before.set(name, remember(value)),
    );
    return (succeeded) => {
      const initialised: string[] = [];
      if (succeeded) initialised.push(...names);
      else {
        this.#visit(names, (name, value) => {
          const old = before.get(name);
          if (old === undefined || !isSame(old, value)) initialised.push(name);
        });
      }
      for (const name of initialised) this.#known.add(name);
      return initialised;
    };
  }

  /** The types of the rows of those names that hold a table. */
  rowTypes(names: readonly string[]): Record<string, string> {
    const found: Record<string, string> = {};
    this.#visit(names, (name, value) => {
      if (!isObject(value) || types.isProxy(value)) return;
      const tell = (value as { [ROW_TYPE]?: unknown })[ROW_TYPE];
      if (typeof tell === "function") found[name] = String(Reflect.apply(tell, value, []));
    });
    return found;
  }

  /** Reads names that may not exist or may never have been initialised; those are left out. */
  #visit(names: readonly string[], visitor: (name: string, value: unknown) => void): void {
    if (names.length === 0) return;
    const readers = names.map((name) => `() => ${name}`).join(", ");
    const result = this.#evaluator.peek(`[${readers}]`, { allowSideEffects: true });
    (result?.value as (() => unknown)[] | undefined)?.forEach((read, index) => {
      try {
        visitor(names[index] as string, read());
      } catch (error) {
        if (!(error instanceof ReferenceError)) throw error;
      }
    });
  }
}

function remember(value: unknown): Before {
  return isObject(value) ? { object: new WeakSet([value]) } : { primitive: value };
}

function isSame(old: Before, value: unknown): boolean {
  if ("object" in old) return isObject(value) && old.object.has(value);
  return Object.is(old.primitive, value);
}
