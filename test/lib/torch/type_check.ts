// TypeScript's own opinion of a cell, as tsc prints it: for tests of what the declarations accept and refuse.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../..");

/** The compiler's messages on a cell, without file names: `2: Cannot ...`; their first lines, or the whole of them. */
export function check(cell: string, lines: "first" | "all" = "first"): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-types-"));
  try {
    writeFileSync(path.join(folder, "cell.ts"), cell);
    const compilerOptions = {
      target: "es2023",
      lib: ["es2023", "esnext.disposable"],
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      paths: { mpslab: [path.join(root, "dist/lib/index.d.ts")] },
    };
    writeFileSync(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["cell.ts"] }),
    );
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    try {
      execFileSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
      return [];
    } catch (error) {
      const output = (error as { stdout: string }).stdout;
      return [...output.matchAll(/^.*cell\.ts\((\d+),\d+\): error TS\d+: (.*)((?:\n  .*)*)$/gm)].map(
        ([, line, text, more]) => `${line}: ${text}${lines === "all" ? more : ""}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
