// Finds the tensors that the session's variables hold, by a breadth-first search in plain data: every variable has its
// turn before any is searched deeply. When its time is over, it reports what it did not look at. It does not see what a
// closure, a private field or a graph holds.
import type { Tensor } from "../types/index.ts";
import { types } from "node:util";
import { isPlainObject } from "../../plain_object.ts";
import { installedSession } from "../../session.ts";
import { describe } from "../vocabulary/arguments.ts";
import { isObject, listedBefore, LONG_ARRAY, type Members, membersOf } from "./members.ts";
import { native } from "./native.ts";

/** The longest time of a search that the user did not ask for, and after how many values the clock is read. */
const BUDGET_MS = 200;
const CLOCK_VALUES = 1024;

/** How many keys of a long path are shown at each end. */
const SHOWN_KEYS = 4;

export interface HeldTensor {
  readonly tensor: Tensor;
  readonly variable: string;
  /** The path, which begins with the variable: `model.0.weight`, `losses[3]`. */
  readonly path: string;
  /** Whether it was added to a list after the lists had these lengths: by itself, or inside a record. */
  isLaterThan(lengths: ListLengths): boolean;
}

/** The lengths of long lists, and of lists in which tensors were found. It keeps no list alive. */
export type ListLengths = WeakMap<object, number>;

export interface SearchLimits {
  /** Milliseconds that the search may take. Default: 200. */
  readonly budgetMs?: number;
  readonly nowMs?: () => number;
}

export interface VariableSearch {
  /** Each tensor once, for the variable from which the fewest steps lead to it. Disposed tensors are left out. */
  readonly tensors: Iterable<HeldTensor>;
  /**
   * Complete only after the search: how many values were not looked at, by the variable that leads to them. Values
   * inside those are not counted.
   */
  readonly unseen: ReadonlyMap<string, number>;
  readonly lengths: ListLengths;
}

/** A value that was reached from a variable. */
interface Place {
  readonly value: object;
  readonly variable: string;
  readonly parent: Place | null;
  readonly key: unknown;
  /** Undefined until the value has its first turn. */
  members?: Members | null;
}

export function searchVariables({
  budgetMs = BUDGET_MS,
  nowMs = () => performance.now(),
}: SearchLimits = {}): VariableSearch {
  const unseen = new Map<string, number>();
  const lengths: ListLengths = new WeakMap();
  return { tensors: search(unseen, lengths, budgetMs, nowMs), unseen, lengths };
}

function* search(
  unseen: Map<string, number>,
  lengths: ListLengths,
  budgetMs: number,
  nowMs: () => number,
): Generator<HeldTensor, void> {
  const session = installedSession();
  const seen = new Set<object>();
  let found: Place[] = [];
  let next: Place[] = [];
  const discover = (value: object, variable: string, parent: Place | null, key: unknown): void => {
    if (seen.has(value)) return;
    seen.add(value);
    const isFound = isTensor(value);
    (isFound ? found : next).push({ value, variable, parent, key });
    const list = isFound ? parent?.value : value;
    if (Array.isArray(list) && !types.isProxy(list) && (isFound || list.length > LONG_ARRAY))
      lengths.set(list, list.length);
  };
  const tell = (variable: string, values: number): void =>
    void unseen.set(variable, (unseen.get(variable) ?? 0) + values);
  for (const [variable, value] of session?.variables() ?? [])
    if (isObject(value)) discover(value, variable, null, variable);

  const endMs = nowMs() + budgetMs;
  let sinceClock = 0;
  while (found.length > 0 || next.length > 0) {
    const turns = next;
    next = [];
    for (const [index, place] of turns.entries()) {
      if (found.length > 0) yield* found.splice(0).flatMap(held);
      if (sinceClock >= CLOCK_VALUES) {
        sinceClock = 0;
        // An interrupt ends the search here; the loop's next check throws it.
        if (nowMs() >= endMs || (session !== null && session.stopFlag[0] !== 0)) {
          for (const { variable, members } of [...turns.slice(index), ...next])
            tell(variable, members?.left() ?? 1);
          return;
        }
      }
      sinceClock++;
      const known = place.members === undefined ? listedBefore(place.value) : null;
      if (known !== null && known.ms > endMs - nowMs()) {
        tell(place.variable, known.count);
        continue;
      }
      const members = (place.members ??= membersOf(place.value));
      if (members === null) continue;
      sinceClock += members.read((key, member) => discover(member, place.variable, place, key));
      if (members.left() > 0) next.push(place);
    }
    if (found.length > 0) yield* found.splice(0).flatMap(held);
  }
}

/** Asking the addon about each of a million records would take longer than reading them. */
const isTensor = (value: object): value is Tensor =>
  !types.isProxy(value) && !Array.isArray(value) && !isPlainObject(value) && native.isTensor(value);

function held({ value, variable, ...from }: Place): HeldTensor[] {
  const tensor = value as Tensor;
  if (native.isDisposed(tensor)) return [];
  return [
    {
      tensor,
      variable,
      get path() {
        return pathOf({ value, variable, ...from });
      },
      isLaterThan: (lengths) => isLater({ value, variable, ...from }, lengths),
    },
  ];
}

function isLater(place: Place, lengths: ListLengths): boolean {
  for (let at = place; at.parent !== null; at = at.parent) {
    const length = lengths.get(at.parent.value);
    // The key of a Map may be any value, such as a parameter in an optimizer's state.
    const isIndex = typeof at.key === "number" || typeof at.key === "string";
    if (length !== undefined && isIndex && Number(at.key) >= length) return true;
  }
  return false;
}

function pathOf(place: Place): string {
  const keys: string[] = [];
  for (let at = place; at.parent !== null; at = at.parent) keys.push(keyText(at.parent.value, at.key));
  keys.reverse();
  const left = keys.length - 2 * SHOWN_KEYS;
  const shown = left > 1 ? keys.toSpliced(SHOWN_KEYS, left, " ... ") : keys;
  return place.variable + shown.join("");
}

function keyText(holder: object, key: unknown): string {
  if (types.isMap(holder))
    return isObject(key) ? ".get(...)" : key === undefined ? "" : `.get(${describe(key)})`;
  if (key === undefined) return "";
  return Array.isArray(holder) && /^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`;
}
