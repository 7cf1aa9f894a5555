// Tests `lab.log`: what it records in an epoch, and what it refuses.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { installOutputSink, outputSink } from "../../../../lib/display.ts";
import * as lab from "../../../../lib/lab/index.ts";
import { ScriptedSink } from "../scripted_sink.ts";
import { refuses } from "../../torch/tensor/misuse.ts";

const plain = outputSink();
beforeAll(() => installOutputSink(new ScriptedSink()));
afterAll(() => installOutputSink(plain));
beforeEach(() => lab.ledger.clear());

const metrics = () => lab.ledger.epochs.map((record) => record.metrics);

describe("lab.log", () => {
  it("records numbers and tensors of one element by their names, in the record of their epoch", () => {
    for (const epoch of lab.epochs(2))
      lab.log({ loss: 1 / (epoch + 1), accuracy: torch.tensor(0.5), batches: torch.tensor([3]) });
    expect(metrics()).toEqual([
      { loss: 1, accuracy: 0.5, batches: 3 },
      { loss: 0.5, accuracy: 0.5, batches: 3 },
    ]);
  });

  it("combines the calls of one epoch to their mean", () => {
    for (const _ of lab.epochs(1)) for (const loss of [1, 2, 6]) lab.log({ loss: torch.tensor(loss) });
    expect(metrics()).toEqual([{ loss: 3 }]);
  });

  it("or to the last value, where that is asked for", () => {
    for (const _ of lab.epochs(1)) for (const lr of [0.1, 0.05]) lab.log({ lr }, { reduce: "last" });
    expect(metrics()).toEqual([{ lr: 0.05 }]);
  });

  it("takes an epoch without a call for one without the metric", () => {
    for (const epoch of lab.epochs(3)) if (epoch === 1) lab.log({ validation: 7 });
    expect(metrics()).toEqual([{}, { validation: 7 }, {}]);
  });

  it("counts calls in inner loops, in functions and in nested epoch loops for the outermost epoch", () => {
    const step = (loss: number) => lab.log({ loss });
    for (const _ of lab.epochs(1)) for (const inner of lab.epochs(2)) step(inner);
    expect(metrics()).toEqual([{ loss: 0.5 }]);
  });

  it("keeps NaN and infinite values as they are", () => {
    for (const _ of lab.epochs(1)) {
      lab.log({ loss: torch.tensor(Number.NaN), scale: Infinity });
      lab.log({ loss: 1, scale: 1 });
    }
    expect(metrics()).toEqual([{ loss: Number.NaN, scale: Infinity }]);
  });

  it("keeps the value of the moment, and nothing of the graph", () => {
    const weight = torch.ones([4], { requiresGrad: true });
    for (const _ of lab.epochs(1)) {
      const loss = weight.sum();
      lab.log({ loss });
      torch.noGrad(() => loss.zero_());
    }
    expect(metrics()).toEqual([{ loss: 4 }]);
  });

  it("records what an epoch that was cut had logged", () => {
    const failing = () => {
      for (const epoch of lab.epochs(3)) {
        lab.log({ loss: epoch });
        if (epoch === 1) throw new Error("no");
      }
    };
    expect(failing).toThrow("no");
    expect(metrics()).toEqual([{ loss: 0 }, { loss: 1 }]);
  });
});

/** Misuse inside an epoch. */
const inEpoch = (call: () => void) => () => {
  for (const _ of lab.epochs(1)) call();
};

refuses([
  [
    "a call outside of epochs",
    () => lab.log({ loss: 1, accuracy: 2 }),
    "Error",
    "lab.log: no epoch is running that could record { loss, accuracy }; call it inside an epoch loop, as for (const epoch of lab.epochs(5)) { ... }.",
  ],
  [
    "a value without a name",
    inEpoch(() => lab.log(0.5 as never)),
    "TypeError",
    "lab.log takes numbers by their names, as { loss }, not 0.5.",
  ],
  [
    "text",
    inEpoch(() => lab.log({ loss: "0.5" as never })),
    "TypeError",
    'lab.log: loss must be a number or a Tensor of one element, got "0.5".',
  ],
  [
    "a tensor of many elements",
    inEpoch(() => lab.log({ loss: torch.ones([32]) })),
    "RangeError",
    "lab.log: loss has the shape [32]; log one number, as loss.mean().",
  ],
  [
    "a complex tensor",
    inEpoch(() => lab.log({ z: torch.ones([], { dtype: "complex64" }) })),
    "TypeError",
    "lab.log: z is complex64; log a real number, as z.abs().",
  ],
  [
    "another way to combine what the epoch has already",
    inEpoch(() => {
      lab.log({ lr: 1 });
      lab.log({ lr: 2 }, { reduce: "last" });
    }),
    "RangeError",
    'lab.log: lr has reduce: "mean" in this epoch already, not "last"; give one of them a name of its own.',
  ],
  [
    "an unknown way to combine",
    inEpoch(() => lab.log({ loss: 1 }, { reduce: "sum" as never })),
    "TypeError",
    'lab.log: reduce must be one of "mean", "last", got "sum".',
  ],
]);
