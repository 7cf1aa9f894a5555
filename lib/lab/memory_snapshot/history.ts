// Reads the events that the addon recorded, device by device. The layout is `AllocationEvent` of
// `native/memory/allocation_history.h`.
import type { NativeHistory } from "../../torch/engine/native_memory_history.ts";
import type { Frame, Place, Places } from "./places.ts";

const EVENT_BYTES = 32;
/** The bit that marks a place of which only the cell is known; the other bits are the cell's index. */
const ORIGIN_ONLY = 0x80000000;
/** c10's DeviceType. */
const DEVICE_TYPES: Readonly<Record<number, string>> = { 0: "cpu", 1: "cuda", 13: "mps" };

/** The recorded events, read field by field from the addon's buffer. */
export class Events {
  readonly count: number;
  readonly #doubles: Float64Array;
  readonly #halves: Uint16Array;
  readonly #words: Uint32Array;

  constructor(buffer: ArrayBuffer) {
    this.count = buffer.byteLength / EVENT_BYTES;
    this.#doubles = new Float64Array(buffer);
    this.#halves = new Uint16Array(buffer);
    this.#words = new Uint32Array(buffer);
  }

  address(at: number): number {
    return this.#doubles[4 * at]!;
  }
  /** Negative for a release. */
  bytes(at: number): number {
    return this.#doubles[4 * at + 1]!;
  }
  /** Microseconds since 1970. */
  timeUs(at: number): number {
    return this.#doubles[4 * at + 2]!;
  }
  operation(at: number): number {
    return this.#halves[16 * at + 12]!;
  }
  /** The type and the index of the device in one number. */
  device(at: number): number {
    return this.#halves[16 * at + 13]!;
  }
  place(at: number): number {
    return this.#words[8 * at + 7]!;
  }
}

/** What one device's allocator did. */
export interface DeviceEvents {
  /** `cpu`, `mps`, `cuda:0` */
  readonly device: string;
  readonly all: Events;
  /** Which of all events belong to this device, in their order. */
  readonly indices: Uint32Array;
  /** Live blocks of this device that were allocated before the recorded events. */
  readonly older: Events;
  readonly olderIndices: Uint32Array;
}

/** Everything that was recorded. */
export interface History {
  readonly droppedEvents: number;
  /** Accelerators first, the CPU last. */
  readonly devices: readonly DeviceEvents[];
  readonly operations: readonly string[];
  placeOf(number: number): Place;
}

export function readHistory(recorded: NativeHistory, places: Places): History {
  const all = new Events(recorded.events);
  const older = new Events(recorded.olderBlocks);
  const codes = [...new Set([...codesOf(all), ...codesOf(older)])].toSorted((a, b) => order(a) - order(b));
  return {
    droppedEvents: recorded.droppedEvents,
    devices: codes.map((code) => ({
      device: deviceName(code),
      all,
      indices: indicesOf(all, code),
      older,
      olderIndices: indicesOf(older, code),
    })),
    operations: recorded.operations,
    placeOf: (number) =>
      number >= ORIGIN_ONLY ? cellAlone(recorded.origins[number - ORIGIN_ONLY] ?? "") : places.at(number),
  };
}

/** `mps` is one device; CUDA's are numbered. */
function deviceName(code: number): string {
  const type = DEVICE_TYPES[code & 255] ?? `device type ${code & 255}`;
  return type === "cuda" ? `cuda:${code >> 8}` : type;
}

const order = (code: number): number => (code === 0 ? Number.POSITIVE_INFINITY : code);

function codesOf(events: Events): Set<number> {
  const codes = new Set<number>();
  for (let at = 0; at < events.count; at++) codes.add(events.device(at));
  return codes;
}

function indicesOf(events: Events, code: number): Uint32Array {
  const indices = new Uint32Array(events.count);
  let count = 0;
  for (let at = 0; at < events.count; at++) if (events.device(at) === code) indices[count++] = at;
  return indices.subarray(0, count);
}

function cellAlone(cell: string): Place {
  if (cell === "") return { frames: [], line: null };
  const frame: Frame = { name: "(line not read)", filename: cell, line: 0 };
  return { frames: [frame], line: cell };
}
