// `%env`: shows and sets environment variables of the session. As in IPython, `%env NAME=` sets an empty value, which hides
// every GPU where the name is CUDA_VISIBLE_DEVICES. A name of PyTorch's for mps that PyTorch does not read is refused.
import { MagicError, type SessionHandler } from "./handler.ts";

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\s*=\s*|\s+)([\s\S]+)$/;
const NAME = /^[A-Za-z_]\w*$/;

export const env: SessionHandler<"env"> = async ({ text }, session) => {
  const { isUnknownMpsVariable, MPS_VARIABLES, unknownVariable } = await session.environmentVariables();
  const refuseUnknown = (name: string) => {
    if (!isUnknownMpsVariable(name)) return;
    throw new MagicError(unknownVariable(name));
  };
  if (text === "") {
    const width = Math.max(...MPS_VARIABLES.map(({ name }) => name.length));
    for (const { name, does } of MPS_VARIABLES)
      session.print(`${name.padEnd(width)}  ${process.env[name] ?? "not set"}  (${does})\n`);
    return;
  }
  if (NAME.test(text)) {
    refuseUnknown(text);
    return session.print(`${process.env[text] ?? `${text} is not set`}\n`);
  }
  const [, name, value = ""] = /^(\w+)=$/.exec(text) ?? ASSIGNMENT.exec(text) ?? [];
  if (name === undefined || !NAME.test(name))
    throw new MagicError(`%env takes nothing, a name, or NAME=VALUE; got ${text}.`);
  refuseUnknown(name);
  process.env[name] = value;
  // PyTorch's warnings about a value are printed when the cell ends, as after a change of `process.env`.
  session.print(`env: ${name}=${value}\n`);
};
