// Lines that begin with % in a cell: which there are, what they are called, where they run. Pure text work.
//
// The rule: a magic is a line outside of brackets, strings, template literals and comments that begins, without
// indentation, with % and directly a letter. So `a`, newline, `% b` or an indented `  %b` go on being a remainder.
import { RUNTIME } from "./names.ts";
import { scan } from "./scan.ts";
import { CellSyntaxError } from "./syntax_error.ts";

export interface Magic {
  readonly name: string;
  /** The rest of the line, trimmed. */
  readonly argument: string;
  /** 0-based line in the cell. */
  readonly line: number;
  /** `%memory?` asks what it does; it does not run. */
  readonly help: boolean;
}

export interface MagicDescription {
  /** `kernel`: done before the cell runs. `session`: called at its line, while the cell runs. */
  readonly side: "kernel" | "session";
  /** One line, as `%lsmagic` prints it. */
  readonly help: string;
  /** What its argument may be. None: it takes no argument. The session checks those of its magics itself. */
  readonly words: readonly string[];
}

export const MAGICS: ReadonlyMap<string, MagicDescription> = new Map<string, MagicDescription>([
  ["lsmagic", { side: "kernel", help: "%lsmagic: lists the magics", words: [] }],
  [
    "check",
    {
      side: "kernel",
      help: "%check error | warn | off: what a type error does to its cell",
      words: ["error", "warn", "off"],
    },
  ],
  [
    "compiled",
    {
      side: "kernel",
      help: "%compiled: shows the JavaScript that this cell would run as, and does not run it",
      words: [],
    },
  ],
  [
    "flush",
    {
      side: "kernel",
      help: "%flush on | off: whether epoch loops flush, from this cell on",
      words: ["on", "off"],
    },
  ],
  [
    "device",
    {
      side: "session",
      help: "%device [name]: shows or chooses the device of new tensors",
      words: ["cpu", "cuda", "mps"],
    },
  ],
  ["memory", { side: "session", help: "%memory: shows the memory of the current device", words: [] }],
]);

export interface CellWithoutMagics {
  readonly magics: readonly Magic[];
  /** Magic lines blanked, every offset as it was: what the type checker sees. */
  readonly typescript: string;
  /** Magic lines replaced by calls where the session runs them, every line as it was: what is compiled. */
  readonly source: string;
}

const MAGIC_LINE = /^(%%?)([A-Za-z]\w*)(\?)?(?:[ \t]+(.*?))?[ \t]*\r?$/;

/** @throws CellSyntaxError for a magic that does not exist */
export function readMagics(text: string): CellWithoutMagics {
  if (!/^%%?[A-Za-z]/m.test(text)) return { magics: [], typescript: text, source: text };
  const { topLevelLines } = scan(text);
  const magics: Magic[] = [];
  const typescript: string[] = [];
  const source: string[] = [];
  let start = 0;
  for (const [line, lineText] of text.split("\n").entries()) {
    const match = topLevelLines.has(start) ? MAGIC_LINE.exec(lineText) : null;
    if (match) {
      const [, percents = "", name = "", question, argument = ""] = match;
      const description = known(percents, name, start);
      magics.push({ name, argument, line, help: question !== undefined });
      // The semicolon ends a statement of the line before that has none of its own.
      typescript.push(";".padEnd(lineText.length));
      const runs = description.side === "session" && question === undefined;
      source.push(
        runs ? `;await ${RUNTIME.magic}(${JSON.stringify(name)}, ${JSON.stringify(argument)});` : ";",
      );
    } else {
      typescript.push(lineText);
      source.push(lineText);
    }
    start += lineText.length + 1;
  }
  return { magics, typescript: typescript.join("\n"), source: source.join("\n") };
}

function known(percents: string, name: string, start: number): MagicDescription {
  const end = start + percents.length + name.length;
  const description = MAGICS.get(name);
  if (description === undefined) {
    const nearest = nearestName(name);
    const hint = nearest === null ? "%lsmagic lists those that exist" : `did you mean %${nearest}?`;
    throw new CellSyntaxError(`There is no magic ${percents}${name}: ${hint}`, start, end);
  }
  if (percents === "%%") {
    throw new CellSyntaxError(`%%${name} does not exist: write %${name}, which is for one line`, start, end);
  }
  return description;
}

function nearestName(name: string): string | null {
  let nearest: string | null = null;
  let least = Math.max(2, Math.ceil(name.length / 2));
  for (const candidate of MAGICS.keys()) {
    const distance = candidate.startsWith(name) ? 0 : editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein's distance. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substituted = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[right.length] as number;
}
