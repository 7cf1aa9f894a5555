// Recognizes values whose state can be saved and loaded separately: modules, optimizers, and user objects with the same
// two methods. Checks only for the methods, so that libtorch need not be loaded.

export interface Stateful {
  stateDict(): unknown;
  loadStateDict(state: unknown): unknown;
}

export function isStateful(value: unknown): value is Stateful & object {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const { stateDict, loadStateDict } = value as Partial<Stateful>;
  return typeof stateDict === "function" && typeof loadStateDict === "function";
}
