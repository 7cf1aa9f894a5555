// Measures a training under one setting as a point of a sweep: in the sweep's journal, with its windows, its deadline and
// its memory. A point that the journal has is not measured again.
import { runSteps, type Steps } from "../core/run_steps.ts";
import { abandonedWorkIsRunning } from "../sweep/abandoned_work.ts";
import { type OpenedJournal, recordFor } from "../sweep/journal.ts";
import { type MeasuredPlan, measurePoint, type SweepHost } from "../sweep/measure.ts";
import type { SweepWork } from "../sweep/options.ts";
import type { Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import { pointText } from "../../records/parameters.ts";
import type { TunePlan } from "./options.ts";
import type { TuneSettings } from "./settings.ts";
import { closeTrainings, type MakingPlan, type Training, trainingUnder, withThreads } from "./training.ts";

/** After this many steps a step has been captured and replayed once. */
const CAPTURING_STEPS = 4;

type Length = Pick<MeasuredPlan, "windows" | "windowMs" | "warmupSteps"> & {
  /** Whether garbage is collected before each step. */
  readonly collects: boolean;
};

/** Called before each measurement with what runs, and how many were made so far. */
type Tell = (running: string, done: number) => void;

export class Measurements {
  readonly #host: SweepHost;
  readonly #plan: TunePlan;
  readonly #making: MakingPlan;
  readonly #opened: OpenedJournal;
  readonly #tell: Tell;
  #done = 0;
  #resumed = 0;

  constructor(host: SweepHost, plan: TunePlan, making: MakingPlan, opened: OpenedJournal, tell: Tell) {
    this.#host = host;
    this.#plan = plan;
    this.#making = making;
    this.#opened = opened;
    this.#tell = tell;
  }

  get done(): number {
    return this.#done;
  }

  /** How many records were taken from the journal. */
  get resumed(): number {
    return this.#resumed;
  }

  /** Measures one turn of a value, in steady windows. */
  async turn(settings: TuneSettings, trial: string, turn: number): Promise<PointRecord> {
    const { windows, windowMs, warmupSteps } = this.#plan;
    return await this.#point({ ...settings, trial, turn }, settings, this.#host, {
      ...{ windows, windowMs, warmupSteps },
      collects: false,
    });
  }

  /** Measures two steps, each after a collection, so that no garbage of the step before counts. */
  async memory(settings: TuneSettings): Promise<PointRecord> {
    const { memoryBytes } = this.#plan;
    const host = memoryBytes === undefined ? this.#host : limitedTo(memoryBytes, this.#host);
    return await this.#point({ ...settings, trial: "largest batch" }, settings, host, {
      ...{ windows: 1, windowMs: 0, warmupSteps: 1 },
      collects: true,
    });
  }

  async #point(point: Point, settings: TuneSettings, host: SweepHost, length: Length): Promise<PointRecord> {
    const stored = recordFor(this.#opened.records, point);
    if (stored !== undefined) this.#resumed++;
    this.#tell(runningText(point), this.#done);
    const record = stored ?? (await this.#measure(point, settings, host, length));
    this.#done++;
    // Timers, comms and subshells run between points, as in a sweep.
    await new Promise((resolve) => setTimeout(resolve, 0));
    return record;
  }

  async #measure(
    point: Point,
    settings: TuneSettings,
    host: SweepHost,
    { collects, ...length }: Length,
  ): Promise<PointRecord> {
    const { deadlineMs, memoryBytes, memoryShare } = this.#plan;
    const trainings: Training[] = [];
    const making = this.#making;
    function* setUp(): Steps<SweepWork> {
      const training = yield* trainingUnder(making, settings);
      trainings.push(training);
      const { data, step } = training;
      return {
        ...(data && { data }),
        step: (batch) => {
          if (collects) host.collect();
          return step(batch);
        },
      };
    }
    const plan: MeasuredPlan = {
      ...length,
      warmupSteps: settings.capture ? Math.max(length.warmupSteps, CAPTURING_STEPS) : length.warmupSteps,
      setup: () => runSteps(setUp()),
      samples: null,
      capture: false,
      findsLeaks: false,
      deadlineMs,
      memoryShare: memoryBytes === undefined ? memoryShare : 1,
    };
    this.#opened.journal?.begin(point);
    let record: PointRecord;
    try {
      record = await runSteps(withThreads(settings, measurePoint(host, plan, point)));
    } catch (interruption) {
      this.#opened.journal?.interrupted(point);
      await closeTrainings(trainings, { failed: true });
      throw interruption;
    }
    this.#opened.journal?.record(record);
    await closeTrainings(trainings, { failed: record.status !== "measured" });
    if (record.status === "deadline" && (await abandonedWorkIsRunning()))
      throw new Error(
        `lab.tune: the step of ${pointText(point)} runs on after its deadline, and beside it no time would be right. Have it end when it is told to, or restart the session; the same call goes on from its journal.`,
      );
    return record;
  }
}

/** `threads 1, turn 2` */
function runningText({ trial, turn, batch }: Point): string {
  return turn === undefined ? `${String(trial)} ${batch}` : `${String(trial)}, turn ${Number(turn) + 1}`;
}

/** A device that has this much memory, whatever the machine has left. */
function limitedTo(memoryBytes: number, host: SweepHost): SweepHost {
  return {
    ...host,
    unified: false,
    sample: () => ({ ...host.sample(), recommendedBytes: memoryBytes }),
  };
}
