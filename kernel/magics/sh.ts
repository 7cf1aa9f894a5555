// `%sh`: runs a shell command in the notebook's folder.
import { MagicError, type SessionHandler } from "./handler.ts";

export const sh: SessionHandler<"sh"> = async ({ text, body }, session) => {
  const script = body ?? text;
  const { code, signal } = await session.execute("/bin/sh", ["-c", script]);
  if (signal !== null) throw new MagicError(`The command was ended by ${signal}.`);
  if (code !== 0) throw new MagicError(`The command ended with exit code ${code}.`);
};
