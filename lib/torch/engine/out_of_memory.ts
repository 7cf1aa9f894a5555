// Writes the message of an OutOfMemoryError: the allocator's numbers, the variables that hold the most memory, and
// advice. Also runs a function once more after it failed with one.
import type { DeviceName } from "../vocabulary/device_name.ts";
import { formatBytes } from "../../units.ts";
import { describe, isThenable } from "../vocabulary/arguments.ts";
import { requireBegun } from "../vocabulary/finished.ts";
import { OutOfMemoryError, type MemoryHolder } from "../vocabulary/errors.ts";
import { collectGarbage } from "./garbage.ts";
import { searchVariables } from "./held_tensors.ts";
import { type HeldMemory, native, whenLoaded } from "./native.ts";
import { adviceLines, type Shortage } from "./out_of_memory_advice.ts";

/** `model.0.weight`, `losses[3]` by the address of each tensor's storage. */
function namesByStorage(wanted: ReadonlySet<bigint>): Map<bigint, string> {
  const names = new Map<bigint, string>();
  for (const { tensor, path } of searchVariables().tensors) {
    if (names.size === wanted.size) break;
    const address = native.layout(tensor) === "strided" ? native.storage(tensor).address : null;
    if (address !== null && wanted.has(address) && !names.has(address)) names.set(address, path);
  }
  return names;
}

function format(message: string, device: DeviceName | null, held: readonly HeldMemory[]): OutOfMemoryError {
  const names = namesByStorage(new Set(held.map(({ address }) => address)));
  const holders = held.map(({ tensor, bytes, cell, address }): MemoryHolder => ({
    tensor,
    bytes,
    cell,
    variable: names.get(address) ?? null,
  }));
  return new OutOfMemoryError(
    [message, ...holderLines(holders), ...adviceLines(shortageOf(message, device))].join("\n"),
    holders,
  );
}

/** `Largest tensors:`, and below it `  float32 [4194304] of 16 MiB (images, Cell [3])`. */
function holderLines(holders: readonly MemoryHolder[]): string[] {
  if (holders.length === 0) return [];
  const texts = holders.map(({ tensor, bytes, cell, variable }) => {
    const from = [variable, cell].filter((part) => part !== null && part !== "").join(", ");
    return `  ${tensor} of ${formatBytes(bytes)}${from === "" ? "" : ` (${from})`}`;
  });
  return ["Largest tensors:", ...texts];
}

function shortageOf(text: string, device: DeviceName | null): Shortage {
  const simulated = device === "mps" ? native.simulatedMetal() : null;
  return {
    text,
    device,
    memory: device === null ? null : native.memoryStats(device),
    // PyTorch's variables and fractions cannot lift a limit that the machine itself sets.
    hostLimitBytes: simulated?.cappedByHost ? simulated.limitBytes : null,
  };
}

whenLoaded((loaded) => loaded.setOutOfMemoryFormatter(format));

/** Collects garbage and empties the caches of all devices. */
function release(): void {
  collectGarbage("full");
  for (const device of native.devices().available) native.emptyCache(device as DeviceName);
}

/**
 * Runs `run`, on any device. If it runs out of memory, collects garbage, empties the caches, and runs it once more. A
 * failed allocation has done the same, but here the tensors of the failed run are freed as well. A second failure is
 * thrown. `mps` and `accelerator` have it.
 *
 * @param run must be safe to run again: it must not have changed in place what it reads
 * @throws OutOfMemoryError of the second run
 */
export function retryOnOutOfMemory<Result>(run: () => Result): Result {
  if (typeof run !== "function")
    throw new TypeError(
      `retryOnOutOfMemory() takes a function and runs it, as retryOnOutOfMemory(() => model(x)), got ${describe(run)}.`,
    );
  let result: Result;
  try {
    result = requireBegun("retryOnOutOfMemory", run());
  } catch (error) {
    return again(run, error);
  }
  // A promise of the same type: what `run` returned, or what it returns the second time.
  return isThenable(result)
    ? (Promise.resolve(result).catch((error: unknown) => again(run, error)) as Result)
    : result;
}

function again<Result>(run: () => Result, error: unknown): Result {
  if (!(error instanceof OutOfMemoryError)) throw error;
  release();
  return run();
}
