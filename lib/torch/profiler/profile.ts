// Records what runs between `start` and `stop`, or in the steps that a schedule names. Other files make averages and
// traces of the events.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../display.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { writeWholeText } from "../../whole_file.ts";
import { describe, isThenable } from "../vocabulary/arguments.ts";
import { requireBegun } from "../vocabulary/finished.ts";
import {
  boolean,
  callback,
  checkedLater,
  type OpenRules,
  type Read,
  readOptions,
} from "../vocabulary/options.ts";
import "../engine/call_site.ts";
import { requireDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import type { Span } from "../engine/native_autograd.ts";
import { averagesOf, type AverageOptions, type EventAverages } from "./averages.ts";
import { chromeTrace } from "./chrome_trace.ts";
import { eventsOf, type ProfilerEvent } from "./events.ts";
import type { ProfilerAction, Schedule } from "./schedule.ts";

export interface ProfileOptions {
  /** The devices to time. The host is always timed; a device that queues its work may be added. Default: `["cpu"]`. */
  readonly activities?: readonly DeviceName[];
  /** The steps to record, as `schedule(...)` returns it. Default: all, in one recording. */
  readonly schedule?: Schedule;
  /** Called each time when a recording is complete: at the end of a cycle, and at the end. Default: none. */
  readonly onTraceReady?: (profile: Profile) => void;
  /** Records the shapes of operators' inputs. Default: false. */
  readonly recordShapes?: boolean;
  /** Records how many bytes operators leave allocated. Default: false. */
  readonly profileMemory?: boolean;
  /** Records the lines of cells from which operators were called. Default: false. */
  readonly withStack?: boolean;
}

const RULES = {
  activities: checkedLater<readonly DeviceName[]>(["cpu"]),
  schedule: callback<Schedule>(),
  onTraceReady: callback<(profile: Profile) => void>(),
  recordShapes: boolean(false),
  profileMemory: boolean(false),
  withStack: boolean(false),
} satisfies OpenRules<ProfileOptions>;
const isRecording = (action: ProfilerAction): boolean => action === "record" || action === "recordAndSave";

/** Whether a profiler is recording, so that named blocks cost nothing otherwise. */
let running = false;

/**
 * The result of `torch.profiler.profile`: a recording of operators, with their times and memory, between `start()` and
 * `stop()`. One runs at a time.
 */
export class Profile {
  readonly #options: Read<typeof RULES>;
  readonly #device: DeviceName | null;
  #action: ProfilerAction = "none";
  #step = 0;
  #started = false;
  #recordingSinceMs = 0;
  #stepBeganMs = 0;
  #steps: Span[] = [];
  #events: readonly ProfilerEvent[] = [];

  constructor(options: ProfileOptions = {}) {
    const call = "profiler.profile";
    this.#options = readOptions(call, options, RULES);
    this.#device = deviceOf(call, this.#options.activities);
  }

  /** Steps that `step()` has counted. */
  get stepNum(): number {
    return this.#step;
  }

  /**
   * Begins to record.
   *
   * @throws TypeError if it was started before, or if another one is running
   */
  start(): void {
    if (this.#started) throw new TypeError("profiler: it was started already.");
    if (running) throw new TypeError("profiler: another profile is running: stop it first.");
    this.#step = 0;
    this.#enter(this.#actionAt(0));
    this.#started = running = true;
  }

  /** Ends a step of the schedule, and begins the next. */
  step(): void {
    if (!this.#started) throw new TypeError("profiler: step() needs a profile that was started.");
    this.#endStep();
    const before = this.#action;
    this.#step++;
    const next = this.#actionAt(this.#step);
    const goesOn = before === "record" && isRecording(next);
    if (goesOn) this.#action = next;
    else {
      this.#leave();
      this.#enter(next);
    }
  }

  /** The last recording ends here, even if its schedule is not complete. */
  stop(): void {
    if (!this.#started) throw new TypeError("profiler: stop() needs a profile that was started.");
    this.#endStep();
    if (this.#action === "record") this.#action = "recordAndSave";
    try {
      this.#leave();
    } finally {
      this.#started = false;
      running = false;
    }
  }

  /** Stops the profile at the end of a block that declared it with `using`. */
  [Symbol.dispose](): void {
    if (this.#started) this.stop();
  }

  #actionAt(step: number): ProfilerAction {
    return this.#options.schedule?.(step) ?? "record";
  }

  #enter(action: ProfilerAction): void {
    if (action !== "none") this.#record();
    this.#action = action;
  }

  #record(): void {
    const { recordShapes, profileMemory, withStack } = this.#options;
    native.startProfiler({
      shapes: recordShapes,
      memory: profileMemory,
      stacks: withStack,
      device: this.#device ?? undefined,
    });
    this.#recordingSinceMs = this.#stepBeganMs = performance.now();
  }

  #leave(): void {
    const action = this.#action;
    this.#action = "none";
    if (action === "none") return;
    const spans = native.stopProfiler();
    const steps = this.#steps;
    this.#steps = [];
    if (action !== "recordAndSave") return;
    this.#events = eventsOf(withSteps(spans, steps));
    this.#options.onTraceReady?.(this);
  }

  #endStep(): void {
    if (!isRecording(this.#action) || this.#options.schedule === undefined) return;
    const nowMs = performance.now();
    this.#steps.push({
      name: `ProfilerStep#${this.#step}`,
      scope: "user",
      parent: -1,
      sequence: -1,
      beginMs: this.#stepBeganMs - this.#recordingSinceMs,
      endMs: nowMs - this.#recordingSinceMs,
      hostBytes: 0,
      deviceBytes: 0,
      shapes: "",
      stack: "",
    });
    this.#stepBeganMs = nowMs;
  }

  /** The events of the last complete recording, in the order in which they began. */
  events(): readonly ProfilerEvent[] {
    return this.#events;
  }

  /** The events of each name together: `console.log(profile.keyAverages().table({ sortBy: "selfCpuTimeMs" }))`. */
  keyAverages(options?: AverageOptions): EventAverages {
    return averagesOf(this.#events, options);
  }

  [DISPLAY](): MimeBundle {
    return this.keyAverages()[DISPLAY]();
  }

  [inspect.custom](): string {
    return this.keyAverages().table();
  }

  /** Writes the last complete recording for chrome://tracing and Perfetto. */
  exportChromeTrace(path: string): void {
    if (typeof path !== "string" || path === "")
      throw new TypeError(`exportChromeTrace: expected a path, got ${describe(path)}.`);
    writeWholeText("exportChromeTrace", path, chromeTrace(this.#events, this.#device));
  }
}

function deviceOf(call: string, activities: readonly DeviceName[]): DeviceName | null {
  if (!Array.isArray(activities) || activities.length === 0)
    throw new TypeError(
      `${call}: activities must be an array of devices, as ["cpu"], got ${describe(activities)}.`,
    );
  const devices = activities.map((name) => requireDevice(name)).filter((name) => name !== "cpu");
  if (devices.length > 1)
    throw new RangeError(`${call}: one device beside the CPU can be timed, got ${devices.join(" and ")}.`);
  return devices[0] ?? null;
}

/** Adds the steps as callers of what ran within them. */
function withSteps(spans: readonly Span[], steps: readonly Span[]): Span[] {
  const moved = spans.map((span): Span => {
    if (span.parent >= 0) return { ...span, parent: span.parent + steps.length };
    const step = steps.findIndex(({ beginMs, endMs }) => beginMs <= span.beginMs && span.endMs <= endMs);
    return { ...span, parent: step };
  });
  return [...steps, ...moved];
}

/**
 * Records what `run` does, across its awaits too, and gives the profile:
 *
 *     const profile = torch.profiler.profile({ recordShapes: true }, () => model(x).sum().backward());
 *     console.log(profile.keyAverages().table({ sortBy: "selfCpuTimeMs", rowLimit: 10 }));
 *
 * With a schedule `run` calls `profile.step()` after each step.
 */
export function profile(
  options: ProfileOptions,
  run: (profile: Profile) => PromiseLike<unknown>,
): Promise<Profile>;
export function profile(options: ProfileOptions, run: (profile: Profile) => unknown): Profile;
export function profile(
  options: ProfileOptions,
  run: (profile: Profile) => unknown,
): Profile | Promise<Profile> {
  if (typeof run !== "function")
    throw new TypeError(
      `profiler.profile: expected a function to run, as profile({}, () => model(x)), got ${describe(run)}.`,
    );
  const made = new Profile(options);
  made.start();
  let awaits = false;
  try {
    const result = requireBegun("profiler.profile", run(made));
    awaits = isThenable(result);
    if (awaits) return finish(made, result as PromiseLike<unknown>);
  } finally {
    if (!awaits) made[Symbol.dispose]();
  }
  return made;
}

async function finish(made: Profile, result: PromiseLike<unknown>): Promise<Profile> {
  try {
    await result;
  } finally {
    made[Symbol.dispose]();
  }
  return made;
}

/** Names a block in what the profiler records; without a profiler it only runs it. Its time ends where `run` returns. */
export function recordFunction<Result>(name: string, run: () => Result): Result {
  if (typeof name !== "string" || typeof run !== "function")
    throw new TypeError(
      `profiler.recordFunction: expected a name and a function, as recordFunction("forward", () => model(x)), got ${describe(name)} and ${describe(run)}.`,
    );
  return requireBegun("profiler.recordFunction", running ? native.recordFunction(name, run) : run());
}
