// Implements a notebook's output for tests: records what was shown, in order, and the work that a cell's end would wait
// for.
import type { DisplayOptions, MimeBundle, OutputSink } from "../../../lib/display.ts";

export interface Shown {
  readonly data: MimeBundle;
  readonly options: DisplayOptions;
}

export class ScriptedSink implements OutputSink {
  readonly shown: Shown[] = [];
  /** Values that were said to be in the output. */
  readonly held: object[] = [];
  readonly #pending: Promise<void>[] = [];
  live = true;
  cell: string | null = "Cell [1]";

  display(data: MimeBundle, options: DisplayOptions): void {
    this.shown.push({ data, options });
  }

  clear(): void {}

  holds(value: object): void {
    this.held.push(value);
  }

  currentCell(): string | null {
    return this.cell;
  }

  pending(work: Promise<void>): void {
    this.#pending.push(work);
  }

  /** Waits as the runtime does before it reports a cell done. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
  }

  /** Outputs as the page has them: each display id at its first place, with its last data. */
  outputs(): Shown[] {
    const places = new Map<string, Shown>();
    for (const shown of this.shown) places.set(shown.options.displayId ?? String(places.size), shown);
    return [...places.values()];
  }
}
