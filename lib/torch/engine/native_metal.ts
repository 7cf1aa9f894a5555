// Declares what the addon counts and records of Metal, real or simulated. Types only.
import type { SimulatedFault } from "../vocabulary/simulated_faults.ts";
import type { SimulatedDevice } from "../vocabulary/simulation_options.ts";

/** Operators that ran on the CPU because the device lacks them. */
export interface Fallback {
  /** `aten::linalg_eig` */
  readonly operator: string;
  readonly calls: number;
  /** Bytes of the arguments, copied to the CPU, and of the results, copied back. */
  readonly toCpuBytes: number;
  readonly fromCpuBytes: number;
  /** The time, including that of the copies. */
  readonly wallMs: number;
}

/** A signpost of a trace, as simulated Metal keeps it. */
export interface Signpost {
  /** `aten::mm`; for a copy its direction, `CPU to MPS`. */
  readonly name: string;
  readonly kind: "operation" | "copy" | "fallback";
  readonly mode: "interval" | "event";
  /** The time since the trace was started. */
  readonly beganMs: number;
  /** 0 for an event. */
  readonly wallMs: number;
}

/** The simulated device and its counters. */
export interface Simulation extends SimulatedDevice {
  /** The most bytes that all heaps together may hold; null if the high watermark is off. */
  readonly limitBytes: number | null;
  /** Whether that limit is this machine's free memory, and not the watermark. */
  readonly cappedByHost: boolean;
  /** How often the queue had to be emptied because an operator's output shape was not known beforehand, by operator. */
  readonly drains: Readonly<Record<string, number>>;
  /** The kernel in which a fault was planted: `mps.simulation({ fault })`. Usually null. */
  readonly fault: SimulatedFault | null;
}
