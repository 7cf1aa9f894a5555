// `%debug`: opens the state at the last error that `%pdb on` has kept.
import { MagicError, type SessionHandler } from "./handler.ts";

export const debug: SessionHandler<"debug"> = async ({ text, options }, session) => {
  const frame = options["-f"] ?? 1;
  const state = session.thrown.describe(frame);
  if (state === null) {
    throw new MagicError(
      "%debug: nothing was kept of an error; write %pdb on, and run the cell that fails again.",
    );
  }
  if (text === "") session.print(state);
  else session.show(await session.thrown.evaluate(frame, text));
};
