// Jupyter's own programs of `.venv` with this project's kernel, in a folder of their own. Writes notebooks and reads what
// the programs made of them.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeKernelspec } from "../../kernel/cli/kernelspec.ts";
import { venvProgram } from "../../kernel/cli/project.ts";
import { HANG_MS } from "./hang.ts";

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolOptions {
  /** The text that the program reads from its stdin, which is then closed. */
  readonly input?: string;
}

/** Source of a code cell, with its tags or its whole metadata if it has some. */
export type CellSource =
  | string
  | { readonly source: string; readonly tags: readonly string[] }
  | { readonly source: string; readonly metadata: object };

interface Output {
  readonly output_type: string;
  readonly text?: string | readonly string[];
  readonly data?: Readonly<Record<string, string | readonly string[]>>;
  readonly evalue?: string;
}

export class JupyterTools {
  readonly directory = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-tools-")));
  readonly environment: NodeJS.ProcessEnv = {
    ...process.env,
    JUPYTER_PATH: this.directory,
    JUPYTER_CONFIG_DIR: path.join(this.directory, "config"),
    JUPYTER_RUNTIME_DIR: path.join(this.directory, "runtime"),
    IPYTHONDIR: path.join(this.directory, "ipython"),
  };

  constructor() {
    writeKernelspec(this.directory);
  }

  /** @param program a program of `.venv`, or the path of another one */
  run(program: string, args: readonly string[], options: ToolOptions = {}): Promise<Finished> {
    const { input = "" } = options;
    const child = spawn(path.isAbsolute(program) ? program : venvProgram(program), args, {
      cwd: this.directory,
      env: this.environment,
      timeout: HANG_MS,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (text) => (stdout += text));
    child.stderr.on("data", (text) => (stderr += text));
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve({ status, stdout, stderr }));
    });
  }

  writeNotebook(name: string, cells: readonly CellSource[]): void {
    const metadata = {
      kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)", language: "typescript" },
      language_info: { name: "typescript" },
    };
    const codeCells = cells.map((cell, index) => ({
      cell_type: "code",
      id: `cell-${index}`,
      source: typeof cell === "string" ? cell : cell.source,
      metadata: metadataOf(cell),
      outputs: [],
      execution_count: null,
    }));
    const notebook = { nbformat: 4, nbformat_minor: 5, metadata, cells: codeCells };
    const file = path.join(this.directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(notebook));
  }

  /** The source of each cell and the text of its outputs. */
  readNotebook(name: string): { readonly source: string; readonly text: string }[] {
    // Python writes numbers that JSON does not have.
    const file = readFileSync(path.join(this.directory, name), "utf8").replace(
      /(?<=^ *(?:"\w+": )?)(?:NaN|-?Infinity)(?=,?$)/gm,
      "null",
    );
    const { cells } = JSON.parse(file) as {
      cells: { source: string | string[]; outputs?: Output[] }[];
    };
    return cells.map(({ source, outputs = [] }) => ({
      source: joined(source),
      text: outputs
        .map((output) => joined(output.text ?? output.data?.["text/plain"] ?? output.evalue ?? ""))
        .join(""),
    }));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

function metadataOf(cell: CellSource): object {
  if (typeof cell === "string") return {};
  return "tags" in cell ? { tags: cell.tags } : cell.metadata;
}

function joined(text: string | readonly string[]): string {
  return typeof text === "string" ? text : text.join("");
}
