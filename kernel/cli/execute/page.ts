// The HTML page of a notebook: nbconvert of the project's Python environment makes it. Knows files, nothing of cells.
import { spawn } from "node:child_process";
import { CommandError, venvProgram } from "../project.ts";
import { writeOutput } from "../output_files.ts";

/** @throws CommandError where nbconvert fails, or the page cannot be written */
export async function writePage(notebookFile: string, page: string): Promise<void> {
  // The user's configuration of nbconvert is meant for that program's own pages, so it is not read.
  const env = { ...process.env, JUPYTER_NO_CONFIG: "1" };
  // nbconvert takes a path for a pattern: `[1]` would be one of several characters.
  const pattern = notebookFile.replaceAll(/[[*?]/g, "[$&]");
  const args = ["-m", "nbconvert", "--to", "html", "--stdout", "--log-level", "ERROR", pattern];
  const child = spawn(venvProgram("python"), args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (status !== 0) throw new CommandError(`nbconvert made no page of ${notebookFile}: it says why above.`);
  writeOutput(page, [Buffer.concat(chunks).toString()]);
}
