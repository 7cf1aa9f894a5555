// Words an OutOfMemoryError: the allocator's own numbers, who holds the memory by the names of the user's variables, and
// what helps. Also runs a function once more after it has failed with one.
import { types } from "node:util";
import { installedSession } from "../session.ts";
import { formatBytes } from "../units.ts";
import { describe, isThenable } from "./arguments.ts";
import { OutOfMemoryError, type MemoryHolder } from "./errors.ts";
import { collectGarbage } from "./garbage.ts";
import { type DeviceName, type HeldMemory, native, whenLoaded } from "./native.ts";
import { adviceText, type Shortage } from "./shortage_advice.ts";
import type { Tensor } from "./tensor.ts";

/** How far from a variable its tensors are looked for, and how many values are looked at in all. */
const DEEPEST = 6;
const MOST_VALUES = 20_000;

/** `model.0.weight`, `losses[3]` by the address of each tensor's storage. */
function namesByStorage(wanted: ReadonlySet<bigint>): Map<bigint, string> {
  const names = new Map<bigint, string>();
  const seen = new Set<unknown>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (names.size === wanted.size || typeof value !== "object" || value === null) return;
    if (types.isProxy(value) || ArrayBuffer.isView(value) || seen.has(value) || seen.size >= MOST_VALUES)
      return;
    seen.add(value);
    if (native.isTensor(value)) {
      const address = addressOf(value);
      if (address !== null && wanted.has(address) && !names.has(address)) names.set(address, path);
    } else if (depth < DEEPEST) {
      for (const [key, member] of membersOf(value)) visit(member, `${path}${key}`, depth + 1);
    }
  };
  for (const [name, value] of installedSession()?.variables() ?? []) visit(value, name, 0);
  return names;
}

function addressOf(tensor: Tensor): bigint | null {
  return native.isDisposed(tensor) || native.layout(tensor) !== "strided"
    ? null
    : native.storage(tensor).address;
}

/** Of plain data; accessors are code of the user's and stay alone. */
function* membersOf(value: object): Iterable<readonly [key: string, member: unknown]> {
  if (value instanceof Map) {
    for (const [key, member] of value) yield [`.get(${describe(key)})`, member];
    return;
  }
  if (value instanceof Set) {
    for (const member of value) yield ["", member];
    return;
  }
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if ("value" in property) yield [Array.isArray(value) ? `[${key}]` : `.${key}`, property.value];
  }
}

function tell(message: string, device: DeviceName | null, held: readonly HeldMemory[]): OutOfMemoryError {
  const names = namesByStorage(new Set(held.map(({ address }) => address)));
  const holders = held.map(({ tensor, bytes, cell, address }): MemoryHolder => ({
    tensor,
    bytes,
    cell,
    variable: names.get(address) ?? null,
  }));
  return new OutOfMemoryError(
    [message, holdersText(holders), adviceText(shortageOf(message, device))].join(""),
    holders,
  );
}

/** ` Largest tensors: float32 [4194304] of 16 MiB (images, Cell [3]).` */
function holdersText(holders: readonly MemoryHolder[]): string {
  if (holders.length === 0) return "";
  const texts = holders.map(({ tensor, bytes, cell, variable }) => {
    const from = [variable, cell].filter((part) => part !== null && part !== "").join(", ");
    return `${tensor} of ${formatBytes(bytes)}${from === "" ? "" : ` (${from})`}`;
  });
  return ` Largest tensors: ${texts.join("; ")}.`;
}

function shortageOf(text: string, device: DeviceName | null): Shortage {
  const simulated = device === "mps" ? native.simulatedMetal() : null;
  return {
    text,
    device,
    memory: device === null ? null : native.memoryStats(device),
    // PyTorch's variables and fractions lift no limit that the machine itself sets.
    hostLimitBytes: simulated?.cappedByHost ? simulated.limitBytes : null,
  };
}

whenLoaded((loaded) => loaded.setShortageTeller(tell));

/** Frees what nobody holds on every device, and gives its memory back. */
function release(): void {
  collectGarbage("full");
  for (const device of native.devices().available) native.emptyCache(device as DeviceName);
}

/**
 * Runs `run`, on whatever device; where it fails for want of memory, collects garbage, empties the caches, and runs it
 * once more. An allocation that fails has tried as much; what this adds is that the tensors of the failed run are gone
 * too. The second failure is the caller's. `mps` and `accelerator` have it.
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
    result = run();
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
