// Implements `In`, `Out` and `_`. Showing a large value once does not keep it alive: `Out` holds its text and a weak
// reference. Only the latest cells are kept, because the texts of 50,000 cells would hold 12 MB.
import { isObject } from "./objects.ts";

/** The most entries that `In` and `Out` each keep. IPython's `Out` has the same limit. */
export const KEPT_ENTRIES = 1_000;

/** One entry of `Out`. */
class Output {
  readonly preview: string;
  readonly #primitive: unknown;
  readonly #reference: WeakRef<WeakKey> | null;

  constructor(value: unknown, preview: string) {
    this.preview = preview;
    this.#primitive = isObject(value) ? undefined : value;
    this.#reference = isObject(value) ? new WeakRef(value) : null;
  }

  /** The value while some variable still holds it, else undefined. */
  get value(): unknown {
    return this.#reference === null ? this.#primitive : this.#reference.deref();
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.preview;
  }
}

export class CellHistory {
  /** Texts of cells by execution count. */
  readonly inputs: Record<number, string> = {};
  readonly outputs: Record<number, Output> = {};
  /**
   * The keys of the entries, oldest first. Listing the keys of an object that has a thousand would take as long as a
   * short cell.
   */
  readonly #inputCounts = new Set<number>();
  readonly #outputCounts = new Set<number>();
  #last: Output | null = null;

  /** The value of the last cell that had one. */
  get last(): unknown {
    return this.#last?.value;
  }

  /** Empties `In`, `Out` and `_`. The objects stay the same, so code that holds `In` or `Out` sees it. */
  clear(): void {
    for (const entries of [this.inputs, this.outputs]) {
      for (const count of Object.keys(entries)) delete entries[Number(count)];
    }
    this.#inputCounts.clear();
    this.#outputCounts.clear();
    this.#last = null;
  }

  addInput(count: number, text: string): void {
    this.inputs[count] = text;
    dropOldest(this.inputs, this.#inputCounts, count);
  }

  addOutput(count: number, value: unknown, preview: string): void {
    this.#last = this.outputs[count] = new Output(value, preview);
    dropOldest(this.outputs, this.#outputCounts, count);
  }
}

/** @param counts the keys of the entries, oldest first */
function dropOldest(entries: Record<number, unknown>, counts: Set<number>, added: number): void {
  counts.add(added);
  if (counts.size <= KEPT_ENTRIES) return;
  const oldest = counts.values().next().value!;
  counts.delete(oldest);
  delete entries[oldest];
}
