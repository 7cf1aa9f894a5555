// Groups the values of pairs by their keys, where `Object.fromEntries` and `new Map` would keep only the last value of
// each key.

/** `[["a", 1], ["b", 2], ["a", 3]]` -> `a: [1, 3], b: [2]`, in the order in which keys first occur. */
export function grouped<Key, Value>(pairs: Iterable<readonly [Key, Value]>): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
