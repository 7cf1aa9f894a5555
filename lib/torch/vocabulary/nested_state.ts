// Finds the state dict inside a whole checkpoint, such as `{ model, optimizer, epoch }`, for error messages.
import { isRecord } from "./arguments.ts";

/** The first entry of a record that is a state itself: its key, and how a user writes it. */
export function stateWithin(
  given: unknown,
  isState: (value: Readonly<Record<string, unknown>>) => boolean,
): { readonly written: string; readonly value: Readonly<Record<string, unknown>> } | null {
  if (!isRecord(given)) return null;
  for (const [key, value] of Object.entries(given)) {
    if (!isRecord(value) || !isState(value)) continue;
    const isName = /^[A-Za-z_$][\w$]*$/.test(key);
    return { written: `state${isName ? `.${key}` : `[${JSON.stringify(key)}]`}`, value };
  }
  return null;
}

/** ` It is a whole checkpoint: pass state.optimizer.`; "" if it holds no such state. */
export function passInstead(given: unknown, isState: Parameters<typeof stateWithin>[1]): string {
  const within = stateWithin(given, isState);
  return within === null ? "" : ` It is a whole checkpoint: pass ${within.written}.`;
}
