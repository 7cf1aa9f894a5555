// Prints the output of the cell's kernel magics, and keeps the switches that they set. `%compiled`, and `%outputs` in a cell
// of its own, end the cell here.
import { asksForOutputs } from "../outputs_query.ts";
import type { Prepared } from "./compile_with_magics.ts";
import { type RequestedCell, type Ended, NO_END, type StageContext } from "./stage.ts";

export async function showMagics(
  { request, header, ...prepared }: RequestedCell & Prepared,
  context: StageContext,
): Promise<object | Ended> {
  const { history, outputs } = context;
  const { compiled, nextInputs } = prepared;
  const cell = header.msg_id;
  context.switches = prepared.switches;
  if (request.storeHistory) history.setSource(compiled.code);
  outputs.text(cell, "stdout", prepared.printed);
  for (const number of prepared.showsOutputs) await outputs.showKept(number, header);
  if (asksForOutputs(request.code)) return { ended: NO_END };
  if (!prepared.showsCompiled) return {};
  outputs.text(cell, "stdout", `${compiled.code}\n`);
  return { ended: { ...NO_END, nextInputs } };
}
