// `%%ranks N`: checks the number; the kernel then runs the cell on that many ranks. `%ranks` lists them, or ends them.
import { availableParallelism } from "node:os";
import { MagicError, type KernelHandler } from "./handler.ts";

/** A rank without tensors holds 0.2 GB, and shares the cores with the others. */
const RANKS_OF_A_CORE = 8;

export const ranks: KernelHandler<"ranks"> = async ({ text, body }, { ranks: group }) => {
  if (body === undefined) return { printed: `${text === "stop" ? await group.stop() : group.describe()}\n` };
  if (!/^[1-9]\d*$/.test(text))
    throw new MagicError(`%%ranks takes the number of processes, 1 or more, not "${text}": %%ranks 4.`);
  if (Number(text) > mostRanks())
    throw new MagicError(
      `%%ranks ${text} are too many processes for the ${availableParallelism()} cores of this machine: take at most ${mostRanks()}.`,
    );
  return {};
};

const mostRanks = (): number => availableParallelism() * RANKS_OF_A_CORE;

/** The N of a cell that begins with `%%ranks N`; null for any other cell, and if N is wrong. */
export function ranksOf(code: string): number | null {
  const written = /^\s*%%ranks[ \t]+(.*?)[ \t]*(?:\r?\n|$)/.exec(code)?.[1];
  if (written === undefined || !/^[1-9]\d*$/.test(written)) return null;
  return Number(written) <= mostRanks() ? Number(written) : null;
}
