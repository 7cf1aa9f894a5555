// Makes trainings whose steps take as long as a script says, on vitest's fake clock: the verdicts depend on no machine.
import { vi } from "vitest";
import { type lab, nn, type Tensor, torch } from "../../../../lib/index.ts";

/** What a step finds when it runs. */
export interface Found {
  readonly threads: number;
  readonly batch: number;
  readonly casts: boolean;
  /** Counts the steps of this training. */
  readonly step: number;
}

/** One turn each, of two windows of one step, after one step. */
export const QUICK = {
  ...{ rounds: 1, warmupSteps: 1, windows: 2, windowMs: 0 },
  ...{ journal: null, show: false },
} as const;

/**
 * A linear layer on batches that take 1 ms to make. A replay runs no script, so it takes no time beside the batch.
 *
 * @param milliseconds of a step beside its batch
 */
export function training(milliseconds: (found: Found) => number): lab.MakeTraining<Tensor, Tensor> {
  return ({ batch, autocast }) => {
    const model = new nn.Linear(4, 1);
    let step = 0;
    return {
      model,
      data() {
        vi.advanceTimersByTime(1);
        return torch.ones([batch, 4]);
      },
      step(x) {
        model.zeroGrad();
        const loss = autocast(() => {
          const casts = torch.isAutocastEnabled("cpu");
          vi.advanceTimersByTime(
            milliseconds({ threads: torch.getNumThreads(), batch, casts, step: step++ }),
          );
          return model(x).float().mean();
        });
        loss.backward();
        return loss;
      },
    };
  };
}

export const knobOf = (tuned: lab.Tuned, name: lab.TuneKnob): lab.TunedKnob =>
  tuned.knobs.find(({ knob }) => knob === name)!;
