// Records what a cell that ran has defined: its names, and which cells became stale. Ends the cell, with its error if it
// had one.
import { CellStop } from "../prepare.ts";
import type { Prepared } from "./compile_with_magics.ts";
import type { Placed } from "./find_place.ts";
import type { Ran } from "./run_in_session.ts";
import { type RequestedCell, type Ended, NO_END, type StageContext } from "./stage.ts";

/** The message if a name of a cell of `%%ranks` is used in the notebook. */
const RANKS_NAMES = "ran on the ranks: cells that begin with %%ranks see it";

export async function keepNames(
  { request, header, run, ...cell }: RequestedCell & Placed & Prepared & Ran,
  { own, marks }: StageContext,
): Promise<Ended> {
  const { place, compiled, done, uses, switches, nextInputs } = cell;
  const initialised = new Set(done.initialised);
  place.commit(compiled, run.count, initialised, done.rowTypes);
  if (place !== own) own.language.namesElsewhere(place.variables, RANKS_NAMES);
  if (uses !== null) {
    const { declared } = compiled;
    const failed = done.error !== undefined;
    const ended = { request, header, count: run.count, uses, declared, initialised, failed };
    marks.ran(ended, switches.stale);
  }
  if (done.error !== undefined) throw new CellStop(done.error);
  const userExpressions = { ...cell.refused, ...done.userExpressions };
  return { ended: { ...NO_END, userExpressions, nextInputs } };
}
