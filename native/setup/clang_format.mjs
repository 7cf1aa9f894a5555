// Runs clang-format over the C++ sources: `--check` says what differs, nothing rewrites it. Knows where `.venv` keeps
// the program.
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
