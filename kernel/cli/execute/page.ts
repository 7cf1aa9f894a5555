// Makes a notebook's HTML page with the nbconvert of the project's Python environment. Knows files, nothing of cells.
import { spawn } from "node:child_process";
import { CommandError, venvProgram } from "../project.ts";
import { writeOutput } from "../output_files.ts";

/**
 * Does what `jupyter nbconvert --to html` does. That command takes 0.7 s of processor time to load, and reads the
 * user's settings.
 */
const PROGRAM =
  "import sys; from nbconvert.exporters.html import HTMLExporter; " +
  "sys.stdout.buffer.write(HTMLExporter().from_filename(sys.argv[1])[0].encode())";

/** @throws CommandError where nbconvert fails, or the page cannot be written */
export async function writePage(notebookFile: string, page: string): Promise<void> {
  const args = ["-c", PROGRAM, notebookFile];
  const child = spawn(venvProgram("python"), args, { stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (status !== 0) throw new CommandError(`nbconvert made no page of ${notebookFile}: it says why above.`);
  writeOutput(page, [Buffer.concat(chunks).toString()]);
}
