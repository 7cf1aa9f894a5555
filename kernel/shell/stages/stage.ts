// The type of a stage, and what puts stages into an order. A cell passes one after the other from its request to its reply:
// each takes what the stages before it have found, and adds to it. Knows none of them.
import type { History } from "../../history/history.ts";
import type { Outputs } from "../../iopub/outputs.ts";
import type { Switches } from "../../magics/kernel_side.ts";
import type { Header, Json } from "../../protocol/messages.ts";
import type { ExecuteRequest, InspectRequest } from "../../protocol/requests.ts";
import type { ErrorContent, UserExpressionResult } from "../../session/channel.ts";
import type { CellDebugger } from "../cell_debugger.ts";
import type { KernelDependencies } from "../dependencies.ts";
import type { Namespace, Run } from "../namespace.ts";
import type { Ranks } from "../ranks.ts";
import type { StaleMarks } from "../stale_marks.ts";

/** The parts of the kernel that stages use, and what one cell leaves for the next. */
export interface StageContext {
  readonly dependencies: KernelDependencies;
  readonly outputs: Outputs;
  readonly history: History;
  /** The notebook's own session. */
  readonly own: Namespace;
  readonly ranks: Ranks;
  readonly marks: StaleMarks;
  readonly debugger: CellDebugger;
  inspect(request: InspectRequest): Promise<Json>;
  switches: Switches;
  /** The id of the cell that ran last. */
  lastCell: string | null;
}

export interface RequestedCell {
  readonly request: ExecuteRequest;
  readonly header: Header;
  readonly run: Run;
}

export interface CellEnd {
  readonly count: number;
  readonly error?: ErrorContent;
  readonly userExpressions: Readonly<Record<string, UserExpressionResult>>;
  /** Texts for new cells below this one. */
  readonly nextInputs: readonly string[];
  /** The answer to `name?`, which front ends show in a pager. */
  readonly page: Json | null;
}

/** The result of a stage that ends the cell: later stages do not run. */
export interface Ended {
  readonly ended: Omit<CellEnd, "count">;
}

export const NO_END = { userExpressions: {}, nextInputs: [], page: null };

/** Resolves with what it adds to the cell. @throws CellStop */
export type Stage<Cell, More extends object> = (cell: Cell, context: StageContext) => Promise<More | Ended>;

export interface Stages<Cell> {
  /** The same stages and one more, which may use what they add. */
  next<More extends object>(stage: Stage<Cell, More>): Stages<Cell & More>;
  /** @throws CellStop */
  run(cell: RequestedCell, context: StageContext): Promise<Cell | Ended>;
}

export const NO_STAGES: Stages<RequestedCell> = after(async (cell) => cell);

function after<Cell extends object>(run: Stages<Cell>["run"]): Stages<Cell> {
  return {
    run,
    next: (stage) =>
      after(async (cell, context) => {
        const found = await run(cell, context);
        if ("ended" in found) return found;
        const more = await stage(found, context);
        return "ended" in more ? more : { ...found, ...more };
      }),
  };
}
