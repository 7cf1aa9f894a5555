// Runs session magics at their line of the cell, and ends those whose code runs in place. The handlers, and the
// library, are loaded when the first one runs.
import type { MagicCall } from "../../lib/magics/grammar.ts";
import type { AtEnd } from "../magics/handler.ts";
import type { SessionSide } from "../magics/session_side.ts";
import type { NotebookName } from "../session/channel.ts";
import { thisSystem } from "../../lib/platform/system.ts";
import { torchIsLoaded } from "../../lib/session.ts";
import { interruptible } from "./interrupt/awaits.ts";
import { type Cell, outputCell, owningCell } from "./cells.ts";
import { execute } from "./commands/child_processes.ts";
import { showBundle } from "./output/display.ts";
import { thrown } from "./debugger/kept_throw.ts";
import type { Evaluator } from "./evaluate.ts";
import type { CellHistory } from "./history.ts";
import type { Prompter } from "./prompt.ts";
import { reportText } from "./output/report.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";

export interface MagicsParts {
  readonly evaluator: Evaluator;
  readonly history: CellHistory;
  readonly prompter: Prompter;
  readonly snapshots: Snapshots;
  /** The notebook's folder. */
  readonly directory: string;
}

/** State of one cell. Cells of different subshells run at the same time. */
interface CellMagics {
  readonly names: readonly NotebookName[];
  /** End functions of code that runs in place now, the innermost last. */
  readonly open: AtEnd[];
}

export class Magics {
  readonly #parts: MagicsParts;
  readonly #cells = new WeakMap<Cell, CellMagics>();

  constructor(parts: MagicsParts) {
    this.#parts = parts;
  }

  /** @param names what earlier cells declared, if the cell's magics ask for it */
  cellStarts(cell: Cell, names: readonly NotebookName[]): void {
    this.#cells.set(cell, { names, open: [] });
  }

  /** Cleans up code that an error has left, and code that is the whole rest of a cell. */
  cellEnds(cell: Cell): void {
    for (const end of this.#of(cell).open.splice(0).reverse()) end();
  }

  /** Called by a compiled magic line. The compiler has rejected unknown names. */
  readonly run = async (name: string, call: MagicCall, code?: () => unknown): Promise<void> => {
    const { names, open } = this.#of(owningCell());
    const { sessionHandlerOf } = await import("../magics/table.ts");
    const handle = sessionHandlerOf(name);
    if (handle === null) throw new RangeError(`The magic %${name} does not run in the session.`);
    const end = await handle(call, this.#side(names), code);
    if (end !== undefined) open.push(end);
  };

  /** Called after code that runs in place. */
  readonly end = (value?: unknown): unknown => {
    this.#of(owningCell()).open.pop()?.();
    return value;
  };

  #of(cell: Cell | null): CellMagics {
    return (cell === null ? undefined : this.#cells.get(cell)) ?? { names: [], open: [] };
  }

  #side(names: readonly NotebookName[]): SessionSide {
    const { directory, prompter, evaluator, snapshots } = this.#parts;
    const signal = owningCell()?.signal ?? new AbortController().signal;
    const streams = {
      print: (text: string) => printTo("stdout", text),
      printError: (text: string) => printTo("stderr", text),
    };
    return {
      directory,
      signal,
      ...streams,
      names,
      snapshots,
      thrown,
      valueOf: (runtimeName) => evaluator.peek(runtimeName, { allowSideEffects: false }) ?? null,
      forget: () => this.#forget(names),
      show: (bundle) => showBundle(bundle),
      confirm: prompter.confirm,
      awaiting: async (value) => await interruptible(value),
      execute: (command, args) => execute(command, args, { directory, signal, ...streams }),
      accelerator: async () =>
        torchIsLoaded() ? (await import("../../lib/lab/core/native_device.ts")).nativeDevice() : null,
      collect: async () =>
        torchIsLoaded() ? (await import("../../lib/lab/index.ts")).flush().freedBytes : null,
      lab: () => import("../../lib/lab/index.ts"),
      device: () => import("../../lib/torch/engine/device.ts"),
      mps: () => import("../../lib/torch/devices/mps/mps.ts"),
      leaveCudaOut: (simulation) => {
        if (thisSystem.name === "linux" && !torchIsLoaded()) process.env["MPSLAB_METAL"] = simulation;
      },
      simulatedMetal: () => import("../../lib/torch/devices/mps/simulated_metal.ts"),
      simulationOptions: () => import("../../lib/torch/vocabulary/simulation_options.ts"),
      environmentVariables: () => import("../../lib/torch/devices/mps/environment_variables.ts"),
      units: () => import("../../lib/units.ts"),
      views: () => import("../../lib/views/shown_as.ts"),
    };
  }

  #forget(names: readonly NotebookName[]): void {
    const { evaluator, history, snapshots } = this.#parts;
    const assignments = names.map(({ runtimeName }) => `${runtimeName} = undefined`);
    evaluator.peek(assignments.join(", "), { allowSideEffects: true });
    history.clear();
    snapshots.forget();
  }
}

/** Prints in the output of the cell that the running code belongs to. */
export function printTo(name: "stdout" | "stderr", text: string): void {
  const cell = outputCell();
  if (cell !== null && text !== "") reportText(cell.id, name, text);
}
