// `%%python`: puts the Python of its cell into a new cell below, as TypeScript.
import { counted } from "../../lib/words.ts";
import type { Taught } from "../python/taught.ts";
import type { Mark } from "../python/context.ts";
import { MagicError, type KernelHandler } from "./handler.ts";

/** By the cells that were converted before: a kernel has one notebook. */
let taught: Taught | undefined;

export const python: KernelHandler<"python"> = async ({ body = "" }, { types }) => {
  if (body.trim() === "") throw new MagicError("%%python takes the Python below it: write some.");
  // Loaded when it is first asked for: most notebooks never ask.
  const { convertPython, NotPythonError } = await import("../python/convert.ts");
  try {
    const { typescript, marks, ...conversion } = convertPython(body, types, taught);
    taught = conversion.taught;
    const lineCount = body.trim().split("\n").length;
    return {
      nextInput: typescript.trimEnd(),
      printed: `${counted(lineCount, "line")} of Python ${lineCount === 1 ? "is" : "are"} TypeScript in the next cell${markedText(marks)}\n`,
    };
  } catch (error) {
    if (error instanceof NotPythonError) throw new MagicError(`Nothing is converted: ${error.message}`);
    throw error;
  }
};

function markedText(marks: readonly Mark[]): string {
  if (marks.length === 0) return ", none of it marked";
  const lines = marks.map(({ line, message }) => `  line ${line}: ${message}`);
  return `; ${counted(marks.length, "place")} to look at, marked TODO there:\n${lines.join("\n")}`;
}
