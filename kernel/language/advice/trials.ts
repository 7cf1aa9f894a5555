// Tries each candidate before it is shown as an advice: changes the cell and asks the checker again. An advice that is
// shown compiles at its place, removes the error, and brings no new one. Knows no rule.
import type { Diagnostic } from "../diagnostics.ts";
import {
  type Advice,
  advisedMessage,
  applied,
  type Candidate,
  type Edit,
  offsetBefore,
  placesAfter,
  withoutGuess,
} from "./advice.ts";

export interface Problem extends Diagnostic {
  /** Candidates from whoever found the error. */
  readonly offers?: readonly Candidate[];
  /** What the message already says: why the name is missing, or what an operator refuses about its arguments. */
  readonly known?: "cause" | "refusal";
  /** Under the notebook's options this is no error, unless an advice shows that it is one. */
  readonly isDoubtful?: boolean;
}

export interface Trying {
  /** The problems of a text that takes the cell's place; null if it cannot be parsed. */
  diagnose(text: string): Promise<readonly Problem[] | null>;
  /** Candidates for a problem of the text, likeliest first. */
  offer(text: string, problem: Problem): Promise<readonly Candidate[]>;
  /** The import of a name of the library; null if it has none. */
  importOf(name: string): string | null;
}

/** The most trials for one cell, at some 5 ms each: every line of a text may have an error. */
const MOST_TRIALS = 60;
/** An advice may uncover errors, if each of those has an advice: `x[0]` has no type, `x.at(0) + 1` is an error. */
const DEPTH = 1;
/** The most candidates that are tried for an error which another candidate has uncovered. */
const MOST_UNCOVERED = 8;
/** "Cannot find name 'x'.", "Cannot find namespace 'x'.", and the same with a guess. */
export const UNKNOWN_NAME: ReadonlySet<number> = new Set([2304, 2503, 2552]);

/** "Object literal may only specify known properties, and 'x' does not exist in type 'y'.", and the same with a guess. */
const UNKNOWN_OPTION: ReadonlySet<number> = new Set([2353, 2561]);

interface Held {
  readonly candidate: Candidate;
  readonly advice: Advice;
  /** The problems that the advice removes. */
  readonly solved: ReadonlySet<Problem>;
}

export class Trials {
  readonly #trying: Trying;
  #left = MOST_TRIALS;

  constructor(trying: Trying) {
    this.#trying = trying;
  }

  /**
   * The problems, each with the advice that removes it. A problem that another one's advice removes too is left out.
   */
  async advised(text: string, problems: readonly Problem[]): Promise<readonly Diagnostic[]> {
    const solved = new Set<Problem>();
    const held = new Map<Problem, Held>();
    for (const problem of problems) {
      if (solved.has(problem)) continue;
      const found = await this.holding(text, problem, problems);
      if (found === null) continue;
      held.set(problem, found);
      for (const one of found.solved) if (one !== problem && !held.has(one)) solved.add(one);
    }
    // An advice that removes another error too is the better one: `gc.collect()` as a whole, and not `gc?.collect`.
    for (const [problem, found] of held)
      for (const other of found.solved)
        if (other !== problem && held.get(other)?.solved.has(problem) === false) {
          held.delete(other);
          solved.add(other);
        }
    return problems.flatMap((problem) => {
      const { offers: _, isDoubtful, known: __, ...diagnostic } = problem;
      const found = held.get(problem);
      if (found !== undefined) {
        const message = advisedMessage(problem.message, found.candidate);
        return [{ ...diagnostic, message, ...(found.candidate.shown !== "" && { advice: found.advice }) }];
      }
      if (solved.has(problem) || isDoubtful === true) return [];
      return [{ ...diagnostic, message: withoutGuess(problem.message) }];
    });
  }

