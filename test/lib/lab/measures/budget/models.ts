// Builds an MLP, a CNN and a transformer to budget, at sizes at which an error of 5% would show.
import { nn, optim, type Tensor, torch } from "../../../../../lib/index.ts";
import type { BudgetSubject } from "../../../../../lib/lab/measures/budget/options.ts";

function trained(
  model: nn.Module,
  optimizer: optim.Adam | optim.SGD,
  lossOf: (batch: number, sequence: number) => Tensor,
): BudgetSubject {
  return {
    model,
    optimizer,
    step(batch, sequence = 0) {
      optimizer.zeroGrad();
      lossOf(batch, sequence).backward();
      optimizer.step();
    },
  };
}

export function mlp(): BudgetSubject {
  const model = new nn.Sequential(
    new nn.Linear(784, 512),
    new nn.ReLU(),
    new nn.Linear(512, 512),
    new nn.ReLU(),
    new nn.Linear(512, 10),
  );
  return trained(model, new optim.Adam(model.parameters()), (batch) =>
    nn.functional.crossEntropy(model(torch.ones([batch, 784])), torch.zeros([batch], { dtype: "int64" })),
  );
}

export function cnn(): BudgetSubject {
  const model = new nn.Sequential(
    new nn.Conv2d(1, 16, 3, { padding: 1 }),
    new nn.BatchNorm2d(16),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Conv2d(16, 32, 3, { padding: 1 }),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Flatten(),
    new nn.Linear(32 * 7 * 7, 10),
  );
  return trained(model, new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9 }), (batch) =>
    nn.functional.crossEntropy(
      model(torch.ones([batch, 1, 28, 28])),
      torch.zeros([batch], { dtype: "int64" }),
    ),
  );
}

export function transformer(): BudgetSubject {
  const layer = new nn.TransformerEncoderLayer(64, 4, { dimFeedforward: 256, batchFirst: true, dropout: 0 });
  const model = new nn.TransformerEncoder(layer, 1);
  return trained(model, new optim.Adam(model.parameters()), (batch, sequence) =>
    model(torch.ones([batch, sequence, 64]))
      .pow(2)
      .mean(),
  );
}
