// Implements `lab.tune`: tries each knob of a training against the best setting so far, in an order that a seed
// determines, and keeps a value that gains more than the spread and computes the same.
import { native } from "../../torch/engine/native.ts";
import { getRngState, setRngState } from "../../torch/random/random.ts";
import type { DeviceName } from "../../torch/vocabulary/device_name.ts";
import { describe } from "../../torch/vocabulary/arguments.ts";
import { shownAs } from "../../views/shown_as.ts";
import { acceleratorOf } from "../core/native_device.ts";
import { runSteps } from "../core/run_steps.ts";
import { seededRandom, shuffled } from "../../statistics/seeded_random.ts";
import { abandonedWorkIsRunning } from "../sweep/abandoned_work.ts";
import { openJournal, type OpenedJournal } from "../sweep/journal.ts";
import { withJournalLock } from "../sweep/journal_lock.ts";
import { type ResultShow, showResult, SILENT } from "../sweep/show.ts";
import { digest, journalFile, sweepHost } from "../sweep/sweep.ts";
import { batchChart, gainChart } from "./chart.ts";
import { codeOf } from "./code.ts";
import { reasonAgainst, triedValues } from "./knobs.ts";
import { batchesToTime, searchLargestBatch } from "./largest_batch.ts";
import { Measurements } from "./measurements.ts";
import { readTuneOptions, type TuneOptions, type TunePlan } from "./options.ts";
import { notesOf } from "./notes.ts";
import type { LargestBatch, Tuned, TunedKnob, TuneTrial } from "./result.ts";
import { sameResults } from "./same_results.ts";
import { type KnobValue, KNOBS, type TuneKnob, type TuneSettings, valueText } from "./settings.ts";
import type { MakeTraining, MakingPlan } from "./training.ts";
import { takeTurns, trialsOf, worthTaking } from "./trial.ts";
import { observeUses } from "./uses.ts";
import { verdictOn } from "./verdict.ts";
import { tuneTable } from "./view.ts";

const CALL = "lab.tune";

/**
 * Finds what makes a training faster on this device: threads, weights with their channels last, autocast, batch, workers,
 * checkpointing, a captured step. Each is measured in turns with the best setting so far, and kept where it gains more than
 * the spread and losses, gradients and weights stay the same within `lab.parity`'s tolerances.
 *
 *     const tuned = await lab.tune(({ batch, autocast }) => {
 *       const model = new nn.Linear(64, 10);
 *       const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
 *       const x = torch.randn([batch, 64]);
 *       const step = () => {
 *         optimizer.zeroGrad();
 *         const loss = autocast(() => model(x).square().mean());
 *         loss.backward();
 *         optimizer.step();
 *         return loss;
 *       };
 *       return { model, step };
 *     });
 *     console.log(tuned.code);
 *
 * The function is called anew for each measurement, after the generators were seeded. Threads, the order of weights and the
 * captured step are turned around it; batch, workers, autocast and checkpointing where it uses them.
 *
 * @throws TypeError, RangeError for options that do not fit, and for a training without a model or a loss; whatever the
 *   function and its first step throw
 */
export async function tune<Batch = unknown, Loss = unknown>(
  make: MakeTraining<Batch, Loss>,
  options?: TuneOptions,
): Promise<Tuned> {
  if (typeof make !== "function")
    throw new TypeError(
      `${CALL} takes a function that makes a training, as ({ batch }) => ({ model, step }), got ${describe(make)}.`,
    );
  const plan = readTuneOptions(CALL, options);
  const { label } = acceleratorOf(plan.device);
  const device = label.replace(/ .*/, "") as DeviceName;
  const file = journalFile(plan);
  return await withJournalLock(file, async () => {
    if (await abandonedWorkIsRunning())
      throw new Error(
        `${CALL}: a step of an earlier measurement runs on after its deadline, and beside it no time would be right. Wait until it ends, or restart the session.`,
      );
    // The session's random numbers continue afterwards as if nothing had run.
    const states = [...new Set<DeviceName>(["cpu", device])].map(
      (name) => [getRngState(name), name] as const,
    );
    try {
      return await new TuneRun(plan, make as MakeTraining, device, file).toTheEnd();
    } finally {
      for (const [state, name] of states) setRngState(state, name);
    }
  });
}

