// Answers a cell that asks about a name, as `losses?`. Nothing of it runs.
import { parseHelpQuery } from "../../cell/magics/help_query.ts";
import type { Json } from "../../protocol/messages.ts";
import { CellStop } from "../prepare.ts";
import { type RequestedCell, type Ended, NO_END, type StageContext } from "./stage.ts";

/** @throws CellStop if nothing is known of the name */
export async function answerQuestion(
  { request }: RequestedCell,
  context: StageContext,
): Promise<object | Ended> {
  const question = parseHelpQuery(request.code);
  if (question === null) return {};
  const { name, detailLevel } = question;
  const answer = await context.inspect({ code: name, cursorPos: name.length, detailLevel });
  if (answer["found"] === true) return { ended: { ...NO_END, page: answer["data"] as Json } };
  throw CellStop.because("NameError", `Nothing is known of ${name}: no cell that ran has declared it.`);
}
