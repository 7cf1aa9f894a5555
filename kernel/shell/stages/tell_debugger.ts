// Tells the debugger the cell's script before the session has it: its breakpoints are set then.
import type { Prepared } from "./compile_with_magics.ts";
import type { Placed } from "./find_place.ts";
import type { RequestedCell, StageContext } from "./stage.ts";

export async function tellDebugger(
  { request, run, place, compiled, switches }: RequestedCell & Placed & Prepared,
  { own, debugger: told }: StageContext,
): Promise<object> {
  if (place === own) await told.cellStarts(compiled, request.code, run.count, switches.pdb);
  return {};
}
