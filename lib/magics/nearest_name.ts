// Finds the known name nearest to a misspelled one.

/** Returns the candidate nearest to `typed`, or null if none is near. A candidate that begins with it has distance 0. */
export function nearestName(typed: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null;
  let min = Math.max(2, Math.ceil(typed.length / 2));
  for (const candidate of candidates) {
    const distance = candidate.startsWith(typed) ? 0 : editDistance(typed, candidate);
    if (distance < min) {
      min = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein distance in which swapping two neighbours counts once. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substituted = (last[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      let min = Math.min(substituted, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      const swapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) min = Math.min(min, (beforeLast[j - 2] as number) + 1);
      row.push(min);
    }
    beforeLast = last;
    last = row;
  }
  return last[right.length] as number;
}
