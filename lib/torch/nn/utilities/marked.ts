// Finds the parameter or buffer of a module that a parametrization names.
import { describe } from "../../vocabulary/arguments.ts";
import { Module } from "../module/module.ts";
import { Buffer, Parameter } from "../module/parameter.ts";
import { requireModule } from "../module/require_module.ts";

export type Marked = Parameter | Buffer;

/** @throws TypeError for what is no module, and where the module has no such parameter or buffer */
export function markedOf(call: string, module: Module, name: string): Marked {
  requireModule(call, module);
  const tensor = (module as unknown as Record<string, unknown>)[name];
  if (tensor instanceof Parameter || tensor instanceof Buffer) return tensor;
  throw new TypeError(`${call}: ${module.constructor.name} has no parameter or buffer ${describe(name)}.`);
}
