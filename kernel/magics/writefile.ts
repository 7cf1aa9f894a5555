// `%%writefile`: the cell as a file in the notebook's folder.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { MagicError, sessionMagic } from "./magic.ts";

export const writefile = sessionMagic({
  name: "writefile",
  summary: "writes the rest of the cell to a file",
  details: "A .ts file can then be imported, and is loaded again when it has changed.",
  cell: { argument: { kind: "text", placeholder: "FILE" }, body: "text" },
  options: { "-a": { takes: "nothing", help: "appends to the file" } },
  async run({ text, body = "", options }, session) {
    const file = resolve(session.directory, text);
    const existed = existsSync(file);
    const content = body === "" || body.endsWith("\n") ? body : `${body}\n`;
    try {
      if (options["-a"]) appendFileSync(file, content);
      else writeFileSync(file, content);
    } catch (error) {
      throw new MagicError(`${text} cannot be written: ${reasonOf(error)}.`);
    }
    const verb = !existed ? "wrote" : options["-a"] ? "appended to" : "replaced";
    session.print(`${verb} ${text}\n`);
  },
});

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "its folder does not exist";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES" || code === "EROFS") return "no permission";
  return message;
}
