// Times calls of a function on a device: until they are queued, and until the device has finished them.
import { runningNowMs } from "../../../session.ts";
import { isThenable } from "../../../torch/vocabulary/arguments.ts";
import { requireBegun } from "../../../torch/vocabulary/finished.ts";
import { DeviceMismatchError } from "../../../torch/vocabulary/errors.ts";
import { capture } from "../../../torch/capture/capture.ts";
import { native } from "../../../torch/engine/native.ts";
import { Module } from "../../../torch/nn/module/module.ts";
import { tensorsAmong } from "../../../torch/engine/observe.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { settled, type Steps } from "../../core/run_steps.ts";
import { type Spread, spreadOf } from "../../../statistics/spread.ts";
import { kindOf } from "../trace/phases.ts";
import type { MeasurePlan } from "./options.ts";

/** Calls too short for the clock are repeated, at most this often; more would only average the machine's drift. */
const MAX_CALLS = 100_000;

/** The note in a result whose device is simulated. */
export const SIMULATED = "The device is simulated by this machine's processor: no time here is a GPU's.";

/** A plain result; all times are those of one call. */
export interface Benchmark {
  readonly name: string;
  /** The device, for example `mps (simulated)`. */
  readonly device: string;
  readonly warmupCalls: number;
  readonly callsPerRepeat: number;
  readonly repeats: number;
  /** The time of the first call, until the device had finished it; null without a warm-up. */
  readonly firstMs: number | null;
  /** Time until the call returned; on a device with a queue, the time to enqueue the work. */
  readonly queuedMs: Spread;
  /** Time until the device had finished the work. */
  readonly finishedMs: Spread;
  /**
   * How long the host waited for the device inside the call, on average; this is part of the queued time. Null if it is
   * not counted.
   */
  readonly waitedInsideMs: number | null;
  /** `finishedMs` of each repeat, in order: a drift shows here. */
  readonly finishedRepeatsMs: readonly number[];
  /** Warnings to read before quoting these numbers. */
  readonly notes: readonly string[];
}

/** One function on one device, and what was measured of it so far. */
export class BenchmarkCase {
  readonly #name: string;
  readonly #made: () => unknown;
  #run: () => unknown;
  /** `#run`, or the captured step that replays it. */
  #timed: () => unknown;
  readonly #accelerator: DeviceInterface;
  readonly #plan: MeasurePlan;
  readonly #queuedMs: number[] = [];
  readonly #finishedMs: number[] = [];
  #firstMs: number | null = null;
  #callsPerRepeat = 1;
  readonly #maySetUp: boolean;
  #waitedMs: number | null = 0;

  /**
   * @param run does the work
   * @param options `maySetUp`: `run` may set the work up instead, and return the function that does it
   */
  constructor(
    name: string,
    run: () => unknown,
    accelerator: DeviceInterface,
    plan: MeasurePlan,
    { maySetUp = false }: { readonly maySetUp?: boolean } = {},
  ) {
    this.#name = name;
    this.#made = run;
    this.#run = run;
    this.#accelerator = accelerator;
    this.#plan = plan;
    this.#timed = this.#asAsked(run);
    this.#maySetUp = maySetUp;
  }

  /** Whether `run` sets the work up and returns the function that does it; known after `setUp`. */
  get isSetUp(): boolean {
    return this.#run !== this.#made;
  }

