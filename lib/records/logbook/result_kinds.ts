// Recognizes which measurement of the lab each result of a run comes from.

/** The lists by which each measurement's result is recognized; its name proves nothing, because a user chooses it. */
const MARKS = {
  sweep: ["points", "choices"],
  tune: ["knobs", "notes"],
  comparison: ["results", "speedups"],
  parity: ["groups", "tensors", "losses"],
  syncs: ["sites", "notes"],
  trace: ["phases", "switches"],
  utilization: ["windowsMs", "notes"],
  profile: ["operators"],
} as const;

export type ResultKind = keyof typeof MARKS;

/** Returns null if the value is not the result of a measurement of the lab. */
export function kindOfResult(result: unknown): ResultKind | null {
  if (typeof result !== "object" || result === null) return null;
  const lists = result as Readonly<Record<string, unknown>>;
  const kinds = Object.keys(MARKS) as ResultKind[];
  return kinds.find((kind) => MARKS[kind].every((mark) => Array.isArray(lists[mark]))) ?? null;
}

/** The result of a measurement among those of a run: the one of its name, else the first of its kind. */
export function resultOfKind(results: Readonly<Record<string, unknown>>, kind: ResultKind): unknown {
  if (kindOfResult(results[kind]) === kind) return results[kind];
  return Object.values(results).find((result) => kindOfResult(result) === kind);
}
