// Finds the namespace in which the cell runs. Imports first what is missing there: what a session that has ended had
// imported, what the snapshot that the cell restores holds, and on ranks what the notebook has imported.
import type { TypeScriptOptions } from "../../cell/names.ts";
import { ranksOf } from "../../magics/ranks.ts";
import { restoredImports } from "../../snapshot/restored_cell.ts";
import type { Namespace } from "../namespace.ts";
import { type CellSource, restoring } from "../prepare.ts";
import type { RequestedCell, StageContext } from "./stage.ts";

export interface Placed {
  readonly source: CellSource;
  readonly place: Namespace;
  /** The options that the folder gives its cells. */
  readonly typescript: TypeScriptOptions;
}

/** The message if a name of the notebook is used in a cell of `%%ranks`. */
const OWN_NAMES = "ran in the notebook's own session: ranks have variables of their own";

export async function findPlace(cell: RequestedCell, context: StageContext): Promise<Placed> {
  const { request, run } = cell;
  const code = restoring(request.code, context.dependencies.directory);
  const place = await placeOf(cell, context);
  const typescript = await place.language.typeScriptOptions(code);
  return { source: { code, count: run.count, script: run.script }, place, typescript };
}

async function placeOf(
  { request, header, run }: RequestedCell,
  { dependencies, own, ranks, outputs }: StageContext,
): Promise<Namespace> {
  const lost = own.imports.takeLost(restoredImports(request.code, dependencies.directory));
  await own.importAgain(lost, request, header, run);
  const size = ranksOf(request.code);
  if (size === null) return own;
  const { namespace, note } = await ranks.of(size);
  outputs.text(header.msg_id, "stdout", note);
  namespace.language.namesElsewhere(own.variables, OWN_NAMES);
  const missing = ranks.missing(own.imports.present());
  await namespace.importAgain(missing, request, header, run, true);
  return namespace;
}
