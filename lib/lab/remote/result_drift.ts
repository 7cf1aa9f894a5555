// Decides whether throughput moved between two machines, and asks for the reason. The runbook: "demand an explanation
// in terms of I/O path, background load, or thermals before you celebrate silicon superiority."
import type { RunEntry } from "../../records/logbook/entry.ts";
import { diffOf, type FieldDifference, fieldText } from "../../records/logbook/diff.ts";
import { relativeSpread } from "../../statistics/spread.ts";
import type { Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import { canonicalText, pointText } from "../../records/parameters.ts";
import { formatChange, formatShare } from "../../units.ts";

export interface PointMovement {
  readonly point: Point;
  readonly fromSamplesPerSecond: number;
  readonly toSamplesPerSecond: number;
  /** 0.1 is 10% faster on the remote. */
  readonly change: number;
  /** Whether the change exceeds both the tolerance and the spread of both sides' windows. */
  readonly moved: boolean;
}

export interface Movement {
  readonly tolerance: number;
  /** `undecided` if no point was measured on both sides. */
  readonly verdict: "within" | "moved" | "undecided";
  readonly points: readonly PointMovement[];
  readonly explanation: string | null;
  /**
   * A sentence that says which change needs an explanation, and where to look first. Null if nothing changed, or if the
   * user has explained it.
   */
  readonly demand: string | null;
}

/** The default tolerance: a larger relative change needs an explanation. */
export const TOLERANCE = 0.1;

export interface MovementFacts {
  readonly local: readonly PointRecord[];
  readonly remote: readonly PointRecord[];
  readonly tolerance: number;
  readonly explanation: string | null;
  readonly here: RunEntry;
  readonly there: RunEntry;
}

export function movementOf({ local, remote, tolerance, explanation, here, there }: MovementFacts): Movement {
  const points = remote.flatMap((to) => {
    const from = local.find(({ point }) => canonicalText(point) === canonicalText(to.point));
    return from === undefined ? [] : (pointMovement(from, to, tolerance) ?? []);
  });
  const moved = points.filter((one) => one.moved);
  const verdict = points.length === 0 ? "undecided" : moved.length > 0 ? "moved" : "within";
  const demand = verdict === "moved" && explanation === null ? demandOf(moved, tolerance, here, there) : null;
  return { tolerance, verdict, points, explanation, demand };
}

function pointMovement(from: PointRecord, to: PointRecord, tolerance: number): PointMovement | null {
  if (from.steady === null || to.steady === null) return null;
  const [a, b] = [from.steady.samplesPerSecond, to.steady.samplesPerSecond];
  const change = b.median / a.median - 1;
  const noise = relativeSpread(a) + relativeSpread(b);
  return {
    point: to.point,
    fromSamplesPerSecond: a.median,
    toSamplesPerSecond: b.median,
    change,
    moved: Math.abs(change) > Math.max(tolerance, noise),
  };
}

/** At most this many of the largest suspects are named. */
const SUSPECTS = 3;
const NETWORK_MOUNT = /^(nfs\d?|cifs|smb\w*|sshfs|fuse\.sshfs|afpfs|9p|webdav|davfs\w*)$/;
const DEBUG_VARIABLE = /DEBUG|LOG_LEVEL|_LOG\b|VERBOSE/;

function demandOf(
  moved: readonly PointMovement[],
  tolerance: number,
  here: RunEntry,
  there: RunEntry,
): string {
  const [largest] = moved.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change)) as [PointMovement];
  const sentences = [
    `Throughput moved by ${formatChange(largest.change)} at ${pointText(largest.point)}${
      moved.length > 1 ? `, and beyond ${formatShare(tolerance)} at ${moved.length - 1} more` : ""
    }: explain it by I/O path, background load or thermals (explain: "...") before the figure is quoted.`,
  ];
  const slower = largest.change < 0;
  const mount = there.fields.mountType;
  if (slower && typeof mount === "string" && NETWORK_MOUNT.test(mount))
    sentences.push(`Its data path lies on a network volume (${mount}).`);
  const debugging = Object.keys(there.fields.variables ?? {}).filter((name) => DEBUG_VARIABLE.test(name));
  if (slower && debugging.length > 0) sentences.push(`Debug logging is on there: ${debugging.join(", ")}.`);
  const { suspects } = diffOf(here, there);
  if (suspects.length > 0)
    sentences.push(`Largest suspects: ${suspects.slice(0, SUSPECTS).map(suspectText).join("; ")}.`);
  return sentences.join(" ");
}

function suspectText({ field, a, b }: FieldDifference): string {
  return `${field} ${fieldText(field, b)} there, ${fieldText(field, a)} here`;
}
