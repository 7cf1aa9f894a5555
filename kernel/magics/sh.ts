// `%sh`: a command of the shell, in the notebook's folder.
import { MagicError, sessionMagic } from "./magic.ts";

export const sh = sessionMagic({
  name: "sh",
  summary: "runs a shell command in the notebook's folder; its output appears as it comes",
  details:
    "The command has no input. The cell fails when the command does: its exit code is in the error. Stop ends the " +
    "command and everything that it has started.",
  line: { kind: "text", placeholder: "COMMAND" },
  cell: { argument: { kind: "none" }, body: "text" },
  async run({ text, body }, session) {
    const script = body ?? text;
    const { code, signal } = await session.execute("/bin/sh", ["-c", script]);
    if (signal !== null) throw new MagicError(`The command was ended by ${signal}.`);
    if (code !== 0) throw new MagicError(`The command ended with exit code ${code}.`);
  },
});
