// Magics that run in the session, at their line of the cell: lends them what they need, and ends those whose code runs
// in place. Loads them, and the library, when the first one runs.
import type { AtEnd, MagicCall } from "../magics/magic.ts";
import type { SessionSide } from "../magics/session_side.ts";
import type { NotebookName } from "../session/channel.ts";
import { outputCell, owningCell } from "./cells.ts";
import { showBundle } from "./display.ts";
import type { Evaluator } from "./evaluate.ts";
import { reportText } from "./report.ts";

export class Magics {
  readonly #evaluator: Evaluator;
  readonly #directory: string;
  #names: readonly NotebookName[] = [];
  /** Of code that runs in place now, the innermost last. */
  readonly #open: AtEnd[] = [];

  constructor(evaluator: Evaluator, directory: string) {
    this.#evaluator = evaluator;
    this.#directory = directory;
  }

  /** @param names what earlier cells declared, if the cell's magics ask for it */
  cellStarts(names: readonly NotebookName[]): void {
    this.#names = names;
  }

  /** What a compiled magic line calls. The compiler has refused names that do not exist. */
  readonly run = async (name: string, call: MagicCall, code?: () => unknown): Promise<void> => {
    const { MAGICS } = await import("../magics/table.ts");
    const magic = MAGICS.get(name);
    if (magic?.side !== "session") throw new RangeError(`The session knows no magic %${name}.`);
    const end = await magic.run(call, this.#side(), code);
    if (end !== undefined) this.#open.push(end);
  };

  /** What stands behind code that runs in place. */
  readonly end = (value?: unknown): unknown => {
    this.#open.pop()?.();
    return value;
  };

  /** Code that was left by an error, and the code of whole cells. */
  readonly endAll = (): void => {
    for (const end of this.#open.splice(0).reverse()) end();
  };

  #side(): SessionSide {
    const print = (name: "stdout" | "stderr", text: string) => {
      const cell = outputCell();
      if (cell !== null && text !== "") reportText(cell.id, name, text);
    };
    return {
      directory: this.#directory,
      signal: owningCell()?.signal ?? new AbortController().signal,
      names: this.#names,
      valueOf: (runtimeName) => this.#valueOf(runtimeName),
      print: (text) => print("stdout", text),
      printError: (text) => print("stderr", text),
      show: (bundle) => showBundle(bundle),
      lab: () => import("../../lib/lab/index.ts"),
      device: () => import("../../lib/torch/device.ts"),
      units: () => import("../../lib/lab/units.ts"),
    };
  }

  #valueOf(runtimeName: string): { readonly value: unknown } | null {
    return this.#evaluator.peek(runtimeName, { allowSideEffects: false }) ?? null;
  }
}
