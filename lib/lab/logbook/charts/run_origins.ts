// Says in a few words in what runs on one chart differ beside what is drawn: machine, device, threads, commit, versions.
// A chart that did not say it would show a difference of machines as one of programs.
import { formatBytes } from "../../../units.ts";
import type { RunEntry } from "../entry.ts";
import { fieldText } from "../diff.ts";
import type { FieldName } from "../fields.ts";

const COMMIT_LENGTH = 7;
/** More values would not fit below a title: then their number stands there. */
const MAX_VALUES = 4;

const ORIGINS: readonly { readonly what: string; readonly of: (run: RunEntry) => string }[] = [
  { what: "devices", of: ({ fields }) => fieldText("device", fields.device) },
  { what: "numbers of threads", of: ({ fields }) => `threads ${fieldText("threads", fields.threads)}` },
  { what: "commits", of: commitText },
  { what: "versions of libtorch", of: ({ fields }) => fieldText("torchVersion", fields.torchVersion) },
  { what: "versions of mpslab", of: ({ fields }) => fieldText("mpslabVersion", fields.mpslabVersion) },
  { what: "versions of Node", of: ({ fields }) => fieldText("nodeVersion", fields.nodeVersion) },
];

/**
 * `["different machines: Apple M3 (before), Intel Xeon (after)"]`; empty where nothing of it differs.
 *
 * @param names of the runs, as the chart has them
 * @param listed the names of those that have one value, in words
 */
export function originNotes(
  runs: readonly RunEntry[],
  names: readonly string[],
  listed = (having: readonly string[]) => having.join(", "),
): string[] {
  const machineOf = machineTexts(runs);
  return [{ what: "machines", of: machineOf }, ...ORIGINS].flatMap(({ what, of }) => {
    const byValue = new Map<string, string[]>();
    runs.forEach((run, at) => {
      const value = of(run);
      byValue.set(value, [...(byValue.get(value) ?? []), names[at]!]);
    });
    if (byValue.size < 2) return [];
    // The names have these values already: `base, Apple M3`.
    if (runs.every((run, at) => names[at]!.split(", ").includes(of(run)))) return [`different ${what}`];
    if (byValue.size > MAX_VALUES) return [`${byValue.size} different ${what}`];
    const values = [...byValue].map(([value, having]) => `${value} (${listed([...new Set(having)])})`);
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
