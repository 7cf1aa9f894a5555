// MurmurHash2 with 32 bits: the hash by which Jupyter's clients name the text of a cell. A client computes it itself, so
// every bit has to agree with `@jupyterlab/debugger`.

const MULTIPLIER = 0x5bd1e995;

/** @param seed 32 bits; the client learns it from `debugInfo` */
export function murmur2(text: string, seed: number): number {
  const bytes = Buffer.from(text, "utf8");
  let hash = seed ^ bytes.length;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), MULTIPLIER);
    word ^= word >>> 24;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER);
  }
  if (at < bytes.length) {
    for (let rest = bytes.length - 1; rest >= at; rest--)
      hash ^= (bytes[rest] as number) << (8 * (rest - at));
    hash = Math.imul(hash, MULTIPLIER);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MULTIPLIER);
  return (hash ^ (hash >>> 15)) >>> 0;
}
