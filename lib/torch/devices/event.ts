// Defines what the events of mps, cuda and cpu share. An event marks a place in a device's queue. It shows when the
// device reached that place, and the time between two of them.
import type { DeviceName } from "../vocabulary/device_name.ts";
import { describe } from "../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";

export interface EventOptions {
  /** Whether `elapsedTime` may be called; an event without it costs the device less. Default: false. */
  readonly enableTiming?: boolean;
}

const RULES: Rules<EventOptions> = { enableTiming: boolean(false) };

const released = new FinalizationRegistry<number>((event) => native.releaseEvent(event));

/**
 * A marker in the queue of one device (`torch.mps.event.Event`, `torch.cuda.Event`). On the CPU, whose operators are
 * done when they return, it is a reading of the clock.
 *
 * @example
 * const start = new mps.Event({ enableTiming: true }), end = new mps.Event({ enableTiming: true });
 * start.record(); x.matmul(x); end.record();
 * console.log(start.elapsedTime(end), "ms");
 */
export class DeviceEvent {
  readonly #event: number;
  readonly #call: string;
  readonly #kind: string;
  readonly #timing: boolean;
  #recorded = false;

  /** @param call what the user wrote, for messages: `mps.Event` */
  constructor(device: DeviceName, call: string, options?: EventOptions) {
    this.#timing = readOptions<EventOptions>(call, options, RULES).enableTiming;
    this.#call = call;
    this.#kind = device.replace(/:.*/, "");
    this.#event = native.acquireEvent(device, this.#timing);
    released.register(this, this.#event);
  }

  /** Marks the end of what is queued now. Recorded again, the event marks the new place only. */
  record(): void {
    native.recordEvent(this.#event);
    this.#recorded = true;
  }

  /** Makes work that is queued later run after the marker. The host does not wait. */
  wait(): void {
    if (this.#recorded) native.waitForEvent(this.#event);
  }

  /** Has the device passed the marker? True of an event that was never recorded. */
  query(): boolean {
    return !this.#recorded || native.queryEvent(this.#event);
  }

  /** Waits on the host until the device has passed the marker. */
  synchronize(): void {
    if (this.#recorded) native.synchronizeEvent(this.#event);
  }

  /**
   * Milliseconds that the device took from this marker to `end`; waits for both.
   *
   * @throws TypeError for what is no event of this device; RangeError where one was not recorded, or made without
   *   `enableTiming`
   */
  elapsedTime(end: DeviceEvent): number {
    const call = `${this.#call}.elapsedTime`;
    if (!(end instanceof DeviceEvent)) {
      throw new TypeError(`${call}: the end must be another ${this.#call}, got ${describe(end)}.`);
    }
    if (end.#kind !== this.#kind) {
      throw new TypeError(`${call}: both events must be of ${this.#kind}, but the end is of ${end.#kind}.`);
    }
    for (const [which, event] of [
      ["start", this],
      ["end", end],
    ] as const) {
      if (!event.#timing) {
        throw new RangeError(
          `${call}: the ${which} was made without timing; make it with new ${this.#call}({ enableTiming: true }).`,
        );
      }
      if (!event.#recorded) {
        throw new RangeError(`${call}: the ${which} was never recorded; call its record() first.`);
      }
    }
    return native.elapsedMs(this.#event, end.#event);
  }
}
