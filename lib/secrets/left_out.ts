// Counts what was left out, by place and kind, and says it in a sentence. Never holds a secret itself.
import { counted, listed } from "../words.ts";
import type { Redaction } from "./redact.ts";

/** More places are counted. */
const MAX_NAMED = 6;

export class LeftOutParts {
  readonly #counts = new Map<string, Map<string, number>>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(place: string, kind: string): void {
    const kinds = this.#counts.get(place) ?? new Map<string, number>();
    this.#counts.set(place, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
    this.#total += 1;
  }

  /** @param lead stands before each place of the others */
  addAll(lead: string, others: LeftOutParts): void {
    for (const [place, kinds] of others.#counts)
      for (const [kind, count] of kinds)
        for (let one = 0; one < count; one++) this.add(`${lead}${place}`, kind);
  }

  /** Returns the text, and counts what it lacks. */
  of(place: string, { text, found }: Redaction): string {
    for (const { kind, line } of found)
      this.add(text.includes("\n") ? `${place}, line ${line}` : place, kind);
    return text;
  }

  /** `3 secrets were left out: cell [2], line 4 (under its name), .npmrc (2 under their names)`; null for none. */
  sentence(): string | null {
    if (this.#total === 0) return null;
    const places = [...this.#counts].map(([place, kinds]) => {
      const told = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} ${kind}`));
      return `${place} (${listed(told)})`;
    });
    const others = places.length - MAX_NAMED;
    const shown = others > 0 ? [...places.slice(0, MAX_NAMED), counted(others, "other place")] : places;
    return `${counted(this.#total, "secret")} ${this.#total === 1 ? "was" : "were"} left out: ${shown.join("; ")}.`;
  }
}
