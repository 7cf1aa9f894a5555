// Modules in a captured step: other fields capture anew, its training mode among them, or hooks, which are refused.
import { noteRead, refuseInCapture } from "../../engine/captured_effects.ts";
import type { HookSlot } from "./hooks.ts";

/** Called where a module is called in a step that is captured. */
export function guardModule(module: object, slot: HookSlot): void {
  if (slot.hooks !== null) {
    refuseInCapture(
      () =>
        `${module.constructor.name} has a hook, which is JavaScript that a replay does not run: remove it, or write what it does into forward().`,
    );
  }
  noteRead(slot, ["state"]);
  noteRead(module);
}
