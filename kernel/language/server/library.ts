// Finds the library's declarations, and the names that a cell can import from it. The names are read from the file's
// own exports. Asking the server would load every declaration behind them, 16 MB.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { PACKAGE_ROOT } from "../../../lib/installation/package.ts";
import { parseSync } from "../../../lib/typescript/oxc.ts";

/** The file behind `import ... from "mpslab"`. */
export function libraryTypes(): string {
  const built = path.join(PACKAGE_ROOT, "dist", "lib", "index.d.ts");
  return existsSync(built) ? built : path.join(PACKAGE_ROOT, "lib", "index.ts");
}

/** Every name that the file exports, types included. The file lists each of them. */
export function libraryNames(): string[] {
  const file = libraryTypes();
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => exportName.name ?? []),
  );
}
