// Writes the cells that run on a remote, as text. Functions cannot be sent: a closure holds tensors of this process,
// and its source here is compiled code. The text of a set-up cell can be sent. The remote checks it before it runs,
// errors name its lines, and the logbook has its checksum.
import type { RunGiven } from "../logbook/run.ts";
import type { PointsPlan } from "../sweep/options.ts";
import type { Point } from "../../records/batch_sweeps/point.ts";
import { PAYLOAD_TYPE } from "./agent_messages.ts";

/** Imported as an expression, so that it takes none of the names that the set-up cell may use, such as `lab`. */
const LAB = '(await import("mpslab")).lab';

const payload = (expression: string): string =>
  `display({ ${JSON.stringify(PAYLOAD_TYPE)}: ${expression} });`;

/** If the set-up cell declares no fitting `setup`, the remote's type checker refuses this cell and names the place. */
export function declaredCell(): string {
  return payload('typeof (setup satisfies import("mpslab").lab.SweepOptions["setup"])');
}

export function draftCell(given: RunGiven): string {
  return payload(`${LAB}.logbook.draft(${JSON.stringify(given)})`);
}

/** The least time for a smoke test, because a point's deadline may be too short for ten flushes. */
const SMOKE_MS = 60_000;

/** Returns the milliseconds that the window and the plateau test may take each. */
export function smokeDeadlineMs({ deadlineMs }: PointsPlan): number {
  return Math.max(deadlineMs, SMOKE_MS);
}

export function smokeCell(point: Point, plan: PointsPlan): string {
  const { device } = plan;
  const deadlineMs = smokeDeadlineMs(plan);
  const options = { point, deadlineMs, ...(device === null ? {} : { device }) };
  return payload(`await ${LAB}.smoke({ ...${JSON.stringify(options)}, setup })`);
}

/** A sweep of one point, without a journal of its own: this machine keeps one journal for all remotes. */
export function pointCell(point: Point, plan: PointsPlan): string {
  const { batch, ...others } = point;
  const { samples, device, capture, warmupSteps, windows, windowMs, deadlineMs, memoryShare, seed } = plan;
  const options = {
    batch: [batch],
    grid: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, [value]])),
    ...(samples === null ? {} : { samples }),
    ...(device === null ? {} : { device }),
    ...{ capture, warmupSteps, windows, windowMs, deadlineMs, memoryShare, seed, journal: null, show: false },
  };
  return payload(`(await ${LAB}.sweep({ ...${JSON.stringify(options)}, setup })).points[0]`);
}
