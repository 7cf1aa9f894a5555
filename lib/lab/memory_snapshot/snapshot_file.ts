// Writes a history as PyTorch's `torch.cuda.memory._dump_snapshot` does, so that its viewers open it:
// pytorch.org/memory_viz and `torch/cuda/_memory_viz.py`. The keys are those of torch/csrc/cuda/memory_snapshot.cpp.
import type { DeviceEvents, Events, History } from "./history.ts";
import { eventsOf, type LiveBlock, type LiveBlocks } from "./live_blocks.ts";
import { type AddressRange, addressRanges } from "./address_ranges.ts";
import { type Memo, PickleStream } from "./pickle_stream.ts";
import type { Frame } from "./places.ts";

export interface SavedDevice {
  readonly events: DeviceEvents;
  readonly endBlocks: LiveBlocks;
  /** Variables by the address of the block to which they lead. */
  readonly variables: ReadonlyMap<number, string>;
}

export function writeSnapshot(
  write: (bytes: Uint8Array) => void,
  history: History,
  devices: readonly SavedDevice[],
  labels: readonly string[],
  maxEvents: number,
): void {
  const stream = new PickleStream(write);
  const frames = new FrameLists(stream, history);
  stream.dict(() => {
    stream.string("segments");
    stream.list(() => {
      for (const [number, device] of devices.entries()) writeSegments(stream, frames, device, number);
    });
    stream.string("device_traces");
    stream.list(() => {
      for (const device of devices) stream.list(() => writeTrace(stream, frames, device));
    });
    stream.string("allocator_settings");
    stream.dict(() => {
      stream.string("PYTORCH_CUDA_ALLOC_CONF");
      stream.string(process.env["PYTORCH_CUDA_ALLOC_CONF"] ?? "");
      stream.string("trace_alloc_max_entries");
      stream.whole(maxEvents);
      stream.string("trace_alloc_overflowed");
      stream.boolean(history.droppedEvents > 0);
      stream.string("devices");
      stream.string(labels.map((label, number) => `${number}: ${label}`).join(", "));
    });
    stream.string("external_annotations");
    stream.list(() => {});
  });
  stream.end();
}

/**
 * The frame of releases by `dispose()` and the garbage collector, which belong to no operator. PyTorch's viewer gives a
 * wrong explanation for an empty stack.
 */
const OUTSIDE: Frame = { name: "outside of operators", filename: "JavaScript", line: 0 };

/** Writes lists of frames, each in full only once: an operator's frame, and those of its place below it. */
class FrameLists {
  readonly #stream: PickleStream;
  readonly #history: History;
  readonly #known = new Map<number, Memo>();

  constructor(stream: PickleStream, history: History) {
    this.#stream = stream;
    this.#history = history;
  }

  write(events: Events, at: number, variable: string | undefined): void {
    const [operation, place] = [events.operation(at), events.place(at)];
    if (variable !== undefined) return this.#list(this.#framesOf(operation, place, variable));
    // One number for both: a place has 32 bits, an operation 16.
    const key = operation * 2 ** 32 + place;
    const known = this.#known.get(key);
    if (known !== undefined) return this.#stream.again(known);
    this.#list(this.#framesOf(operation, place, undefined));
    this.#known.set(key, this.#stream.remember());
  }

  #framesOf(operation: number, place: number, variable: string | undefined): Frame[] {
    const name = this.#history.operations[operation] ?? "";
    if (name === "" && place === 0) return [OUTSIDE];
    return [
      ...(variable === undefined ? [] : [{ name: variable, filename: "variable", line: 0 }]),
      ...(name === "" ? [] : [{ name, filename: "operator", line: 0 }]),
      ...this.#history.placeOf(place).frames,
    ];
  }

  #list(frames: readonly Frame[]): void {
    const stream = this.#stream;
    stream.list(() => {
      for (const { name, filename, line } of frames) {
        stream.dict(() => {
          stream.string("name");
          stream.string(name);
          stream.string("filename");
          stream.string(filename);
          stream.string("line");
          stream.whole(line);
        });
      }
    });
  }
}

