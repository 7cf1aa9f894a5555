// `%outputs`: shows what the kernel has kept of a cell's outputs, and follows a cell that is still running.
import { MagicError, type KernelHandler } from "./handler.ts";

export const outputs: KernelHandler<"outputs"> = ({ text }, { keptOutputs }) => {
  if (text === "") return { showsOutputs: { of: null } };
  const count = /^(?:\d+|\[\d+\])$/.test(text) ? Number(text.replace(/[[\]]/g, "")) : null;
  if (count === null)
    throw new MagicError(`%outputs takes the number of a cell, not "${text}": %outputs 12.`);
  const numbers = keptOutputs();
  if (!numbers.includes(count)) {
    const kept =
      numbers.length === 0 ? "none are" : `${numbers.map((number) => `[${number}]`).join(", ")} are`;
    throw new MagicError(`The outputs of Cell [${count}] are not kept; ${kept}.`);
  }
  return { showsOutputs: { of: count } };
};
