// Records which dataset call a worker is in, in memory that the session reads, because a worker that hangs cannot
// send a message.

const KINDS = ["", "get", "getBatch", "next", "collate"] as const;
export type CallKind = (typeof KINDS)[number];

/** Two words for each worker: the kind of call, and its index, or the first of its indices. */
export const WORDS_PER_WORKER = 2;

let here: Int32Array | null = null;

/** This thread notes its calls in `words` from now on. */
export function noteCallsIn(words: Int32Array): void {
  here = words;
}

export function noteCall(kind: CallKind, index = 0): void {
  if (here === null) return;
  here[1] = index;
  here[0] = KINDS.indexOf(kind);
}

/** `dataset.get(7)`, `collate`; "" for a worker that is in no call. */
export function callText(words: Int32Array): string {
  const kind = KINDS[words[0]!] ?? "";
  switch (kind) {
    case "get":
      return `dataset.get(${words[1]})`;
    case "getBatch":
      return `dataset.getBatch([${words[1]}, ...])`;
    case "next":
      return "the dataset's next()";
    default:
      return kind === "" ? "" : `its ${kind} function`;
  }
}