  /**
   * The result of the first call shows whether the function does the work or sets it up. That call counts as a warm-up.
   */
  *setUp(): Steps<void> {
    if (!this.#maySetUp) return;
    const made = yield* settled(this.#made());
    // A model is also a function, but as a result it is the work's value, not work to time.
    this.#run =
      typeof made === "function" && !(made instanceof Module) ? (made as () => unknown) : this.#made;
    this.#timed = this.#asAsked(this.#run);
  }

  #asAsked(run: () => unknown): () => unknown {
    return this.#plan.capture ? capture(run, { checkEvery: 0 }) : run;
  }

  /** Makes one call that does not count, because the first one after a move is slower. */
  *setUpAgain(): Steps<void> {
    if (!this.isSetUp) return;
    yield* this.setUp();
    // A function that was set up anew must be captured anew.
    if (this.#plan.capture) for (let i = 0; i < this.#plan.warmup; i++) yield* this.#time(1);
    else if (this.#plan.warmup > 0) yield* this.#time(1);
    else this.#accelerator.synchronize();
  }

  *warmUp(): Steps<void> {
    const { warmup, calls, repeatMs, deadlineMs } = this.#plan;
    this.#accelerator.synchronize();
    const beganMs = runningNowMs();
    let callMs = 0;
    for (let i = 0; i < warmup; i++) {
      callMs = (yield* this.#time(1)).finishedMs;
      if (i === 0) this.#firstMs = callMs;
      if (runningNowMs() - beganMs > deadlineMs) break;
    }
    const fitting = callMs > 0 ? Math.ceil(repeatMs / callMs) : 1;
    this.#callsPerRepeat = calls ?? Math.min(MAX_CALLS, Math.max(1, fitting));
  }

  *repeat(): Steps<void> {
    const { queuedMs, finishedMs, waitedMs } = yield* this.#time(this.#callsPerRepeat);
    this.#queuedMs.push(queuedMs / this.#callsPerRepeat);
    this.#finishedMs.push(finishedMs / this.#callsPerRepeat);
    this.#waitedMs = this.#waitedMs === null || waitedMs === null ? null : this.#waitedMs + waitedMs;
  }

  *#time(calls: number): Steps<{ queuedMs: number; finishedMs: number; waitedMs: number | null }> {
    const run = this.#timed;
    const waitedBefore = this.#accelerator.waitedMs();
    let returned: unknown;
    const beganMs = runningNowMs();
    for (let i = 0; i < calls; i++) {
      returned = run();
      if (isThenable(returned)) returned = yield returned;
    }
    requireBegun("lab.benchmark", returned);
    const queuedMs = runningNowMs() - beganMs;
    const waited = this.#accelerator.waitedMs();
    this.#accelerator.synchronize();
    const finishedMs = runningNowMs() - beganMs;
    this.#checkDevice(returned);
    return {
      queuedMs,
      finishedMs,
      waitedMs: waited === null || waitedBefore === null ? null : waited - waitedBefore,
    };
  }

  /** Refuses tensors of another device: waiting for this device does not wait for that one. */
  #checkDevice(returned: unknown): void {
    const waitedFor = this.#accelerator.label.replace(/[ :].*/, "");
    const kinds = tensorsAmong(returned)
      .filter((tensor) => !native.isDisposed(tensor))
      .map(kindOf);
    const other = kinds.find((kind) => kind !== "cpu" && kind !== waitedFor);
    if (other !== undefined)
      throw new DeviceMismatchError(
        `${this.#name} returns a tensor on ${other}, but ${waitedFor} is what it is timed on: it would be asked for and never waited for. Make its tensors on ${waitedFor}, or name ${other} as the device.`,
      );
  }

  result(): Benchmark {
    const { warmup, repeats } = this.#plan;
    const done = this.#finishedMs.length;
    const notes: string[] = [];
    if (done < repeats) notes.push(`The deadline came after ${done} of ${repeats} repeats.`);
    if (this.#accelerator.label.includes("simulated")) notes.push(SIMULATED);
    return {
      name: this.#name,
      device: this.#accelerator.label,
      warmupCalls: warmup,
      callsPerRepeat: this.#callsPerRepeat,
      repeats: done,
      firstMs: this.#firstMs,
      queuedMs: spreadOf(this.#queuedMs),
      finishedMs: spreadOf(this.#finishedMs),
      waitedInsideMs: this.#waitedMs === null ? null : this.#waitedMs / (done * this.#callsPerRepeat),
      finishedRepeatsMs: [...this.#finishedMs],
      notes,
    };
  }
}
