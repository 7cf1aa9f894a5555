// Implements `lab.sweep`: runs the points of a plan one after the other, writes each into the journal, shows them, and
// names the batch to take.
import { createHash } from "node:crypto";
import { installedSession, isInterruption } from "../../session.ts";
import { collectGarbage } from "../../torch/engine/garbage.ts";
import { native } from "../../torch/engine/native.ts";
import type { Module } from "../../torch/nn/module/module.ts";
import { acceleratorOf } from "../core/native_device.ts";
import type { DeviceInterface } from "../core/device_interface.ts";
import { expiredDeadlineError } from "../../deadlines.ts";
import { withinDeadline } from "../core/run_with_deadline.ts";
import { runSteps } from "../core/run_steps.ts";
import { holdersOf } from "../measures/holders.ts";
import { sampleMemory } from "../core/memory.ts";
import { shownAs } from "../../views/shown_as.ts";
import { withJournalLock } from "./journal_lock.ts";
import { abandonedWorkIsRunning, RUNS_ON } from "./abandoned_work.ts";
import { openJournal, type OpenedJournal, recordFor, type SweepIdentity } from "./journal.ts";
import { measurePoint, type SweepHost } from "./measure.ts";
import {
  type Grid,
  type PointsPlan,
  readSweepOptions,
  type SweepOptions,
  type SweepPlan,
} from "./options.ts";
import { orderOf } from "./order.ts";
import type { Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import { pointText } from "../../records/parameters.ts";
import { resultOf, type SweepResult } from "../../records/batch_sweeps/result.ts";
import { nextBatch } from "./search.ts";
import { showSweep, SILENT, type SweepShow } from "./show.ts";
import { sweepTable } from "../../records/batch_sweeps/table.ts";

/** `lab.sweep` on this machine. */
export async function sweep<Batch = unknown, const Parameters extends Grid = Grid>(
  options: SweepOptions<Batch, Parameters>,
): Promise<SweepResult> {
  const plan = readSweepOptions(options as unknown as SweepOptions);
  const accelerator = acceleratorOf(plan.device ?? undefined);
  const file = journalFile(plan);
  return await withJournalLock(file, async () => {
    if (await abandonedWorkIsRunning())
      throw new Error(
        "lab.sweep: a step of an earlier sweep runs on after its deadline, and beside it no time would be right. Wait until it ends, or restart the session.",
      );
    const opened =
      file === null
        ? NO_JOURNAL
        : openJournal("lab.sweep", file, identityOf(plan, accelerator.label), plan.restart);
    const show = plan.show ? showSweep() : SILENT;
    return await new SweepRun(plan, sweepHost(accelerator), opened, file, show).toTheEnd();
  });
}

const NO_JOURNAL: OpenedJournal = { journal: null, records: [], cutOff: [] };

/** Connects the measurement of points to this machine. */
export function sweepHost(accelerator: DeviceInterface): SweepHost {
  return {
    accelerator,
    unified: !accelerator.label.startsWith("cuda"),
    sample: () => sampleMemory(accelerator),
    collect: () => collectGarbage("full"),
    holders: holdersOf,
    withinDeadline,
    isInterruption,
  };
}

class SweepRun {
  readonly #plan: SweepPlan;
  readonly #host: SweepHost;
  readonly #opened: OpenedJournal;
  readonly #file: string | null;
  readonly #show: SweepShow;
  readonly #records: PointRecord[] = [];
  readonly #ends: string[] = [];
  #resumed = 0;
  /** The point whose step still runs after its deadline. */
  #runsOn: Point | null = null;

  constructor(plan: SweepPlan, host: SweepHost, opened: OpenedJournal, file: string | null, show: SweepShow) {
    this.#plan = plan;
    this.#host = host;
    this.#opened = opened;
    this.#file = file;
    this.#show = show;
  }

  async toTheEnd(): Promise<SweepResult> {
    const order = orderOf(this.#plan);
    const missing: string[] = [];
    if ("points" in order) {
      for (const point of order.points) {
        if (this.#runsOn === null) await this.#run(point, order.points.length);
        else missing.push(pointText(point));
      }
    } else {
      for (const combination of order.combinations) {
        if (this.#runsOn === null) await this.#series(combination, order.range);
        else missing.push(pointText(combination as Point));
      }
    }
    if (missing.length === 0) this.#opened.journal?.end(this.#ends);
    else this.#ends.push(this.#leftOut(missing));
    const result = this.#result();
    this.#show.finish(result);
    return shownAs(result, sweepTable);
  }

  async #series(
    combination: Readonly<Record<string, Point[string]>>,
    range: Parameters<typeof nextBatch>[1],
  ): Promise<void> {
    const records: PointRecord[] = [];
    for (;;) {
      const next = nextBatch(records, range);
      if ("end" in next) {
        const names = pointText(combination as Point);
        this.#ends.push(names === "" ? next.end : `${names}: ${next.end}`);
        return;
      }
      records.push(await this.#run({ batch: next.batch, ...combination }, null));
    }
  }

  async #run(point: Point, total: number | null): Promise<PointRecord> {
    const stored = recordFor(this.#opened.records, point);
    if (stored !== undefined) this.#resumed++;
    this.#show.update(this.#result(), { done: this.#records.length, total, running: [pointText(point)] });
    const record = stored ?? (await this.#measure(point));
    this.#records.push(record);
    // Timers, comms and subshells run between points; a timer is awaited and not an immediate, which could come before
    // a timer that is due. A sweep inside a step whose own deadline has expired measures no further points.
    if (expiredDeadlineError() === null) await new Promise((resolve) => setTimeout(resolve, 0));
    return record;
  }

  #leftOut(missing: readonly string[]): string {
    const again = this.#file === null ? "" : ` The same call goes on from ${this.#file}.`;
    return `Not measured: ${missing.join("; ")}. The step of ${pointText(this.#runsOn!)} runs on after its deadline, and beside it no time would be right: have it end when it is told to, or restart the session.${again}`;
  }

  async #measure(point: Point): Promise<PointRecord> {
    this.#opened.journal?.begin(point);
    let record: PointRecord;
    try {
      record = await runSteps(measurePoint(this.#host, this.#plan, point));
      if (record.status === "deadline" && (await abandonedWorkIsRunning())) {
        this.#runsOn = point;
        record = { ...record, notes: [...record.notes, RUNS_ON] };
      }
    } catch (interruption) {
      this.#opened.journal?.interrupted(point);
      this.#show.finish(this.#result());
      throw interruption;
    }
    this.#opened.journal?.record(record);
    return record;
  }

  #result(): SweepResult {
    return resultOf({
      name: this.#plan.name,
      device: this.#host.accelerator.label,
      seed: this.#plan.seed,
      points: [...this.#records],
      ends: [...this.#ends],
      resumedPoints: this.#resumed,
      cutOffPoints: this.#opened.cutOff,
      journal: this.#file,
    });
  }
}

export function journalFile({ journal, name }: Pick<SweepPlan, "journal" | "name">): string | null {
  if (journal !== undefined) return journal;
  return installedSession() === null ? null : `${name}.sweep.jsonl`;
}

function identityOf(plan: SweepPlan, device: string): SweepIdentity {
  return {
    device,
    model: plan.model === null ? null : modelText(plan.model),
    ...pointsIdentity(plan, String(plan.setup)),
    torch: native.version,
  };
}

/** Returns the values that the points depend on, on any machine. */
export function pointsIdentity(plan: PointsPlan, setup: string): SweepIdentity {
  const { batch, grid, samples, capture, warmupSteps, windows, windowMs, deadlineMs, memoryShare, seed } =
    plan;
  return {
    setup: digest(setup),
    ...{ batch, grid, samples, capture, warmupSteps, windows, windowMs, deadlineMs, memoryShare, seed },
  };
}

/** `Sequential with 4 parameters, 1f0c22...`: readable, and different if a shape or dtype differs. */
function modelText(model: Module): string {
  const parameters = [...model.namedParameters()].map(
    ([name, parameter]) => `${name} ${native.dtype(parameter)} ${native.shape(parameter).join("x")}`,
  );
  return `${model.constructor.name} with ${parameters.length} parameters, ${digest(parameters.join("\n"))}`;
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
