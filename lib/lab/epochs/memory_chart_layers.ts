// Makes the layers of the memory chart, from the allocator's memory at the back to the columns for the tooltip in
// front. One tooth or step is one epoch, or a group of epochs in a long loop.
import { highest } from "../../charts/chart.ts";
import { COLOR, type Specification, spread } from "../../charts/chart_style.ts";
import type { EpochRecord, MemoryMark } from "../../records/epochs.ts";
import { formatBytes } from "../../units.ts";

/** If marks have more names than this, the names are not drawn; the tooltip still shows them. */
const NAMED_MARKS = 12;
/** The triangles of more flushes than this would touch each other. */
const POINTED_FLUSHES = 60;

const X = { field: "x", type: "quantitative" } as const;
const Y = { field: "y", type: "quantitative" } as const;

/** Bytes in the unit of the axis. */
type Scale = (bytes: number) => number;

/** Draws how high the allocator's memory rose in each epoch and, as a dash, what the flush left of it. */
export function driverSteps(
  drawn: readonly EpochRecord[][],
  flushed: boolean,
  scaled: Scale,
): Specification[] {
  const values = drawn.map((group) => {
    const [first, last] = ends(group);
    const highestBytes = highest(group.map((record) => record.before.driverBytes));
    return {
      x: first.epoch,
      x2: last.epoch + 1,
      y: scaled(highestBytes),
      left: scaled(last.after.driverBytes),
    };
  });
  const left: Specification = {
    data: { values },
    mark: { type: "point", shape: "stroke", color: COLOR.purple, strokeWidth: 1.75, opacity: 1, size: 60 },
    encoding: { x: { field: "x2", type: "quantitative" }, y: { field: "left", type: "quantitative" } },
  };
  return [
    {
      data: { values },
      mark: { type: "bar", color: COLOR.purple, opacity: 0.14 },
      encoding: { x: X, x2: { field: "x2" }, y: Y, y2: { datum: 0 } },
    },
    {
      data: { values },
      mark: { type: "rule", color: COLOR.purple, strokeWidth: 1.75 },
      encoding: { x: X, x2: { field: "x2" }, y: Y },
    },
    ...(flushed ? [left] : []),
  ];
}

/** Draws the line of tensors: it rises while an epoch works, through its marks, and falls vertically at its flush. */
export function allocationPeaks(
  drawn: readonly EpochRecord[][],
  marks: readonly PlacedMark[],
  scaled: Scale,
): Specification {
  const values = drawn.flatMap((group) => {
    const [first, last] = ends(group);
    const between = marks.filter(({ x }) => x >= last.epoch && x < last.epoch + 1);
    return [
      { x: first.epoch, y: scaled(first.start.allocatedBytes) },
      ...between.map(({ x, y }) => ({ x, y })),
      { x: last.epoch + 1, y: scaled(last.before.allocatedBytes) },
      { x: last.epoch + 1, y: scaled(last.after.allocatedBytes) },
    ];
  });
  return {
    data: { values: values.map((value, order) => ({ ...value, order })) },
    mark: { type: "line", color: COLOR.blue, strokeWidth: 1.75, strokeJoin: "round" },
    encoding: { x: X, y: Y, order: { field: "order", type: "quantitative" } },
  };
}

export function peaks(drawn: readonly EpochRecord[][], scaled: Scale): Specification {
  const values = drawn.map((group) => {
    const [first, last] = ends(group);
    const peakBytes = highest(group.map((record) => record.before.peakBytes));
    return { x: first.epoch + 0.08, x2: last.epoch + 0.92, y: scaled(peakBytes) };
  });
  return {
    data: { values },
    mark: { type: "rule", color: COLOR.blue, strokeWidth: 1.75, strokeDash: [2, 2] },
    encoding: { x: X, x2: { field: "x2" }, y: Y },
  };
}

/** Draws the bytes of tensors that each flush freed, as a line down to a triangle. */
export function flushMarks(flushed: readonly EpochRecord[][], scaled: Scale): Specification[] {
  const values = flushed.map((group) => {
    const [, last] = ends(group);
    return {
      x: last.epoch + 1,
      y: scaled(last.after.allocatedBytes),
      y2: scaled(last.before.allocatedBytes),
    };
  });
  const strokeWidth =
    flushed.length > POINTED_FLUSHES ? 0.75 : flushed.length > POINTED_FLUSHES / 3 ? 1.25 : 2;
  const drop: Specification = {
    data: { values },
    mark: { type: "rule", color: COLOR.green, strokeWidth },
    encoding: { x: X, y: Y, y2: { field: "y2" } },
  };
  if (flushed.length > POINTED_FLUSHES) return [drop];
  const size = flushed.length > POINTED_FLUSHES / 3 ? 24 : 48;
  return [
    drop,
    {
      data: { values },
      mark: { type: "point", shape: "triangle-down", filled: true, opacity: 1, color: COLOR.green, size },
      encoding: { x: X, y: Y },
    },
  ];
}