function writeTrace(stream: PickleStream, frames: FrameLists, { events, endBlocks, variables }: SavedDevice) {
  const { all, indices } = events;
  for (const at of indices) {
    const bytes = all.bytes(at);
    if (bytes < 0) {
      writeEntry(stream, frames, "free_requested", all, at, undefined);
      writeEntry(stream, frames, "free_completed", all, at, undefined);
      continue;
    }
    const address = all.address(at);
    const live = variables.size > 0 ? endBlocks.get(address) : undefined;
    const variable = live?.at === at && !live.isOlder ? variables.get(address) : undefined;
    writeEntry(stream, frames, "alloc", all, at, variable);
  }
}

function writeEntry(
  stream: PickleStream,
  frames: FrameLists,
  action: string,
  events: Events,
  at: number,
  variable: string | undefined,
): void {
  stream.dict(() => {
    stream.string("action");
    stream.string(action);
    stream.string("addr");
    stream.whole(events.address(at));
    stream.string("size");
    stream.whole(Math.abs(events.bytes(at)));
    stream.string("stream");
    stream.whole(0);
    stream.string("time_us");
    stream.whole(events.timeUs(at));
    stream.string("frames");
    frames.write(events, at, variable);
  });
}

type AddressedBlock = readonly [address: number, block: LiveBlock];

function writeSegments(stream: PickleStream, frames: FrameLists, device: SavedDevice, number: number): void {
  const blocks = [...device.endBlocks].toSorted(([a], [b]) => a - b);
  let next = 0;
  for (const range of addressRanges(device.events)) {
    const inside: AddressedBlock[] = [];
    while (next < blocks.length && blocks[next]![0] < range.address + range.bytes)
      inside.push(blocks[next++]!);
    writeSegment(stream, frames, device, number, range, inside);
  }
}

function writeSegment(
  stream: PickleStream,
  frames: FrameLists,
  { events, variables }: SavedDevice,
  number: number,
  range: AddressRange,
  blocks: readonly AddressedBlock[],
): void {
  const liveBytes = blocks.reduce((sum, [, block]) => sum + eventsOf(events, block).bytes(block.at), 0);
  const wholes = {
    device: number,
    address: range.address,
    total_size: range.bytes,
    allocated_size: liveBytes,
    active_size: liveBytes,
    requested_size: liveBytes,
    stream: 0,
  };
  stream.dict(() => {
    writeWholes(stream, wholes);
    stream.string("segment_type");
    stream.string("large");
    stream.string("segment_pool_id");
    stream.pair(0, 0);
    stream.string("is_expandable");
    stream.boolean(false);
    stream.string("frames");
    stream.list(() => {});
    stream.string("blocks");
    stream.list(() => {
      let end = range.address;
      for (const [address, block] of blocks) {
        writeGap(stream, end, address);
        const own = eventsOf(events, block);
        const size = own.bytes(block.at);
        stream.dict(() => {
          writeWholes(stream, { address, size, requested_size: size });
          stream.string("state");
          stream.string("active_allocated");
          stream.string("frames");
          frames.write(own, block.at, variables.get(address));
        });
        end = address + size;
      }
      writeGap(stream, end, range.address + range.bytes);
    });
  });
}

function writeGap(stream: PickleStream, address: number, end: number): void {
  if (address >= end) return;
  stream.dict(() => {
    writeWholes(stream, { address, size: end - address, requested_size: 0 });
    stream.string("state");
    stream.string("inactive");
    stream.string("frames");
    stream.list(() => {});
  });
}

function writeWholes(stream: PickleStream, wholes: Readonly<Record<string, number>>): void {
  for (const [key, value] of Object.entries(wholes)) {
    stream.string(key);
    stream.whole(value);
  }
}
