// Compiles the cell, and runs its kernel magics. A magic that forgets the notebook's names (`%reset`) runs before the rest of
// the cell, which is then compiled without these names.
import type { Compiled } from "../../cell/compile.ts";
import { type AppliedMagics, forgettingMagic, wantsTypes } from "../kernel_magics.ts";
import { compileCell } from "../prepare.ts";
import type { Placed } from "./find_place.ts";
import type { RequestedCell, StageContext } from "./stage.ts";

export interface Prepared extends AppliedMagics {
  readonly compiled: Compiled;
}

const NO_TYPES: ReadonlyMap<string, string> = new Map();

export async function compileWithMagics(
  { request, header, run, source, place, typescript }: RequestedCell & Placed,
  context: StageContext,
): Promise<Prepared> {
  const { dependencies, outputs, marks, ranks } = context;
  const { compile, directory } = dependencies;
  const types = wantsTypes(request.code) ? await place.types() : NO_TYPES;
  const state = {
    switches: context.switches,
    directory,
    typescript,
    types,
    keptOutputs: () => outputs.keptNumbers(),
    staleList: () => marks.staleList(),
    ranks,
  };
  const compiledNow = () => compileCell(source, compile, place.bindings, state, place.language);
  const prepared = await compiledNow();
  const forgetting = forgettingMagic(prepared.compiled.magics);
  if (forgetting === null || prepared.showsCompiled) return prepared;
  context.lastCell = header.msg_id;
  await place.runAlone(forgetting, request, header, run);
  place.forget();
  marks.forget();
  return await compiledNow();
}
