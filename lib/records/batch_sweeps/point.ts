// Declares what a sweep records of one point, as plain data.
import type { Spread } from "../../statistics/spread.ts";

export type ParameterValue = string | number | boolean | null;

/** The parameters of one point: `batch`, and those of the grid. */
export type Point = { readonly batch: number } & Readonly<Record<string, ParameterValue>>;

/**
 * `deadline`: what was measured until then stands in the record. `crashed`: the session ended while the point ran, twice, as
 * the next session reads in the journal.
 */
export type PointStatus = "measured" | "out of memory" | "deadline" | "failed" | "crashed";

/** The steady windows; times are of one step. Its parts are those of the window in the middle, by its time. */
export interface SteadyWindows {
  readonly windows: number;
  readonly stepsPerWindow: number;
  /** One value a window. */
  readonly samplesPerSecond: Spread;
  readonly stepMs: Spread;
  /** Time to make the batch; null if the step makes it itself. */
  readonly dataMs: number | null;
  /** Host time of the rest; null if waits inside the step are not counted. */
  readonly hostMs: number | null;
  /** Time that the host waited for the device, inside the step and at each window's end. */
  readonly waitMs: number | null;
}

export interface PointMemory {
  /** Live tensors before the point was set up, and the most that there were while it ran. */
  readonly baseBytes: number;
  readonly peakBytes: number;
  readonly driverBytes: number;
  readonly footprintBytes: number;
  /** The watermark: what the sweep lets a point reach. Null if the device has no limit. */
  readonly limitBytes: number | null;
  /** Swap that came into use while the point ran, by all processes of the machine; null if unknown. */
  readonly swappedBytes: number | null;
}

export interface Leak {
  readonly bytesPerStep: number;
  /** Tensors that a step leaves behind: `[512, 512] float32 of exp, Cell [3]:7:12, 2 a step`. */
  readonly holders: readonly string[];
}

export interface PointRecord {
  readonly point: Point;
  /** The remote that measured it; absent if this machine did. */
  readonly remote?: string;
  readonly status: PointStatus;
  /** `RangeError: ...`, null if nothing was thrown. */
  readonly error: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly wallMs: number;
  /** The first step only, and the warm-up that it belongs to: never mixed with the steady windows. */
  readonly first: { readonly stepMs: number; readonly steps: number; readonly wallMs: number } | null;
  readonly steady: SteadyWindows | null;
  /** Batches made and discarded; forward passes only. Null if the setup has no such part. */
  readonly dataOnly: { readonly samplesPerSecond: number; readonly batchMs: number } | null;
  readonly forwardOnly: { readonly samplesPerSecond: number; readonly forwardMs: number } | null;
  readonly memory: PointMemory | null;
  readonly swapped: boolean;
  /** The last loss that the step returned; `value` is null if it is not finite. */
  readonly loss: { readonly value: number | null; readonly finite: boolean } | null;
  readonly leak: Leak | null;
  readonly notes: readonly string[];
}

/** Makes the record of a point that was not measured, with the reason. */
export function unmeasured(point: Point, status: PointStatus, error: string): PointRecord {
  return {
    point,
    status,
    error,
    startedAt: "",
    wallMs: 0,
    first: null,
    steady: null,
    dataOnly: null,
    forwardOnly: null,
    memory: null,
    swapped: false,
    loss: null,
    leak: null,
    notes: [],
  };
}
