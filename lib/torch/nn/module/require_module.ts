// Throws where a module is expected and something else was passed.
import { describe } from "../../vocabulary/arguments.ts";
import { Module } from "./module.ts";

export function requireModule(call: string, module: unknown): asserts module is Module {
  if (!(module instanceof Module))
    throw new TypeError(`${call}: expected a module, got ${describe(module)}.`);
}
