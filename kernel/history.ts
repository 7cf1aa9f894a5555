// What was executed in this kernel, for `history_request`. In memory: a new kernel begins with an empty history.
import type { HistoryRequest } from "./protocol/requests.ts";

/** Session number, line number, input; with `output`, the pair of input and output. */
export type HistoryItem = readonly [number, number, string | readonly [string, string | null]];

interface Entry {
  readonly line: number;
  readonly input: string;
  output: string | null;
}

/** Earlier sessions are not kept, so this is the only number that occurs. */
const SESSION = 1;

export class History {
  readonly #entries: Entry[] = [];

  add(line: number, input: string): void {
    this.#entries.push({ line, input, output: null });
  }

  setOutput(line: number, output: string): void {
    const entry = this.#entries.findLast((candidate) => candidate.line === line);
    if (entry !== undefined) entry.output = output;
  }

  query(request: HistoryRequest): HistoryItem[] {
    return this.#select(request).map(({ line, input, output }) => [
      SESSION,
      line,
      request.output ? [input, output] : input,
    ]);
  }

  #select(request: HistoryRequest): readonly Entry[] {
    switch (request.access) {
      case "tail":
        return last(this.#entries, request.n);
      case "range": {
        // 0 is the current session, negative numbers count back from it.
        if (request.session !== 0 && request.session !== SESSION) return [];
        return this.#entries.filter(({ line }) => line >= request.start && line < request.stop);
      }
      case "search": {
        const pattern = globPattern(request.pattern);
        const found = this.#entries.filter(({ input }) => pattern.test(input));
        return last(request.unique ? keepLatest(found) : found, request.n);
      }
    }
  }
}

function last<T>(items: readonly T[], count: number): readonly T[] {
  return count > 0 ? items.slice(-count) : [];
}

function keepLatest(entries: readonly Entry[]): Entry[] {
  const byInput = new Map<string, Entry>();
  for (const entry of entries) {
    byInput.delete(entry.input);
    byInput.set(entry.input, entry);
  }
  return [...byInput.values()];
}

/** `*` and `?` as in a shell, `[...]` and `[!...]` sets of characters; everything else is itself. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*+|\[!?[^\]]+\]|[\s\S]/g, (part) => {
    if (part.startsWith("*")) return "[\\s\\S]*";
    if (part === "?") return "[\\s\\S]";
    if (part.length === 1) return escapeRegExp(part);
    const negated = part.startsWith("[!");
    // A range that runs backwards ("[z-a]") is no set: then the dash is a character too.
    const members = part.slice(negated ? 2 : 1, -1).replace(/[\\^[\]]/g, "\\$&");
    return `[${negated ? "^" : ""}${isSet(members) ? members : members.replaceAll("-", "\\-")}]`;
  });
  return new RegExp(`^(?:${source})$`);
}

function isSet(members: string): boolean {
  try {
    return RegExp(`[${members}]`) instanceof RegExp;
  } catch {
    return false;
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
