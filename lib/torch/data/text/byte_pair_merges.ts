// Learns byte pairs: which neighbouring tokens are merged, one merge after the other. Takes words as lists of ids
// with counts. Updates the counts of pairs at each merge, so that it visits only the words that contain the pair.

/** Ids of two neighbours that became one token. */
export type Merge = readonly [left: number, right: number];

export interface CountedWord {
  ids: number[];
  readonly count: number;
}

const KEY = 2 ** 24;
const keyOf = (left: number, right: number) => left * KEY + right;

class PairCounts {
  readonly #counts = new Map<number, number>();
  readonly #words = new Map<number, Set<CountedWord>>();

  add(word: CountedWord, sign: 1 | -1): void {
    for (let i = 1; i < word.ids.length; i++) {
      const key = keyOf(word.ids[i - 1]!, word.ids[i]!);
      const count = (this.#counts.get(key) ?? 0) + sign * word.count;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
      const words = this.#words.get(key) ?? new Set();
      if (sign === 1) this.#words.set(key, words.add(word));
      else words.delete(word);
    }
  }

  wordsWith(key: number): CountedWord[] {
    return [...(this.#words.get(key) ?? [])];
  }

  /** The key of the most frequent pair; among equally frequent ones the lowest. Null if no pair occurs often enough. */
  mostFrequent(min: number): number | null {
    let best: number | null = null;
    let max = min;
    for (const [key, count] of this.#counts) {
      if (count > max || (count === max && (best === null || key < best))) [best, max] = [key, count];
    }
    return best;
  }
}

/**
 * Learns merges until there are `size` tokens, and appends the new ones to `tokens`. The words are joined as it goes on.
 * A merge that spells an existing token gives that token's id: tokenizer.json finds tokens by their spelling.
 */
export function mergeMostFrequent(
  words: readonly CountedWord[],
  tokens: string[],
  size: number,
  min: number,
): Merge[] {
  const pairs = new PairCounts();
  for (const word of words) pairs.add(word, 1);
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merges: Merge[] = [];
  while (tokens.length < size) {
    const key = pairs.mostFrequent(min);
    if (key === null) break;
    const [left, right] = [Math.floor(key / KEY), key % KEY];
    const token = tokens[left]! + tokens[right]!;
    const id = ids.get(token) ?? tokens.push(token) - 1;
    ids.set(token, id);
    merges.push([left, right]);
    for (const word of pairs.wordsWith(key)) {
      pairs.add(word, -1);
      word.ids = joinPair(word.ids, left, right, id);
      pairs.add(word, 1);
    }
  }
  return merges;
}

/** `[1, 2, 1, 2, 3]` with 1 and 2 joined as 9 -> `[9, 9, 3]` */
export function joinPair(ids: readonly number[], left: number, right: number, joined: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    const isPair = ids[i] === left && ids[i + 1] === right;
    result.push(isPair ? joined : ids[i]!);
    if (isPair) i++;
  }
  return result;
}
