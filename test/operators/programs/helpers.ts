// What the programs share in TypeScript; helpers.py has the same for Python.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { torch, type Tensor } from "../../../lib/index.ts";

/** Programs by name, in the order of the Python file of the same subject; names are PyTorch's in camelCase. */
export type Programs = Readonly<Record<string, () => unknown>>;

/** What the engine of JavaScript throws at a mistake in a program; no error of the library reads so. */
const MISTAKE = /is not (a function|iterable|defined|a constructor)|[Cc]annot (read|set) propert/;

/** @throws unknown an error of JavaScript itself: the program is wrong, and refuses nothing */
export function refusal(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (MISTAKE.test(text)) throw error;
  return text.split("\n")[0]!;
}

/** Says whether this throws, for a program that looks at what is left behind. */
export function refused(act: () => unknown): boolean {
  try {
    act();
  } catch (error) {
    refusal(error);
    return true;
  }
  return false;
}

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-programs-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** A file that is gone after the run. */
export const scratch = (name: string): string => path.join(folder, name);

export const leaf = (...values: number[]): Tensor =>
  torch.tensor(values, { dtype: "float32", requiresGrad: true });
