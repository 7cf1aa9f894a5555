// Collects the notebook's names with their types, for a magic of the cell that lists them.
import { cellText } from "../../language/service.ts";
import type { NotebookName } from "../../session/channel.ts";
import { readsNames } from "../kernel_magics.ts";
import type { Prepared } from "./compile_with_magics.ts";
import type { Placed } from "./find_place.ts";
import type { RequestedCell } from "./stage.ts";

export interface Named {
  /** Empty where no magic of the cell reads them. */
  readonly names: readonly NotebookName[];
}

export async function collectNames({
  run,
  place,
  compiled,
}: RequestedCell & Placed & Prepared): Promise<Named> {
  return { names: readsNames(compiled.magics) ? await place.names(cellText(compiled, run.count)) : [] };
}
