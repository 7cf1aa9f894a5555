// What the cells above teach: the parameters, results and fields of their functions and classes, and what they import.
// TypeScript's types say less: not the names that a call gives by keyword, and not what a model gives. Knows no syntax.
import type { Learned } from "./context.ts";
import { isDrawing } from "./names/members.ts";

export interface Taught {
  /** Under the names of the functions and classes, as `Net` and `Net.forward`. */
  readonly learned: Learned;
  /** Local names of Python's modules and of what is in them: `F` -> `torch.nn.functional`. */
  readonly imports: ReadonlyMap<string, string>;
}

const PARTS = ["classes", "parameters", "returns", "attributes", "variables"] as const;

export const NOTHING_TAUGHT: Taught = { learned: madeOf(() => []), imports: new Map() };

function madeOf(entries: (part: (typeof PARTS)[number]) => readonly (readonly [string, unknown])[]): Learned {
  return Object.fromEntries(PARTS.map((part) => [part, new Map(entries(part))])) as never;
}

/** What is noted of variables and concerns a class: `property Net.size`. */
const OF_CLASS = /^(?:property|called|field) /;

/** The function or the class of an entry; null for what is only the cell's. */
function ownerOf(part: (typeof PARTS)[number], key: string): string | null {
  if (part === "variables" && !OF_CLASS.test(key)) return null;
  const name = key.replace(OF_CLASS, "");
  return name.includes(" ") ? null : name.split(".")[0]!;
}

/** The entries of functions and classes that a test accepts by name. */
const entriesOf = (from: Learned, accepts: (owner: string) => boolean): Learned =>
  madeOf((part) =>
    [...from[part]].filter(([key]) => {
      const owner = ownerOf(part, key);
      return owner !== null && accepts(owner);
    }),
  );

/** @param known names that earlier cells hold, and this one does not define */
export const learnedFrom = ({ learned }: Taught, known: ReadonlySet<string>): Learned =>
  entriesOf(learned, (owner) => known.has(owner));

/** @param own names that the cell defines */
export function taughtAfter(before: Taught, { learned, imports }: Taught, own: ReadonlySet<string>): Taught {
  const kept = entriesOf(before.learned, (owner) => !own.has(owner));
  const added = entriesOf(learned, (owner) => own.has(owner));
  return {
    learned: madeOf((part) => [...kept[part], ...added[part]]),
    imports: new Map([...imports].filter(([name, path]) => !own.has(name) || isDrawing(`path ${path}`))),
  };
}
