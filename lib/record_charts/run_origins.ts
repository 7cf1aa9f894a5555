// Says in a few words in what the runs on one chart differ besides what is drawn: machine, device, threads, commit,
// versions. Without it, a difference between machines would look like one between programs.
import { grouped } from "../grouped.ts";
import { formatBytes } from "../units.ts";
import { listed } from "../words.ts";
import type { RunEntry } from "../records/logbook/entry.ts";
import { fieldText } from "../records/logbook/diff.ts";
import type { FieldName } from "../records/logbook/fields.ts";

const COMMIT_LENGTH = 7;
/** More values would not fit below a title; then only their number is given. */
const MAX_VALUES = 4;

interface Origin {
  /** What differs, in the plural. */
  readonly what: string;
  readonly of: (run: RunEntry) => string;
  /** How the name of a run writes the value. Default: as `of` does. */
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
 * `["different machines: Apple M3 (before); Intel Xeon (after and later)"]`; empty if the runs do not differ in any of
 * these.
 *
 * @param names the names of the runs on the chart
 * @param together writes the names of the runs that share a value as text
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
    // The names already contain these values: `base, Apple M3`.
    if (runs.every((run, at) => names[at]!.split(", ").includes(inName(run)))) return [`different ${what}`];
    if (byValue.size > MAX_VALUES) return [`${byValue.size} different ${what}`];
    const values = [...byValue].map(([value, having]) => `${value} (${together([...new Set(having)])})`);
    return [`different ${what}: ${values.join("; ")}`];
  });
}

/** `1f0c3ab changed` if there were uncommitted changes. */
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

/**
 * The text of each run's machine, by the parts that differ: two machines with the same processor may differ in cores or
 * memory.
 */
function machineTexts(runs: readonly RunEntry[]): (run: RunEntry) => string {
  const differing = MACHINE.filter((field) => new Set(runs.map(({ fields }) => fields[field])).size > 1);
  const [first] = differing;
  // If the processors differ, cores and memory need not be mentioned.
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