export function limitRule(y: number): Specification {
  return {
    data: { values: [{ y }] },
    mark: { type: "rule", color: COLOR.vermillion, strokeDash: [6, 4], strokeWidth: 1.5 },
    encoding: { y: Y },
  };
}

/** A `lab.mark(tag)`: where in its epoch, and what was allocated then. */
export interface PlacedMark {
  readonly x: number;
  readonly y: number;
  readonly tag: string;
  readonly allocated: string;
}

/**
 * Marks in their order. For a group of epochs these are the marks of its last epoch, because the line shows what that
 * epoch left.
 */
export function placedMarks(
  drawn: readonly EpochRecord[][],
  marks: readonly MemoryMark[],
  scaled: Scale,
): PlacedMark[] {
  const lasts = new Map(
    drawn.map((group) => [(group.at(-1) as EpochRecord).epoch, group.at(-1) as EpochRecord]),
  );
  return marks.flatMap((mark) => {
    const record = mark.epoch === null ? undefined : lasts.get(mark.epoch);
    if (!record) return [];
    const share = Math.min(0.999, Math.max(0, (mark.atMs - record.atMs) / record.wallMs));
    const allocated = formatBytes(mark.sample.allocatedBytes);
    return { x: record.epoch + share, y: scaled(mark.sample.allocatedBytes), tag: mark.tag, allocated };
  });
}

export function stepMarks(end: number, values: readonly PlacedMark[], top: number): Specification[] {
  const points: Specification = {
    data: { values },
    mark: { type: "point", shape: "diamond", filled: true, opacity: 1, color: COLOR.vermillion, size: 50 },
    encoding: { x: X, y: Y, tooltip: [{ field: "tag", title: "mark" }, { field: "allocated" }] },
  };
  // A mark is made in every epoch, but its name is written only once.
  const named = [...new Map(values.toReversed().map((value) => [value.tag, value])).values()];
  if (named.length > NAMED_MARKS) return [points];
  const middle = end / 2;
  return [
    points,
    markNames(
      spread(
        named.filter(({ x }) => x <= middle),
        top,
      ),
      "left",
    ),
    markNames(
      spread(
        named.filter(({ x }) => x > middle),
        top,
      ),
      "right",
    ),
  ];
}

/** Draws the names of marks on the side where the plot has room. */
function markNames(values: readonly object[], align: "left" | "right"): Specification {
  return {
    data: { values },
    mark: { type: "text", align, baseline: "bottom", dy: -5 },
    encoding: { x: X, y: Y, text: { field: "tag" } },
  };
}

/** Invisible columns as high as the plot: the tooltip shows an epoch's numbers anywhere in its column. */
export function pointerColumns(drawn: readonly EpochRecord[][]): Specification {
  const values = drawn.map((group) => {
    const [first, last] = ends(group);
    return {
      x: first.epoch,
      x2: last.epoch + 1,
      epoch:
        first === last
          ? `${last.epoch + 1}${last.cut ? " (cut)" : ""}`
          : `${first.epoch + 1} to ${last.epoch + 1}`,
      allocated: `${formatBytes(last.before.allocatedBytes)}, after the flush ${formatBytes(last.after.allocatedBytes)}`,
      driver: `${formatBytes(last.before.driverBytes)}, after the flush ${formatBytes(last.after.driverBytes)}`,
      peak: formatBytes(highest(group.map((record) => record.before.peakBytes))),
      process: formatBytes(last.after.footprintBytes),
      swap: last.after.swapBytes === null ? "not known" : formatBytes(last.after.swapBytes),
      pressure: last.after.pressure ?? "not known",
      collection: last.collection,
    };
  });
  const shown = ["epoch", "allocated", "driver", "peak", "process", "swap", "pressure", "collection"];
  return {
    data: { values },
    mark: { type: "bar", opacity: 0 },
    encoding: {
      x: X,
      x2: { field: "x2" },
      y: { datum: 0 },
      y2: { value: 0 },
      tooltip: shown.map((field) => ({ field, type: "nominal" })),
    },
  };
}

function ends(group: readonly EpochRecord[]): [first: EpochRecord, last: EpochRecord] {
  return [group[0] as EpochRecord, group.at(-1) as EpochRecord];
}
