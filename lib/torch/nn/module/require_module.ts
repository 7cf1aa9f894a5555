// Refuses what is no module where one is expected. Knows no layer.
import { describe } from "../../vocabulary/arguments.ts";
import { Module } from "./module.ts";

export function requireModule(call: string, module: unknown): asserts module is Module {
  if (!(module instanceof Module))
    throw new TypeError(`${call}: expected a module, got ${describe(module)}.`);
}
