// Provides epoch loops to cells and plain programs: loops that the compiler found, and `lab.epochs(...)`. It connects
// the recorder to this session's device, ledger and charts.
import {
  type CompiledEpochLoop,
  CUT_EPOCH,
  type EpochLoop,
  type EpochLoopDescription,
} from "../../contract.ts";
import { deliverComms } from "../../comms/comms.ts";
import { epochEnded, epochsFlush, installedSession, observeCells } from "../../session.ts";
import { observeSkippedSteps } from "../../torch/amp/skipped_steps.ts";
import type { Tensor } from "../../torch/types/index.ts";
import { describe } from "../../torch/vocabulary/arguments.ts";
import { ChartPlaces } from "./epoch_charts.ts";
import { Collector } from "../core/collector.ts";
import { nativeDevice } from "../core/native_device.ts";
import { EpochLoops } from "./epoch_loop.ts";
import { type LogOptions, readLogCall } from "./metrics.ts";
import { type Flush, flush as flushDevice } from "./flush.ts";
import { ledger } from "../core/ledger.ts";
import type { MemoryMark } from "../../records/epochs.ts";

const collector = new Collector();
const places = new ChartPlaces();
const loops = new EpochLoops({
  ledger,
  collector,
  accelerator: nativeDevice,
  display: (description) => places.open(description),
  epochEnded() {
    deliverComms({ synchronous: true });
    epochEnded();
  },
});

observeSkippedSteps((steps) => loops.skippedSteps(steps));

// An interrupted cell may leave a loop that never closes.
observeCells({ cellEnded: () => loops.abandon(installedSession()?.cellSignal()?.aborted === true) });

/** The values behind what `lab.epochs` returned. */
const sources = new WeakMap<WeakKey, Iterable<unknown>>();

/** Opens the loop of a compiled cell, which calls this function as `__mpslab_epochs`. */
export function openEpochLoop({ explicit = false, ...description }: EpochLoopDescription): CompiledEpochLoop {
  const open = (): EpochLoop => loops.open({ flush: epochsFlush(), ...description });
  // The loop of `lab.epochs(...)` opens in `over`, once its values are seen: the text may call a user's own `lab`.
  let loop = explicit ? null : open();
  let cutInner: (() => void) | undefined;
  return {
    over(values) {
      const source = sources.get(values as WeakKey);
      if (source === undefined) {
        // Functions that pass on the epochs of `lab.epochs`, such as `lab.progress`, report a throw through this too.
        cutInner = (values as Readonly<Record<symbol, (() => void) | undefined>> | null)?.[
          Symbol.for(CUT_EPOCH)
        ];
        return values;
      }
      loop ??= open();
      return source as typeof values;
    },
    begin: () => loop?.begin(),
    cut() {
      cutInner?.();
      loop?.cut();
    },
    end: () => loop?.end(),
    close: () => loop?.close(),
  };
}

/**
 * The explicit form of an epoch loop: counts from 0 to `count - 1`, or passes on the values of an iterable, and
 * measures and flushes around each.
 *
 *     for (const epoch of lab.epochs(5)) train(epoch);
 *
 * An iterator cannot see whether `break` or a throw ends its loop. In a cell and in the notebook's own TypeScript files the
 * kernel reports it; in a package, a JavaScript file or a plain program an epoch that threw is recorded as whole, unless
 * an interrupt ended it.
 *
 * @throws TypeError, RangeError for anything but a whole number or an iterable
 */
export function epochs(count: number): Iterable<number>;
export function epochs<Value>(values: Iterable<Value>): Iterable<Value>;
export function epochs(source: number | Iterable<unknown>): Iterable<unknown> {
  const values = typeof source === "number" ? counted(source) : source;
  if (typeof values === "string" || typeof values?.[Symbol.iterator] !== "function") {
    throw new TypeError(`lab.epochs takes a number of epochs or an iterable, not ${describe(source)}.`);
  }
  const site = callSite();
  let latest: EpochLoop | null = null;
  const measured = {
    [Symbol.for(CUT_EPOCH)]: () => latest?.cut(),
    *[Symbol.iterator]() {
      const loop = openEpochLoop({ variable: "epoch", line: 0, site });
      latest = loop;
      try {
        for (const value of values) {
          loop.begin();
          try {
            yield value;
          } finally {
            if (installedSession()?.cellSignal()?.aborted === true) loop.cut();
            loop.end();
          }
        }
      } finally {
        loop.close();
      }
    },
  };
  sources.set(measured, values);
  return measured;
}

/** Flushes now, with a full collection whatever it costs. Within an epoch its time counts as the epoch's. */
export function flush(): Flush {
  return flushDevice(nativeDevice(), () => collector.full());
}

/** Records the memory of this moment under a name; the chart shows it. */
export function mark(tag: string): MemoryMark {
  if (typeof tag !== "string" || tag === "") {
    throw new TypeError(`lab.mark takes a name for this moment, as "after forward", not ${describe(tag)}.`);
  }
  return loops.mark(tag);
}

/**
 * Records metrics of the running epoch: `lab.log({ loss, accuracy })`. They join `lab.ledger.epochs[n].metrics` and the
 * loop's chart. Several calls in one epoch become their mean, or the last value with `{ reduce: "last" }`; calls of a
 * loop inside count for the outermost one.
 *
 * A tensor does not make the host wait: its value is copied on the device, and read when the epoch is flushed.
 *
 * @throws TypeError, RangeError for what is neither a number nor a tensor of one element; Error outside an epoch
 */
export function log(values: Readonly<Record<string, number | Tensor>>, options?: LogOptions): void {
  loops.log(readLogCall(values, options));
}

function counted(count: number): Iterable<number> {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(`lab.epochs takes a whole number of epochs, 0 or more, not ${count}.`);
  }
  return {
    *[Symbol.iterator]() {
      for (let epoch = 0; epoch < count; epoch++) yield epoch;
    },
  };
}

/** Returns the place where `lab.epochs` was called. It distinguishes two loops of one cell. */
function callSite(): string {
  return new Error().stack?.split("\n")[3]?.trim() ?? "";
}
