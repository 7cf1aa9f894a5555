// The parameters of a sweep's points, and texts of their values: for sentences, and to find equal ones. Knows values, nothing of
// who runs them.

/** Values by a parameter's name. */
export type Grid = Readonly<Record<string, readonly unknown[]>>;

/** One value of each parameter. */
export type Point = Readonly<Record<string, unknown>>;

/** Every combination, the last parameter changing fastest. */
export function pointsOf(grid: Grid): Point[] {
  let points: Point[] = [{}];
  for (const [name, values] of Object.entries(grid)) {
    points = points.flatMap((point) => values.map((value) => ({ ...point, [name]: value })));
  }
  return points;
}

/** `batchSize 64, rate 0.1` */
export function pointText(point: Point): string {
  return Object.entries(point)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ");
}

/** A text as it is, anything else as JSON. */
export function valueText(value: unknown): string {
  const plain = jsonValue(value);
  return typeof plain === "string" ? plain : canonicalText(plain);
}

/** JSON by which equal values are found: keys in order, and words for what JSON does not have. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    const plain = jsonValue(part);
    if (typeof plain !== "object" || plain === null || Array.isArray(plain)) return plain;
    return Object.fromEntries(Object.entries(plain).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Converts a value for a journal or a notebook's metadata. JSON has no bigint and no NaN. */
export function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
