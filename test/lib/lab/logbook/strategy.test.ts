// The logbook notices how a training's steps compute: autocast, checkpoints, accumulation. Nobody has to write it down.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab, nn, optim, torch } from "../../../../lib/index.ts";

interface Step {
  readonly amp?: "float16" | "bfloat16";
  readonly checkpoint?: boolean;
  readonly accumulate?: number;
}

/** Ten batches an epoch. */
function strategyOf({ amp, checkpoint = false, accumulate = 1 }: Step) {
  const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 1));
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
  const x = torch.ones([2, 4]);
  const forward = () => (checkpoint ? torch.checkpoint(() => model(x), []) : model(x)).mean();
  for (const _ of lab.epochs(2)) {
    for (let batch = 1; batch <= 10; batch++) {
      const loss = amp === undefined ? forward() : torch.autocast({ deviceType: "cpu", dtype: amp }, forward);
      loss.backward();
      if (batch % accumulate === 0) optimizer.step();
    }
  }
  const { fields, filledBy } = lab.logbook.draft();
  const { amp: noticed, checkpointing, accumulationSteps } = fields;
  return [noticed, checkpointing, accumulationSteps, filledBy.amp];
}

it.each<readonly [Step, readonly unknown[]]>([
  [{}, ["off", false, 1, "machine"]],
  [{ amp: "bfloat16" }, ["bfloat16", false, 1, "machine"]],
  [{ checkpoint: true }, ["off", true, 1, "machine"]],
  // Ten batches make two steps of four; the two that are left over count for the next step.
  [{ amp: "bfloat16", checkpoint: true, accumulate: 4 }, ["bfloat16", true, 4, "machine"]],
])("a training with %j is noticed", (step, noticed) => {
  expect(strategyOf(step)).toEqual(noticed);
});

it("an evaluation after the loop, and a second optimizer, change nothing", () => {
  const model = new nn.Linear(4, 1);
  const optimizers = [model.weight, model.bias!].map((one) => new optim.SGD([one], { lr: 0.1 }));
  const x = torch.ones([2, 4]);
  for (const _ of lab.epochs(2)) {
    model(x).mean().backward();
    for (const optimizer of optimizers) optimizer.step();
    torch.noGrad(() => torch.autocast({ deviceType: "cpu" }, () => model(x)));
  }
  torch.autocast({ deviceType: "cpu" }, () => model(x).mean()).backward();
  expect(lab.logbook.draft().fields).toMatchObject({ amp: "off", accumulationSteps: 1 });
});

it("a loop that trains nothing tells nothing, and what the user gives counts", () => {
  for (const _ of lab.epochs(2)) torch.ones([2]);
  const { fields, filledBy, missing } = lab.logbook.draft({ accumulationSteps: 8 });
  expect([fields.amp, fields.accumulationSteps, filledBy.accumulationSteps]).toEqual([null, 8, "user"]);
  expect(missing.amp).toMatch(/^Train first: it is noticed\./);
});

describe("points of a sweep in a plain loop", () => {
  const train = (lr: number, dtype?: "bfloat16") => {
    const model = new nn.Linear(4, 1);
    const optimizer = new optim.SGD(model.parameters(), { lr });
    const forward = () => model(torch.ones([2, 4])).mean();
    const loss = dtype === undefined ? forward() : torch.autocast({ deviceType: "cpu", dtype }, forward);
    loss.backward();
    optimizer.step();
  };
  const record = () => lab.logbook.record().fields;

  beforeAll(() => {
    lab.logbook.use(path.join(mkdtempSync(path.join(tmpdir(), "mpslab-")), "runs.jsonl"));
    // Ends what the epoch loops above were part of.
    record();
  });

  afterAll(() => void lab.logbook.use(null));

  it("have each its own optimizer and its own autocast", () => {
    train(0.1);
    const first = record();
    train(0.2, "bfloat16");
    const second = record();
    expect([first.optimizer, first.amp]).toMatchObject([{ optimizer: "SGD", lr: "0.1" }, "off"]);
    expect([second.optimizer, second.amp]).toMatchObject([{ optimizer: "SGD", lr: "0.2" }, "bfloat16"]);
    expect(Object.keys(second.optimizer as object).filter((name) => name.startsWith("2."))).toEqual([]);
  });

  it("say the same when they are recorded twice", () => {
    train(0.3);
    const { optimizer } = record();
    torch.noGrad(() => torch.autocast({ deviceType: "cpu" }, () => torch.ones([2]).add(1)));
    expect(record().optimizer).toEqual(optimizer);
  });
});
