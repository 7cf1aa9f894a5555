// Loads the parser and the transformer when they are first used. Each is 3 MB, and a session that imports no local file
// needs neither.
import { createRequire } from "node:module";
import type * as Parser from "oxc-parser";
import type * as Transformer from "oxc-transform";

const require = createRequire(import.meta.url);
let parser: typeof Parser | undefined;
let transformer: typeof Transformer | undefined;

export const parseSync: typeof Parser.parseSync = (...given) => {
  parser ??= require("oxc-parser") as typeof Parser;
  return parser.parseSync(...given);
};

export const transformSync: typeof Transformer.transformSync = (...given) => {
  transformer ??= require("oxc-transform") as typeof Transformer;
  return transformer.transformSync(...given);
};

/** The fields of a node that hold child nodes, in source order. Who has a node has loaded the parser. */
export function childFields(type: string): readonly string[] {
  parser ??= require("oxc-parser") as typeof Parser;
  return parser.visitorKeys[type] ?? [];
}

/** Loads both early, so that the first cell does not wait for them. */
export function loadOxc(): void {
  parser ??= require("oxc-parser") as typeof Parser;
  transformer ??= require("oxc-transform") as typeof Transformer;
}
