// Modules in a captured step: another mode captures anew, and hooks are refused.
import { guardCapture, refuseInCapture } from "../../engine/captured_effects.ts";

interface Called {
  readonly training: boolean;
}

/** Called where a module is called in a step that is captured. `hooks`: its lists of hooks, null where it never had any. */
export function guardModule(module: Called, hooks: object | null): void {
  if (Object.values(hooks ?? {}).some((list) => Array.isArray(list) && list.length > 0)) {
    refuseInCapture(
      () =>
        `${module.constructor.name} has a hook, which is JavaScript that a replay does not run: remove it, or write what it does into forward().`,
    );
  }
  const { training } = module;
  guardCapture(() => module.training === training);
}
