// `%reset`: forgets every name of the notebook in the same session.
import { counted } from "../../lib/words.ts";
import { MagicError, type SessionHandler } from "./handler.ts";

export const reset: SessionHandler<"reset"> = async ({ options }, session) => {
  const count = session.names.length;
  if (!options["-f"] && !agreed(session.confirm, count)) {
    throw new MagicError("Nothing was forgotten.");
  }
  session.forget();
  const freed = await session.collect();
  const { formatBytes } = await session.units();
  const tensors = freed === null ? "" : `, ${formatBytes(freed)} of tensors freed`;
  session.print(`${counted(count, "name")} forgotten${tensors}\n`);
};

function agreed(confirm: (question: string) => boolean, count: number): boolean {
  try {
    return confirm(`Forget ${counted(count, "name")} and their values?`);
  } catch (error) {
    if (!(error instanceof Error) || error.name === "KeyboardInterrupt") throw error;
    throw new MagicError("This front end takes no input: write %reset -f, which does not ask.");
  }
}
