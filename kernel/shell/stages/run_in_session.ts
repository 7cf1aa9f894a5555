// Runs the cell in its session. While it runs, finds which names of other cells it reads, for the stale marks.
import { isVariable } from "../../cell/analyze.ts";
import type { CellUses } from "../../cell/uses.ts";
import type { Done } from "../../session/supervisor.ts";
import { emptyRun } from "../empty_run.ts";
import { runtimeNames } from "../namespace.ts";
import { CellStop, type CompiledExpressions, compileExpressions } from "../prepare.ts";
import type { Prepared } from "./compile_with_magics.ts";
import type { Placed } from "./find_place.ts";
import type { Named } from "./collect_names.ts";
import type { RequestedCell, StageContext } from "./stage.ts";

export interface Ran {
  readonly done: Done;
  readonly refused: CompiledExpressions["refused"];
  /** Null for a cell that cannot be stale. */
  readonly uses: CellUses | null;
}

export async function runInSession(
  { request, header, run, ...cell }: RequestedCell & Placed & Prepared & Named,
  context: StageContext,
): Promise<Ran> {
  const { place, compiled, typescript, names, switches } = cell;
  if (run.stage === "interrupted") {
    throw CellStop.because("KeyboardInterrupt", "The cell was interrupted before it ran.");
  }
  run.stage = "running";
  run.ran = true;
  context.lastCell = header.msg_id;
  const { declared, url, code, map } = compiled;
  const expressions = compileExpressions(
    request.userExpressions,
    context.dependencies.compile,
    place.bindings,
    declared,
    run.script,
  );
  const running = place.session.run({
    ...emptyRun(request, header, run.count),
    endsWithItsWork: !request.allowStdin && !request.silent,
    url,
    code,
    map,
    declares: runtimeNames(compiled),
    variables: declared.filter(isVariable).map(({ runtimeName }) => runtimeName),
    epochLoops: compiled.epochLoops,
    imports: compiled.imports,
    importedNames: compiled.importedNames,
    typescript,
    names,
    flush: switches.flush,
    userExpressions: expressions.compiled,
  });
  const uses = run.stored && place === context.own ? compiled.uses() : null;
  const done = await running;
  if (place === context.own) context.debugger.cellEnded();
  return { done, refused: expressions.refused, uses };
}
