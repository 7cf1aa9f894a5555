// Runs clang-format from `.venv` over the C++ sources: `--check` prints the differences, no option rewrites the files.
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runInForeground } from "./report.mjs";
import { venvProgram } from "./python.mjs";

const native = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const sources = readdirSync(native, { recursive: true })
  .filter((name) => /\.(cc|h|mm)$/.test(name))
  .map((name) => path.join(native, name));
const mode = process.argv.includes("--check") ? ["--dry-run", "--Werror"] : ["-i"];
process.exitCode =
  sources.length === 0
    ? 0
    : await runInForeground(venvProgram(path.dirname(native), "clang-format"), [...mode, ...sources]);
