// What has state that can be saved and loaded apart from itself: modules, optimizers, and whatever of the user's has
// the same two methods. Known by them alone, so that libtorch need not be loaded to tell. A leaf.

export interface Stateful {
  stateDict(): unknown;
  loadStateDict(state: unknown): unknown;
}

export function isStateful(value: unknown): value is Stateful & object {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const { stateDict, loadStateDict } = value as Partial<Stateful>;
  return typeof stateDict === "function" && typeof loadStateDict === "function";
}