  /** The first candidate that removes the problem. @param problems all of the text */
  async holding(
    text: string,
    problem: Problem,
    problems: readonly Problem[],
    depth = DEPTH,
  ): Promise<Held | null> {
    if (problem.category !== "error" && problem.offers === undefined) return null;
    const offers = await this.#trying.offer(text, problem);
    for (const candidate of depth < DEPTH ? offers.slice(0, MOST_UNCOVERED) : offers) {
      if (this.#left <= 0) return null;
      if (text.slice(candidate.start, candidate.end) === candidate.text && !candidate.also) continue;
      const found = await this.#tried(text, candidate, problem, problems, depth);
      if (found !== null) return found;
    }
    return null;
  }

  async #tried(
    text: string,
    candidate: Candidate,
    problem: Problem,
    problems: readonly Problem[],
    depth: number,
  ): Promise<Held | null> {
    const { tried, sentence, start, end } = candidate;
    const also = [...(candidate.also ?? [])];
    const edits = (written: string): Edit[] => [{ start, end, text: written }, ...also];
    let judged = await this.#judge(text, edits(tried ?? candidate.text), problem, problems);
    const imports = judged === null ? [] : this.#importsFor(judged.brought);
    if (imports.length > 0) {
      also.push(...imports);
      judged = await this.#judge(text, edits(tried ?? candidate.text), problem, problems);
    }
    if (judged === null || !judged.isRemoved) return null;
    if (tried !== undefined && judged.brought.some(judged.isWithin)) return null;
    if (tried !== undefined) judged = await this.#judge(text, edits(candidate.text), problem, problems);
    if (judged === null || !judged.isRemoved) return null;
    let whole: Edit | null = null;
    for (const brought of judged.brought) {
      // In a text that could not be parsed, no names were looked up: names that are unknown now were unknown before.
      if (problem.code === 0 && UNKNOWN_NAME.has(brought.code) && text.includes(quoted(brought))) continue;
      // TypeScript names only the first unknown option of an object: the next one was unknown before.
      if ([problem, brought].every(({ code }) => UNKNOWN_OPTION.has(code)) && !judged.isWithin(brought))
        continue;
      // The inserted text may be wrong for its place, and have an advice of its own: `x[x > 0]`.
      if (depth === 0 || (judged.isWithin(brought) && !judged.isAll(brought))) return null;
      const next = await this.holding(judged.text, brought, judged.after, depth - 1);
      if (next === null) return null;
      whole ??= around(next.advice, { start, end, text: candidate.text }, also);
      // The next advice undoes this one: `"3"`, then `[3]`, which another candidate writes at once.
      if (whole !== null && !whole.text.includes(candidate.text)) return null;
      if (judged.isWithin(brought) && whole === null) return null;
    }
    const edit = whole ?? { start, end, text: candidate.text };
    const advice = { ...edit, sentence, also };
    const { shown, ...rest } = candidate;
    return {
      candidate: { ...rest, ...edit, also, ...(shown !== undefined && whole === null && { shown }) },
      advice,
      solved: judged.solved,
    };
  }

  async #judge(text: string, edits: readonly Edit[], problem: Problem, before: readonly Problem[]) {
    this.#left--;
    const changed = applied(text, edits);
    const after = await this.#trying.diagnose(changed);
    if (after === null) return null;
    const places = placesAfter(edits);
    const isWithin = ({ start, end }: Problem) =>
      places.some((place) => place.start <= start && end <= place.end);
    // Two calls of one text may be refused in the same words.
    const isTouched = (one: Problem) => edits.some(({ start, end }) => one.start <= end && start <= one.end);
    const isSame = (one: Problem, other: Problem) =>
      one.code === other.code &&
      (isWithin(other)
        ? one.message === other.message && isTouched(one)
        : offsetBefore(edits, other.start) === one.start);
    const solved = new Set(before.filter((one) => !after.some((other) => isSame(one, other))));
    const brought = after.filter(
      (other) => other.category === "error" && !before.some((one) => isSame(one, other)),
    );
    const isAll = ({ start, end }: Problem) =>
      places.some((place) => place.start === start && end === place.end);
    return { text: changed, after, brought, solved, isWithin, isAll, isRemoved: solved.has(problem) };
  }

  #importsFor(problems: readonly Problem[]): Edit[] {
    const names = problems.flatMap(({ code, message }) =>
      UNKNOWN_NAME.has(code) ? [quoted({ message })] : [],
    );
    return [...new Set(names)].flatMap((name) => {
      const line = this.#trying.importOf(name);
      return line === null ? [] : [{ start: 0, end: 0, text: `${line}\n` }];
    });
  }
}

/** An advice for the inserted text, merged with it into one replacement. */
function around(next: Advice, first: Edit, also: readonly Edit[]): Edit | null {
  const place = placesAfter([...also, first]).find(
    ({ start, end }) => end - start === first.text.length && next.start <= start && end <= next.end,
  );
  if (place === undefined || next.also.length > 0) return null;
  return {
    start: first.start - (place.start - next.start),
    end: first.end + (next.end - place.end),
    text: next.text,
  };
}

const quoted = ({ message }: Pick<Problem, "message">): string => /'([^']*)'/.exec(message)?.[1] ?? "";
