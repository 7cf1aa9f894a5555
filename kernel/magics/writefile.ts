// `%%writefile`: writes the cell to a file in the notebook's folder.
import { appendFileSync, existsSync } from "node:fs";
import { resolve } from "node:path";
import { failureReason, writeWholeText } from "../../lib/whole_file.ts";
import { MagicError, type SessionHandler } from "./handler.ts";

export const writefile: SessionHandler<"writefile"> = async ({ text, body = "", options }, session) => {
  const file = resolve(session.directory, text);
  const existed = existsSync(file);
  const content = body === "" || body.endsWith("\n") ? body : `${body}\n`;
  try {
    if (options["-a"]) appendFileSync(file, content);
    else writeWholeText("%%writefile", file, content);
  } catch (error) {
    const cause = options["-a"] ? error : (error as Error).cause;
    throw new MagicError(`${text} cannot be written: ${failureReason(file, cause)}.`);
  }
  const verb = !existed ? "wrote" : options["-a"] ? "appended to" : "replaced";
  session.print(`${verb} ${text}\n`);
};
