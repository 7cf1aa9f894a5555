// TypeScript's own opinion of a cell, as tsc prints it: for tests of what the declarations accept and refuse.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../../..");

/** The compiler's messages on a cell, without file names: `2: Cannot ...`; their first lines, or the whole of them. */
export function check(cell: string, lines: "first" | "all" = "first"): string[] {
  return [...compile(cell).matchAll(/^.*cell\.ts\((\d+),\d+\): error TS\d+: (.*)((?:\n  .*)*)$/gm)].map(
    ([, line, text, more]) => `${line}: ${text}${lines === "all" ? more : ""}`,
  );
}

/**
 * Its messages on our own declarations, in a project that has those of its packages checked, as is tsc's default. The
 * library `es2022` lacks what our declarations use of later ones, which a project names.
 */
export function checkDeclarations(compiler: Compiler, target: string): string[] {
  const roots = path.join(root, "node_modules/@types");
  const options = ["--skipLibCheck", "false", "--target", target, "--types", "node", "--typeRoots", roots];
  const output = compile('import { torch } from "mpslab";\nexport { torch };\n', options, compiler);
  return output.split("\n").filter((line) => line.includes("error TS"));
}

/** How many types the compiler makes of generic ones to check a cell that is right: the same on every machine. */
export function instantiations(cell: string): number {
  const output = compile(cell, ["--extendedDiagnostics"]);
  const [, count] = /^Instantiations:\s+(\d+)$/m.exec(output) ?? [];
  if (count === undefined || output.includes("error TS")) throw new Error(output);
  return Number(count);
}

/** A plain file's project, as the README tells people to write it, but for where the package is. */
export const PLAIN_PROJECT = {
  target: "es2022",
  lib: ["es2023", "esnext.disposable"],
  module: "nodenext",
  strict: true,
  noEmit: true,
  types: [] as string[],
  paths: { mpslab: [path.join(root, "dist/lib/index.d.ts")] },
};

/** The names under which the compilers' packages are installed here. */
export type Compiler = "typescript" | "typescript-5";

function compile(cell: string, options: readonly string[] = [], compiler: Compiler = "typescript"): string {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-types-"));
  try {
    writeFileSync(path.join(folder, "cell.ts"), cell);
    const compilerOptions = { ...PLAIN_PROJECT, skipLibCheck: true };
    writeFileSync(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["cell.ts"] }),
    );
    const tsc = path.join(root, "node_modules", compiler, "bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false", ...options], {
      encoding: "utf8",
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
