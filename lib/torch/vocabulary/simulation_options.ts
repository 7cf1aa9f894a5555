// Declares the options of simulated Metal, and reads and writes them as text: `simulated 16GB unqueued`.
import { describe } from "./arguments.ts";
import { boolean, type OpenRules, readOptions } from "./options.ts";

export interface SimulationOptions {
  /** The Mac's memory, as `"16GB"` (of 2^30 bytes, as Macs are sold) or in bytes. Default: `"16GB"`. */
  readonly memory?: string | number;
  /** Whether operators return at once and run in order on the device's own thread. Default: true. */
  readonly queueing?: boolean;
}

/** The options, checked. */
export interface SimulatedDevice {
  readonly memoryBytes: number;
  readonly queueing: boolean;
}

const GIB = 2 ** 30;
const MIN_BYTES = GIB;
const MAX_BYTES = 2048 * GIB;

/** `16GB` -> bytes */
function readMemory(call: string, name: string, memory: unknown): number {
  const size = typeof memory === "string" ? /^(\d+(?:\.\d+)?) ?G(?:i?B)?$/i.exec(memory.trim()) : null;
  const bytes = typeof memory === "number" ? memory : Math.round(Number(size?.[1]) * GIB);
  if (bytes >= MIN_BYTES && bytes <= MAX_BYTES) return Math.floor(bytes);
  throw new RangeError(
    `${call}: the ${name} must be from "1GB" to "2048GB", or that in bytes, got ${describe(memory)}.`,
  );
}

const RULES = {
  memory: { fallback: 16 * GIB, check: readMemory },
  queueing: boolean(true),
} satisfies OpenRules<SimulationOptions>;

export function checkSimulation(options: SimulationOptions | undefined): SimulatedDevice {
  const { memory, queueing } = readOptions("mps.simulate", options, RULES);
  return { memoryBytes: memory, queueing };
}

/** `simulated`, `simulated 16GB`, `simulated 16GB unqueued`; null for anything else. */
export function readSimulation(text: string): SimulationOptions | null {
  const [first, ...rest] = text.trim().split(/\s+/);
  const sizes = rest.filter((word) => word !== "unqueued");
  if (first !== "simulated" || sizes.length > 1) return null;
  const queueing = rest.length === sizes.length;
  return sizes[0] === undefined ? { queueing } : { memory: sizes[0], queueing };
}
