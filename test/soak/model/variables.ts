// The variables that acknowledged cells have assigned, in the session and in the snapshot. Asks for them with a cell.
import { holds } from "../violation.ts";

export type Value = number | string;

export class Variables {
  #present = new Map<string, Value>();
  /** Null until one was taken. */
  #saved: ReadonlyMap<string, Value> | null = null;

  get hasSnapshot(): boolean {
    return this.#saved !== null;
  }

  assigned(values: Readonly<Record<string, Value>>): void {
    for (const [name, value] of Object.entries(values)) this.#present.set(name, value);
  }

  /** A snapshot of everything was acknowledged. */
  saved(): void {
    this.#saved = new Map(this.#present);
  }

  /** The session has ended. */
  lost(): void {
    this.#present.clear();
  }

  /** A whole snapshot was restored. */
  restored(): void {
    for (const [name, value] of this.#saved ?? []) this.#present.set(name, value);
  }

  /** A cell that prints all of them. */
  get question(): string {
    return `console.log(JSON.stringify([${[...this.#present.keys()].join(", ")}]));`;
  }

  /** @param stdout of the question's cell. @throws Violation */
  compare(stdout: string): void {
    const expected = JSON.stringify([...this.#present.values()]);
    const names = [...this.#present.keys()].join(", ");
    holds(stdout === `${expected}\n`, `The variables ${names} must be ${expected}, and are ${stdout}`);
  }
}
