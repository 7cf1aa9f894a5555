// Checks the cell's types, and prints what does not stop it.
import { checkTypes } from "../prepare.ts";
import type { Prepared } from "./compile_with_magics.ts";
import type { Placed } from "./find_place.ts";
import type { RequestedCell, StageContext } from "./stage.ts";

export async function checkCell(
  { header, source, place, compiled, switches }: RequestedCell & Placed & Prepared,
  { outputs }: StageContext,
): Promise<object> {
  const printed = await checkTypes(source, compiled, place.language, switches);
  outputs.text(header.msg_id, "stderr", printed);
  return {};
}
