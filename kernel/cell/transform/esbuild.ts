// Runs esbuild for the few constructs that the transformer does not compile. It is loaded at the first of them, because
// it starts a process of its own.
import { createRequire } from "node:module";
import type * as Esbuild from "esbuild";
import type { Mapped } from "./source_map.ts";

const require = createRequire(import.meta.url);

/**
 * @param target `esnext` takes only the types out
 * @throws esbuild's `TransformFailure`
 */
export function runEsbuild(text: string, loader: "js" | "ts", target: "es2023" | "esnext"): Mapped {
  const { transformSync } = require("esbuild") as typeof Esbuild;
  const { code, map } = transformSync(text, {
    loader,
    target,
    sourcemap: "external",
    charset: "utf8",
    logLevel: "silent",
  });
  return { code, mappings: (JSON.parse(map) as { mappings: string }).mappings };
}
