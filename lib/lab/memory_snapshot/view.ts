// Shows a snapshot as a table: each line with what it held at the peak, and with what outlives the recording.
import { formatBytes, formatTime } from "../../units.ts";
import { columns, type Table } from "../../views/table.ts";
import { counted } from "../../words.ts";
import type { SnapshotFigures } from "./result.ts";
import type { AllocationSite } from "./sites.ts";

const MAX_ROWS = 12;
const MAX_NAMES = 3;

/** The name of a site whose line is not known. */
export const NO_LINE = "line not read";

export function snapshotTable(snapshot: SnapshotFigures): Table {
  const { peak, outlives, devices } = snapshot;
  const lines = linesOf(peak.sites, outlives.sites);
  const rows = lines
    .slice(0, MAX_ROWS)
    .map(({ line, atPeak, after }) => [
      line ?? NO_LINE,
      formatBytes(atPeak?.bytes ?? 0),
      String(atPeak?.blocks ?? 0),
      formatBytes(after?.bytes ?? 0),
      after === undefined || after.epochs === 0 ? "" : `${after.epochs} of ${snapshot.epochs}`,
      few((atPeak ?? after)!.operators.map((name) => name.replace("aten::", ""))),
      few((after ?? atPeak)!.variables),
    ]);
  if (peak.earlierBytes > 0)
    rows.unshift(["before the recording", formatBytes(peak.earlierBytes), "", "", "", "", ""]);
  return {
    caption: captionOf(snapshot),
    columns: columns("<line", "at the peak", "blocks", "outlives", "of epochs", "<operators", "<variables"),
    rows,
    notes: [
      ...(lines.length > MAX_ROWS ? [`${lines.length - MAX_ROWS} more lines hold less.`] : []),
      ...(snapshot.droppedEvents > 0
        ? [`${snapshot.droppedEvents} older events were dropped: raise maxEvents to keep them.`]
        : []),
      ...devices
        .slice(1)
        .map(
          (other) =>
            `${other.device}: peak ${formatBytes(other.peak.bytes)}, ${formatBytes(other.outlives.bytes)} outlive.`,
        ),
    ],
  };
}

/** `Memory of 3.2 ms on cpu: peak 58.5 MiB after 2.1 ms, 1.5 MiB outlive; 812 allocations, 790 releases` */
export function captionOf({
  device,
  durationMs,
  peak,
  outlives,
  allocations,
  releases,
}: SnapshotFigures): string {
  return (
    `Memory of ${formatTime(durationMs)} on ${device}: peak ${formatBytes(peak.bytes)} after ` +
    `${formatTime(peak.atMs)}, ${formatBytes(outlives.bytes)} outlive; ` +
    countText(allocations, releases)
  );
}

/** `1 allocation, 2,000 releases` */
export function countText(allocations: number, releases: number): string {
  return `${counted(allocations, "allocation")}, ${counted(releases, "release")}`;
}

interface LineRow {
  readonly line: string | null;
  readonly atPeak: AllocationSite | undefined;
  readonly after: AllocationSite | undefined;
}

/** Lines of the peak first, then those that hold memory only at the end. */
function linesOf(atPeak: readonly AllocationSite[], after: readonly AllocationSite[]): LineRow[] {
  const ends = new Map(after.map((site) => [site.line, site]));
  const rows = atPeak.map((site) => ({ line: site.line, atPeak: site, after: ends.get(site.line) }));
  const known = new Set(atPeak.map(({ line }) => line));
  const others = after.filter(({ line }) => !known.has(line));
  return [...rows, ...others.map((site) => ({ line: site.line, atPeak: undefined, after: site }))];
}

/** `mm, add and 3 more` */
function few(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
