// Says in a few words in what runs on one chart differ beside what is drawn: machine, device, threads, commit, versions.
// A chart that did not say it would show a difference of machines as one of programs.
import { grouped } from "../grouped.ts";
import { formatBytes } from "../units.ts";
import { listed } from "../words.ts";
import type { RunEntry } from "../records/logbook/entry.ts";
import { fieldText } from "../records/logbook/diff.ts";
import type { FieldName } from "../records/logbook/fields.ts";

const COMMIT_LENGTH = 7;
/** More values would not fit below a title: then their number stands there. */
const MAX_VALUES = 4;

interface Origin {
  /** What differs, in the plural. */
  readonly what: string;
  readonly of: (run: RunEntry) => string;
  /** How a run's name says it. Default: as `of` does. */
  readonly inName?: (run: RunEntry) => string;
}

const threads = ({ fields }: RunEntry): string => fieldText("threads", fields.threads);

const ORIGINS: readonly Origin[] = [
  { what: "devices", of: ({ fields }) => fieldText("device", fields.device) },
  { what: "numbers of threads", of: threads, inName: (run) => `threads ${threads(run)}` },
  { what: "commits", of: commitText },
  { what: "versions of libtorch", of: ({ fields }) => fieldText("torchVersion", fields.torchVersion) },
  { what: "versions of mpslab", of: ({ fields }) => fieldText("mpslabVersion", fields.mpslabVersion) },
  { what: "versions of Node", of: ({ fields }) => fieldText("nodeVersion", fields.nodeVersion) },
];

/**
 * `["different machines: Apple M3 (before); Intel Xeon (after and later)"]`; empty where nothing of it differs.
 *
 * @param names of the runs, as the chart has them
 * @param together the names of those that have one value, in words
 */
export function originNotes(
  runs: readonly RunEntry[],
  names: readonly string[],
  together: (having: readonly string[]) => string = (having) => listed(having),
): string[] {
  const machines: Origin = { what: "machines", of: machineTexts(runs) };
  return [machines, ...ORIGINS].flatMap(({ what, of, inName = of }) => {
    const byValue = grouped(runs.map((run, at) => [of(run), names[at]!]));
    if (byValue.size < 2) return [];
    // The names have these values already: `base, Apple M3`.
    if (runs.every((run, at) => names[at]!.split(", ").includes(inName(run)))) return [`different ${what}`];
    if (byValue.size > MAX_VALUES) return [`${byValue.size} different ${what}`];
    const values = [...byValue].map(([value, having]) => `${value} (${together([...new Set(having)])})`);
    return [`different ${what}: ${values.join("; ")}`];
  });
}

/** `1f0c3ab changed` where changes were not committed. */
export function commitText({ fields }: RunEntry): string {
  if (typeof fields.commit !== "string") return "no commit";
  return `${fields.commit.slice(0, COMMIT_LENGTH)}${fields.uncommittedChanges === true ? " changed" : ""}`;
}

const MACHINE = [
  "processor",
  "cores",
  "memoryBytes",
  "platform",
  "architecture",
] as const satisfies FieldName[];

/** By the parts that differ: two machines with one processor may have other cores, or memory. */
function machineTexts(runs: readonly RunEntry[]): (run: RunEntry) => string {
  const differing = MACHINE.filter((field) => new Set(runs.map(({ fields }) => fields[field])).size > 1);
  const [first] = differing;
  // Cores and memory of different processors need not be told as well.
  const told = first === "processor" || first === undefined ? [first ?? "processor"] : differing;
  return ({ fields }) =>
    told
      .map((field) => {
        const value = fields[field] ?? null;
        if (value === null) return `unknown ${field}`;
        if (field === "cores") return `${String(value)} cores`;
        return field === "memoryBytes" ? formatBytes(Number(value)) : String(value);
      })
      .join(", ");
}
