// Numbers the stacks of the user's code that allocate. A stack is told by the positions of its frames, and put into
// words once: `Cell [3]:4`, and the function's name.
import { userStack } from "../../torch/engine/call_site.ts";

/** One frame as PyTorch's memory viewer shows it. */
export interface Frame {
  /** The function, the operator or the variable. */
  readonly name: string;
  /** `Cell [3]`, or a file. */
  readonly filename: string;
  /** 0 where there is none. */
  readonly line: number;
}

export interface Place {
  /** The user's frames, the innermost first. */
  readonly frames: readonly Frame[];
  /** `Cell [3]:4`: the innermost frame that is no installed package's. */
  readonly line: string | null;
}

/** Layers stand between an operator and the user's line. */
const MAX_FRAMES = 50;
const LIBRARY = new URL("../../", import.meta.url);
const NOWHERE: Place = { frames: [], line: null };

export class Places {
  readonly #numbers = new Map<string, number>();
  readonly #places: Place[] = [NOWHERE];

  /** The number of the line that runs. */
  readonly here = (): number => {
    const key = stackKey();
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#places.length;
      this.#places.push(placeOfStack(userStack(MAX_FRAMES)));
      this.#numbers.set(key, number);
    }
    return number;
  };

  at(number: number): Place {
    return this.#places[number] ?? NOWHERE;
  }
}

const keepSites = (_: Error, sites: readonly NodeJS.CallSite[]): unknown => sites;

/** The positions of all frames that are neither Node's nor this library's, without mapping them to their sources. */
function stackKey(): string {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  Error.prepareStackTrace = keepSites;
  const { stack } = new Error() as unknown as { readonly stack: readonly NodeJS.CallSite[] };
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  let key = "";
  for (const site of stack) {
    const file = site.getScriptNameOrSourceURL() ?? "";
    if (file === "" || file.startsWith("node:")) continue;
    if (file.startsWith(LIBRARY.href) || file.startsWith(LIBRARY.pathname)) continue;
    key += `${file}:${site.getPosition()}|`;
  }
  return key;
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
