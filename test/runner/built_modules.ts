// Tests import `lib/` and `kernel/` as TypeScript; this gives them what `npm run build` made of these files. Node loads it
// in a fraction of the time that transforming the sources for each worker takes. Knows paths alone.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vitest/config";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SOURCE = /^(lib|kernel)\/.*\.ts$/;

/** Modules that Node loads by itself. */
export const BUILT = /\/dist\/(lib|kernel)\//;

/** A test that replaces a module, or a function of ours, reads the sources: nothing changes what Node loads by itself. */
const REPLACES_MODULES = /\bvi\.(doMock|mock)\(|^import \* as (\w+) from "\.[^"]*";[^]*\bvi\.spyOn\(\2\b/m;

export function builtModules(): Plugin {
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(name, importer) {
      if (!name.startsWith(".") || importer === undefined) return null;
      const from = importer.replace(/\?.*$/, "");
      if (!from.startsWith(path.join(ROOT, "test") + path.sep)) return null;
      const source = path.relative(ROOT, path.resolve(path.dirname(from), name));
      if (!SOURCE.test(source) || REPLACES_MODULES.test(readFileSync(from, "utf8"))) return null;
      const built = path.join(ROOT, "dist", source.replace(/\.ts$/, ".js"));
      return existsSync(built) ? built : null;
    },
  };
}
