// Numbers the stacks of the user's code that allocate. A stack is identified by the positions of its frames. It is
// formatted only the first time, as `Cell [3]:4`, and the function's name.
import { userStack } from "../../torch/engine/call_site.ts";

/** One frame as PyTorch's memory viewer shows it. */
export interface Frame {
  /** The name of the function, the operator or the variable. */
  readonly name: string;
  /** `Cell [3]`, or a file. */
  readonly filename: string;
  /** 0 if there is none. */
  readonly line: number;
}

export interface Place {
  /** The user's frames, the innermost first. */
  readonly frames: readonly Frame[];
  /** `Cell [3]:4`: the innermost frame that is not in an installed package. */
  readonly line: string | null;
}

/** How many frames are read: there may be layers between an operator and the user's line. */
const MAX_FRAMES = 50;
const LIBRARY = new URL("../../", import.meta.url);
const NOWHERE: Place = { frames: [], line: null };

/** A node in the tree of stacks: the frames from the innermost one up to this one. */
interface Followed {
  /** By a number that combines the file and the position of the frame. */
  readonly outer: Map<number, Followed>;
  /** The number of the stack that ends here; 0 if none does. */
  number: number;
}

const followed = (): Followed => ({ outer: new Map(), number: 0 });

/** Positions in a script are smaller than this, because V8's strings have fewer characters. */
const MAX_POSITION = 2 ** 30;
/** The number of all files whose frames are left out. */
const LEFT_OUT = -1;

/**
 * Numbers the stacks. It compares them frame by frame as numbers: a text for each would make several kilobytes of
 * garbage per call.
 */
export class Places {
  readonly #files = new Map<string, number>();
  readonly #stacks = followed();
  readonly #places: Place[] = [NOWHERE];

  /** The number of the stack that is running. */
  readonly here = (): number => {
    let stack = this.#stacks;
    for (const site of callSites()) {
      const file = this.#fileOf(site.getScriptNameOrSourceURL() ?? "");
      if (file === LEFT_OUT) continue;
      const frame = file * MAX_POSITION + site.getPosition();
      let outer = stack.outer.get(frame);
      if (outer === undefined) {
        outer = followed();
        stack.outer.set(frame, outer);
      }
      stack = outer;
    }
    if (stack.number === 0) {
      stack.number = this.#places.length;
      this.#places.push(placeOfStack(userStack(MAX_FRAMES)));
    }
    return stack.number;
  };

  at(number: number): Place {
    return this.#places[number] ?? NOWHERE;
  }

  /** A number for each of the user's files. */
  #fileOf(name: string): number {
    let number = this.#files.get(name);
    if (number === undefined) {
      number = isUsers(name) ? this.#files.size : LEFT_OUT;
      this.#files.set(name, number);
    }
    return number;
  }
}

/** Whether a file belongs neither to Node nor to this library. */
const isUsers = (file: string): boolean =>
  file !== "" &&
  !file.startsWith("node:") &&
  !file.startsWith(LIBRARY.href) &&
  !file.startsWith(LIBRARY.pathname);

const keepSites = (_: Error, sites: readonly NodeJS.CallSite[]): unknown => sites;

/** All frames, without mapping them to their sources. */
function callSites(): readonly NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  Error.prepareStackTrace = keepSites;
  const { stack } = new Error() as unknown as { readonly stack: readonly NodeJS.CallSite[] };
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

const FRAME = /^\s+at (?:async )?(?:(?<name>.*?) \()?(?:file:\/\/)?(?<filename>.*?):(?<line>\d+):\d+\)?$/;

/** `    at train (Cell [3]:4:12)` -> `{ name: "train", filename: "Cell [3]", line: 4 }` */
function placeOfStack(stack: string): Place {
  const frames = stack.split("\n").flatMap((text): Frame[] => {
    const groups = FRAME.exec(text)?.groups;
    if (groups === undefined) return [];
    return [
      { name: groups["name"] ?? "(top level)", filename: groups["filename"]!, line: Number(groups["line"]) },
    ];
  });
  const users = frames.find(({ filename }) => !filename.includes("/node_modules/")) ?? frames[0];
  return { frames, line: users === undefined ? null : `${users.filename}:${users.line}` };
}
