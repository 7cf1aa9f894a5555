// Implements `lab.smoke`: runs a short window of a step and the memory plateau test, before long work starts on a
// machine. A remote runs the same call, so that both machines are judged alike.
import type { DeviceName } from "../../torch/vocabulary/device_name.ts";
import { checkInteger, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import {
  checkedLater,
  integer,
  number,
  type OpenRules,
  readOptions,
} from "../../torch/vocabulary/options.ts";
import { acceleratorOf } from "../core/native_device.ts";
import { withinDeadline } from "../core/run_with_deadline.ts";
import { runSteps, settled, type Steps } from "../core/run_steps.ts";
import { type FlushedEpoch, GROWTH_THRESHOLD, type Growth, growth } from "../epochs/growth.ts";
import { free, measurePoint, type SweepHost, workOf } from "./measure.ts";
import type { SweepOptions } from "./options.ts";
import type { Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import { sweepHost } from "./sweep.ts";
import { shownAs } from "../../views/shown_as.ts";
import { columns, type Table } from "../../views/table.ts";
import { formatBytes, formatChange, formatTime } from "../../units.ts";

export interface SmokeOptions {
  /** The same function as for a sweep. */
  readonly setup: SweepOptions["setup"];
  /** The point that is tried. Default: `{ batch: 1 }`. */
  readonly point?: Point;
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
  /** Milliseconds that the window and the plateau test may each take. Default: 60000. */
  readonly deadlineMs?: number;
  /** Steps between two flushes of the plateau test. Default: 5. */
  readonly stepsPerEpoch?: number;
}

export interface Smoke {
  readonly device: string;
  /** The result of the window: the first step separately, three short windows, loss, memory. */
  readonly window: PointRecord;
  /** Memory over ten flushes, judged by the runbook's threshold; null if the window failed. */
  readonly plateau: { readonly live: Growth; readonly footprint: Growth } | null;
  readonly passed: boolean;
  /** Reasons against starting long work. */
  readonly failures: readonly string[];
}

const CALL = "lab.smoke";
const RULES = {
  setup: checkedLater<SmokeOptions["setup"] | undefined>(undefined),
  point: checkedLater<NonNullable<SmokeOptions["point"]>>({ batch: 1 }),
  device: checkedLater<SmokeOptions["device"]>(undefined),
  deadlineMs: number(60_000, { min: 1 }),
  stepsPerEpoch: integer(5, 1),
} satisfies OpenRules<SmokeOptions>;
const WINDOW = {
  samples: null,
  capture: false,
  warmupSteps: 1,
  windows: 3,
  windowMs: 50,
  memoryShare: 0.9,
} as const;
/** The number of flushes in the plateau test: the first is not counted, and the other eleven span ten epochs. */
const EPOCHS = GROWTH_THRESHOLD.epochs + 2;
/** Smaller growth comes from the host's caches, even if it is a large share of a small total. */
const MIN_GROWTH_BYTES: Record<"allocatedBytes" | "footprintBytes", number> = {
  allocatedBytes: 2 ** 16,
  footprintBytes: 2 ** 24,
};

/**
 * Runs one point briefly, then ten rounds of steps and a flush, and reports whether memory stays level.
 *
 *     await lab.smoke({ setup, point: { batch: 16 } });
 *
 * @throws TypeError, RangeError for options that do not fit; what fails in the step is in the result
 */
export async function smoke(options: SmokeOptions): Promise<Smoke> {
  const { setup, point, device, deadlineMs, stepsPerEpoch: steps } = readOptions(CALL, options, RULES);
  if (typeof setup !== "function")
    throw new TypeError(
      `${CALL}: setup must be a function of a point, as ({ batch }) => ({ data, step }), got ${describe(setup)}.`,
    );
  if (!isRecord(point))
    throw new TypeError(
      `${CALL}: point must be a point of a sweep, as { batch: 1 }, got ${describe(point)}.`,
    );
  checkInteger(CALL, "point.batch", point.batch, 1);
  const accelerator = acceleratorOf(device);
  const host = sweepHost(accelerator);
  const window = await runSteps(measurePoint(host, { ...WINDOW, setup, deadlineMs }, point));
  const failures = windowFailures(window);
  const plateau =
    window.status === "measured" ? await plateauOf(host, setup, point, steps, deadlineMs, failures) : null;
  const passed = failures.length === 0;
  return shownAs({ device: accelerator.label, window, plateau, passed, failures }, smokeTable);
}

function windowFailures({ status, error, loss, leak, swapped, notes }: PointRecord): string[] {
  const failures: string[] = [];
  if (status !== "measured") failures.push(`The step did not run (${status}): ${error}`);
  if (loss?.finite === false) failures.push("The loss is not finite.");
  if (leak !== null) failures.push(notes.find((note) => note.startsWith("A step leaves")) ?? "A step leaks.");
  if (swapped) failures.push("The machine swapped.");
  return failures;
}

async function plateauOf(
  host: SweepHost,
  setup: SmokeOptions["setup"],
  point: Point,
  steps: number,
  deadlineMs: number,
  failures: string[],
): Promise<Smoke["plateau"]> {
  try {
    const flushed = flushedEpochs(host, setup, point, steps);
    const epochs = await runSteps(withinDeadline(flushed, deadlineMs));
    const verdict = (metric: keyof typeof MIN_GROWTH_BYTES, name: string): Growth => {
      const found = growth(epochs, metric);
      const grown = (found.toBytes ?? 0) - (found.fromBytes ?? 0);
      if (found.verdict !== "growing") return found;
      if (grown < MIN_GROWTH_BYTES[metric]) return { ...found, verdict: "steady" };
      failures.push(
        `${name} grew from ${formatBytes(found.fromBytes!)} to ${formatBytes(found.toBytes!)} over ${found.epochs} flushes: suspect retained tensors.`,
      );
      return found;
    };
    return {
      live: verdict("allocatedBytes", "Memory of live tensors"),
      footprint: verdict("footprintBytes", "The process"),
    };
  } catch (thrown) {
    if (host.isInterruption(thrown)) throw thrown;
    failures.push(
      `The plateau test did not end: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
    return null;
  }
}

function* flushedEpochs(
  host: SweepHost,
  setup: SmokeOptions["setup"],
  point: Point,
  steps: number,
): Steps<FlushedEpoch[]> {
  const work = workOf(yield* settled(setup(point)));
  const epochs: FlushedEpoch[] = [];
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let step = 0; step < steps; step++) {
      const batch = work.data ? yield* settled(work.data()) : undefined;
      yield* settled(work.step(batch));
    }
    free(host);
    epochs.push({ epoch, first: epoch === 0, complete: true, after: host.sample() });
  }
  return epochs;
}

function smokeTable({ device, window, plateau, failures }: Smoke): Table {
  const growthText = (found: Growth | undefined) =>
    found === undefined
      ? ""
      : `${found.verdict}${found.rise === null ? "" : `, ${formatChange(found.rise)}`}`;
  return {
    caption: `Smoke window on ${device}, then memory over ${GROWTH_THRESHOLD.epochs} flushes`,
    columns: columns("<step", "<live tensors", "<process", "<loss"),
    rows: [
      [
        window.steady === null ? window.status : formatTime(window.steady.stepMs.median),
        growthText(plateau?.live),
        growthText(plateau?.footprint),
        window.loss === null ? "" : window.loss.finite ? "finite" : "not finite",
      ],
    ],
    notes: failures.length === 0 ? ["Passed: long work may be attached."] : failures,
  };
}
