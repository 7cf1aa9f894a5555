// `%load`: puts a file's text into a new cell below. Reading a file in a network folder may take long; the kernel
// answers other requests meanwhile.
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { counted } from "../../lib/words.ts";
import { MagicError, type KernelHandler } from "./handler.ts";

const LARGEST_BYTES = 1_000_000;

export const load: KernelHandler<"load"> = async ({ text }, { directory }) => {
  const file = resolve(directory, text.replace(/^~(?=\/|$)/, homedir()));
  const nextInput = await read(file, text);
  const lineCount = nextInput.replace(/\n$/, "").split("\n").length;
  return { nextInput, printed: `${text} is in the next cell, ${counted(lineCount, "line")}\n` };
};

async function read(file: string, asWritten: string): Promise<string> {
  try {
    const found = await stat(file);
    // Only a regular file is read: a pipe would block the kernel until somebody writes into it, and a device never
    // ends.
    if (!found.isFile() && !found.isDirectory())
      throw new MagicError(`${asWritten} is a pipe or a device: name a file.`);
    const { size } = found;
    if (size > LARGEST_BYTES) {
      throw new MagicError(`${asWritten} has ${size} bytes, too many for a cell: read it with node:fs.`);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof MagicError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new MagicError(`There is no file ${file}: check the path.`);
    if (code === "EISDIR") throw new MagicError(`${file} is a folder: name a file in it.`);
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") throw new MagicError(`${file} is not UTF-8 text.`);
    throw new MagicError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
