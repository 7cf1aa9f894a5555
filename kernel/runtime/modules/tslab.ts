// Implements `import * as tslab from "tslab"` in a cell: tslab's display functions over this session's outputs. The
// package itself would load its own compiler into the session (0.2 s and 60 MB), so only its types and version are
// read.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Tslab from "tslab";
import { checkedBundle, showBundle } from "../output/display.ts";

const MIME_TYPES = {
  javascript: "text/javascript",
  html: "text/html",
  markdown: "text/markdown",
  latex: "text/latex",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
  text: "text/plain",
} as const;

/** @param displayId shows once under it, and replaces that from then on; null: each call shows anew */
function createDisplay(displayId: string | null): Tslab.Display {
  let shown = false;
  const raw = (type: string, content: string | Uint8Array): void => {
    showBundle(checkedBundle({ [type]: content }), displayId === null ? {} : { displayId, update: shown });
    shown = true;
  };
  const kinds = Object.entries(MIME_TYPES).map(([name, type]) => [
    name,
    (content: string | Uint8Array) => raw(type, content),
  ]);
  return { ...(Object.fromEntries(kinds) as Omit<Tslab.Display, "raw">), raw };
}

export const display: Tslab.Display = createDisplay(null);

export function newDisplay(): Tslab.Display {
  return createDisplay(randomBytes(8).toString("hex"));
}

export const versions: Readonly<Record<"tslab" | "typescript" | "node", string>> = {
  tslab: versionOf("tslab/package.json"),
  typescript: versionOf("@tslab/typescript-for-tslab/package.json"),
  node: process.version,
};

/** tslab's own compiler, as its notebooks print it; cells of this kernel are checked by another one. */
function versionOf(manifest: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve("tslab/package.json"));
  const { version } = JSON.parse(readFileSync(require.resolve(manifest), "utf8")) as { version: string };
  return version;
}
