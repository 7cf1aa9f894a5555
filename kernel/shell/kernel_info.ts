// Builds `kernel_info_reply`. Every client reads it first, so this file loads nothing.
import { createRequire } from "node:module";
import { PROTOCOL_VERSION, type Json } from "../protocol/messages.ts";

/** Imported by the package's own name, which works from the sources and from `dist/`. */
const require = createRequire(import.meta.url);
const { version } = require("mpslab/package.json") as { version: string };
const typescript = require("typescript/package.json") as { version: string };

export function kernelInfo(): Json {
  return {
    status: "ok",
    protocol_version: PROTOCOL_VERSION,
    implementation: "mpslab",
    implementation_version: version,
    language_info: {
      name: "typescript",
      version: typescript.version,
      mimetype: "application/typescript",
      file_extension: ".ts",
      pygments_lexer: "typescript",
      codemirror_mode: "typescript",
      nbconvert_exporter: "script",
    },
    banner: `mpslab ${version}: TypeScript ${typescript.version} over PyTorch's mps device`,
    debugger: true,
    supported_features: ["debugger", "kernel subshells"],
    help_links: [{ text: "PyTorch", url: "https://pytorch.org/docs/stable/" }],
  };
}
