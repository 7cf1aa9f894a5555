// The stages of a cell in their order. A new stage is a file in this folder and a line below. The order is checked by the
// compiler: a stage before what it needs is a type error.
import { answerQuestion } from "./answer_question.ts";
import { checkCell } from "./check_cell.ts";
import { compileWithMagics } from "./compile_with_magics.ts";
import { findPlace } from "./find_place.ts";
import { keepNames } from "./keep_names.ts";
import { collectNames } from "./collect_names.ts";
import { tellDebugger } from "./tell_debugger.ts";
import { runInSession } from "./run_in_session.ts";
import { showMagics } from "./show_magics.ts";
import { type RequestedCell, type CellEnd, NO_STAGES, type StageContext } from "./stage.ts";

const STAGES = NO_STAGES.next(answerQuestion)
  .next(findPlace)
  .next(compileWithMagics)
  .next(showMagics)
  .next(checkCell)
  .next(collectNames)
  .next(tellDebugger)
  .next(runInSession)
  .next(keepNames);

/** @throws CellStop */
export async function runStages(cell: RequestedCell, context: StageContext): Promise<Omit<CellEnd, "count">> {
  return (await STAGES.run(cell, context)).ended;
}
