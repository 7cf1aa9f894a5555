// Compares what a training computes under two settings of the knobs, by `lab.parity` on one device.
import type { DeviceName } from "../../torch/vocabulary/device_name.ts";
import type { DType } from "../../torch/vocabulary/dtype.ts";
import { isInterruption } from "../../session.ts";
import { settled, runSteps, type Steps } from "../core/run_steps.ts";
import { parity, type ParitySubject } from "../measures/parity/parity.ts";
import type { Parity } from "../measures/parity/result.ts";
import { type Tolerance, TOLERANCES } from "../measures/parity/tolerance.ts";
import type { SameResults } from "./result.ts";
import type { TuneSettings } from "./settings.ts";
import { closeTrainings, type MakingPlan, type Training, trainingUnder, withThreads } from "./training.ts";

/** More than four, because a captured step is replayed from its fourth call on. */
const STEPS = 6;

type Tolerances = Partial<Readonly<Record<DType, Tolerance>>>;

/**
 * PyTorch's tolerances; if one side computes in half precision, those of that dtype for all tensors, relative to the
 * largest element, because small elements of a gradient are differences of rounded values.
 */
function tolerancesFor(one: TuneSettings, other: TuneSettings): Tolerances {
  const half = [one.autocast, other.autocast].find((dtype) => dtype !== "off");
  if (half === undefined) return TOLERANCES;
  const tolerance: Tolerance = { ...TOLERANCES[half]!, relativeTo: "largest element" };
  return { ...TOLERANCES, float32: tolerance, float64: tolerance };
}

/**
 * Trains six steps from the same weights under each setting. If a step throws, its error is the reason why the results
 * differ.
 */
export async function sameResults(
  plan: MakingPlan,
  device: DeviceName,
  settings: TuneSettings,
  before: TuneSettings,
  tolerances: Tolerances,
): Promise<SameResults> {
  const sides = [settings, before];
  const trainings: Training[] = [];
  function* subject(side: TuneSettings): Steps<ParitySubject> {
    const training = yield* withThreads(side, trainingUnder(plan, side));
    trainings.push(training);
    function* step(): Steps<unknown> {
      const batch = training.data === undefined ? undefined : yield* settled(training.data());
      return yield* settled(training.step(batch));
    }
    return { model: training.model, step: () => runSteps(withThreads(side, step())) };
  }
  let found: Parity;
  try {
    found = await parity<Promise<unknown>>({
      // A promise if the function returns one; `lab.parity` waits for it.
      build: () => runSteps(subject(sides.shift()!)) as ParitySubject<Promise<unknown>>,
      devices: [device, device],
      steps: STEPS,
      seed: plan.seed,
      tolerances: { ...tolerancesFor(settings, before), ...tolerances },
    });
  } catch (thrown) {
    await closeTrainings(trainings, { failed: true });
    if (isInterruption(thrown)) throw thrown;
    const error = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    return { within: false, steps: STEPS, worst: { name: "", tolerances: null }, error };
  }
  await closeTrainings(trainings, { failed: false });
  return { within: found.within, steps: STEPS, worst: worstOf(found), error: null };
}

/**
 * A tensor beyond its tolerance comes first, then a loss beyond its own, then the tensor that uses most of its
 * tolerance.
 */
function worstOf({ losses, tensors }: Parity): SameResults["worst"] {
  const loss = losses.find(({ within }) => !within);
  const [tensor] = tensors;
  const isTensorWorse = tensor !== undefined && (tensor.tolerances === null || tensor.tolerances > 1);
  if (loss !== undefined && !isTensorWorse) return { name: loss.name, tolerances: null };
  return tensor === undefined
    ? { name: "losses", tolerances: 0 }
    : { name: tensor.name, tolerances: tensor.tolerances };
}
