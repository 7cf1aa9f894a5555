// Runs a notebook of the repository headless: nbclient of `.venv`, the built kernel, parameters in place of those that
// the notebook's first cell holds.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { MimeBundle } from "../../lib/display.ts";
import { KERNEL_MAIN } from "./kernel_process.ts";

const root = path.resolve(import.meta.dirname, "../..");

export type Output =
  | { readonly output_type: "stream"; readonly name: string; readonly text: string | readonly string[] }
  | { readonly output_type: "error"; readonly ename: string; readonly evalue: string }
  | {
      readonly output_type: "display_data" | "execute_result";
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
    };

export interface NotebookCell {
  readonly cell_type: "code" | "markdown";
  readonly source: string | readonly string[];
  readonly metadata: { readonly tags?: readonly string[] };
  readonly outputs?: readonly Output[];
}

export interface Notebook {
  readonly cells: readonly NotebookCell[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** @throws Error with nbclient's report when a cell fails that is not tagged `raises-exception` */
export async function executeNotebook(
  name: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Notebook> {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-notebook-"));
  try {
    const kernelspec = path.join(folder, "kernels/mpslab");
    mkdirSync(kernelspec, { recursive: true });
    writeFileSync(
      path.join(kernelspec, "kernel.json"),
      JSON.stringify({
        argv: [process.execPath, KERNEL_MAIN, "{connection_file}"],
        display_name: "mpslab",
        language: "typescript",
        interrupt_mode: "message",
      }),
    );
    const { stdout } = await promisify(execFile)(
      path.join(root, ".venv/bin/python"),
      [
        path.join(import.meta.dirname, "execute_notebook.py"),
        path.join(root, "notebooks", name),
        "mpslab",
        JSON.stringify(parameters),
      ],
      // libtorch's threads spin while they wait: beside other tests one of them is many times faster than several.
      {
        env: { OMP_NUM_THREADS: "1", ...process.env, JUPYTER_PATH: folder },
        maxBuffer: 2 ** 28,
      },
    );
    return JSON.parse(stdout) as Notebook;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A notebook's texts are strings or lists of lines. */
export function textOf(text: unknown): string {
  return Array.isArray(text) ? text.join("") : String(text);
}