class TuneRun {
  readonly #plan: TunePlan;
  readonly #making: MakingPlan;
  readonly #device: DeviceName;
  readonly #file: string | null;
  readonly #show: ResultShow<Tuned>;
  readonly #before: TuneSettings;
  readonly #measurements: Measurements;
  readonly #opened: OpenedJournal;
  readonly #knobs: TunedKnob[] = [];
  readonly #notTried: TunedKnob[] = [];
  #settings: TuneSettings;
  #isAsync = false;
  #largestBatch: LargestBatch | null = null;
  #whole: Tuned["whole"] = null;

  constructor(plan: TunePlan, make: MakeTraining, device: DeviceName, file: string | null) {
    this.#plan = plan;
    this.#device = device;
    this.#file = file;
    this.#making = { make, seed: plan.seed, deviceKind: device.replace(/:.*/, "") };
    this.#before = {
      batch: plan.batch,
      threads: native.getNumThreads(),
      channelsLast: false,
      autocast: "off",
      numWorkers: 0,
      checkpoint: false,
      capture: false,
    };
    this.#settings = this.#before;
    const host = sweepHost(acceleratorOf(device));
    this.#opened =
      file === null
        ? { journal: null, records: [], cutOff: [] }
        : openJournal(CALL, file, this.#identity(host.accelerator.label), plan.restart);
    this.#show = plan.show
      ? showResult<Tuned>({ table: tuneTable, charts: [gainChart, batchChart] })
      : SILENT;
    this.#measurements = new Measurements(host, plan, this.#making, this.#opened, (running, done) =>
      this.#show.update(this.#result(), { done, total: null, running: [running] }),
    );
  }

  async toTheEnd(): Promise<Tuned> {
    try {
      const against = await this.#reasonsAgainst();
      for (const knob of shuffled(KNOBS, seededRandom(this.#plan.seed))) {
        const reason = against.get(knob);
        if (reason === undefined) await this.#try(knob);
        else this.#notTried.push(reason);
      }
      await this.#compareWhole();
    } catch (thrown) {
      if (this.#measurements.done > 0) this.#show.finish(this.#result());
      throw thrown;
    }
    this.#opened.journal?.end([]);
    const result = this.#result();
    this.#show.finish(result);
    return result;
  }

  /** The observed training becomes garbage when this function returns. */
  async #reasonsAgainst(): Promise<Map<TuneKnob, TunedKnob>> {
    const { only } = this.#plan;
    const { uses, training, isAsync } = await runSteps(observeUses(this.#making, this.#before));
    this.#isAsync = isAsync;
    await training.close?.();
    const reasons = new Map<TuneKnob, TunedKnob>();
    for (const knob of KNOBS) {
      const common = { knob, before: this.#before[knob], value: this.#before[knob], trials: [] };
      if (!only.includes(knob))
        reasons.set(knob, { ...common, verdict: "not asked for", reason: "The option only leaves it out." });
      else {
        const reason =
          reasonAgainst(knob, this.#making.deviceKind, uses, training) ?? this.#nothingToTry(knob);
        if (reason !== null) reasons.set(knob, { ...common, verdict: "does not apply", reason });
      }
    }
    return reasons;
  }

  #nothingToTry(knob: TuneKnob): string | null {
    if (knob === "batch" || triedValues(knob, this.#before, this.#wished()).length > 0) return null;
    return `There is no value to try beside the present one, ${valueText(this.#before[knob])}.`;
  }

  async #try(knob: TuneKnob): Promise<void> {
    const before = this.#settings[knob];
    const found =
      knob === "batch" ? await this.#batches() : triedValues(knob, this.#settings, this.#wished());
    const values: readonly KnobValue[] = [before, ...found];
    const under = (value: KnobValue): TuneSettings => ({ ...this.#settings, [knob]: value });
    const records = await takeTurns(values, this.#plan.rounds, (value, turn) =>
      this.#measurements.turn(under(value), `${knob} ${valueText(value)}`, turn),
    );
    const trials = trialsOf(values, records);
    const taken = await this.#firstWithSameResults(knob, trials, under);
    this.#knobs.push(verdictOn(knob, before, trials, taken));
    if (taken !== null) this.#settings = under(taken.value as KnobValue);
  }

  /** Compares the results of trials that gain something, and adds the comparison to the trials. */
  async #firstWithSameResults(
    knob: TuneKnob,
    trials: TuneTrial[],
    under: (value: KnobValue) => TuneSettings,
  ): Promise<TuneTrial | null> {
    const { batch, tolerances } = this.#plan;
    for (const trial of worthTaking(trials, knob === "batch")) {
      // With another batch the results differ anyway, so they are not compared.
      if (knob === "batch") return trial;
      const results = await sameResults(
        this.#making,
        this.#device,
        { ...under(trial.value as KnobValue), batch },
        { ...this.#settings, batch },
        tolerances,
      );
      const compared = { ...trial, results };
      trials[trials.indexOf(trial)] = compared;
      if (results.within) return compared;
    }
    return null;
  }

  /** Searches the largest batch, and returns those to time. */
  async #batches(): Promise<number[]> {
    const { batch, maxBatch, memoryBytes } = this.#plan;
    const settings = this.#settings;
    if (this.#making.deviceKind === "cpu" && memoryBytes === undefined) {
      const end =
        "The processor's memory is the machine's, which swaps before it runs out: there is no edge to find. With memoryBytes the largest batch within so many bytes is searched.";
      this.#largestBatch = { batch: null, end, settings, points: [] };
    } else {
      const found = await searchLargestBatch(batch, maxBatch, (larger) =>
        this.#measurements.memory({ ...settings, batch: larger }),
      );
      this.#largestBatch = { ...found, settings };
    }
    const { batch: largest, points } = this.#largestBatch;
    // If memory was searched and not even the present batch fits, no larger one does.
    return batchesToTime(batch, largest ?? (points.length > 0 ? batch : null), maxBatch);
  }

  async #compareWhole(): Promise<void> {
    if (this.#knobs.every(({ verdict }) => verdict !== "kept")) return;
    const sides = ["before", "after"] as const;
    const records = await takeTurns(sides, this.#plan.rounds, (side, turn) =>
      this.#measurements.turn(side === "before" ? this.#before : this.#settings, `all ${side}`, turn),
    );
    const [before, after] = trialsOf(sides, records) as [TuneTrial, TuneTrial];
    this.#whole = { before, after };
  }

  #wished() {
    const { threads = null, numWorkers = null, autocast } = this.#plan;
    return { threads, numWorkers, autocast };
  }

  /** What the measurements depend on. */
  #identity(device: string): Record<string, unknown> {
    const { name: _, journal: __, restart: ___, show: ____, device: _____, ...numbers } = this.#plan;
    return {
      tune: true,
      device,
      setup: digest(String(this.#making.make)),
      ...numbers,
      presentThreads: this.#before.threads,
      torch: native.version,
    };
  }

  #result(): Tuned {
    const { name, seed } = this.#plan;
    const { make, deviceKind } = this.#making;
    const [before, settings] = [this.#before, this.#settings];
    const knobs = [...this.#knobs, ...this.#notTried];
    const facts = {
      device: acceleratorOf(this.#device).label,
      whole: this.#whole,
      resumedPoints: this.#measurements.resumed,
      cutOffPoints: this.#opened.cutOff,
      journal: this.#file,
    };
    return shownAs(
      {
        ...{ name, seed, before, settings, knobs, largestBatch: this.#largestBatch, ...facts },
        code: codeOf({
          functionName: make.name,
          isAsync: this.#isAsync,
          deviceKind,
          before,
          settings,
          knobs,
        }),
        notes: notesOf(facts),
      },
      tuneTable,
    );
  }
}
