// Optimizers: parameters, gradients and state that lie in memory in every combination of layouts. After four steps, with the
// state saved, laid out anew and loaded in their middle, the values must be those of contiguous copies.
import { optim, torch, type Tensor } from "../../../lib/index.ts";

export const name = "optimizers over parameters, gradients and state of every layout";

interface Optimizer {
  step(): unknown;
  stateDict(): optim.OptimizerStateDict;
  loadStateDict(state: optim.OptimizerStateDict): void;
}

const OPTIMIZERS: Readonly<Record<string, (parameters: Tensor[]) => Optimizer>> = {
  SGD: (parameters) => new optim.SGD(parameters, { lr: 0.1, momentum: 0.9, nesterov: true }),
  Adam: (parameters) => new optim.Adam(parameters, { lr: 0.1, amsgrad: true }),
  AdamW: (parameters) => new optim.AdamW(parameters, { lr: 0.1 }),
  Adagrad: (parameters) => new optim.Adagrad(parameters, { lr: 0.1 }),
  RMSprop: (parameters) => new optim.RMSprop(parameters, { lr: 0.1, momentum: 0.9, centered: true }),
  Adamax: (parameters) => new optim.Adamax(parameters, { lr: 0.1 }),
  NAdam: (parameters) => new optim.NAdam(parameters, { lr: 0.1 }),
  RAdam: (parameters) => new optim.RAdam(parameters, { lr: 0.1 }),
  Adadelta: (parameters) => new optim.Adadelta(parameters, { lr: 0.1 }),
};

const SHAPE = [2, 3, 4, 2] as const;
const STEPS = 4;

type Layout = (values: Tensor) => Tensor;

/** The same values, with dimensions in this order in memory. */
const inOrder =
  (...order: readonly number[]): Layout =>
  (values) =>
    values
      .permute(order)
      .contiguous()
      .permute(order.map((_, at) => order.indexOf(at)));

/** The same values in the middle of a larger tensor. */
const atOffset: Layout = (values) => {
  const larger = torch.zeros([values.numel() + 7]);
  const part = larger.narrow(0, 5, values.numel()).view(values.shape as number[]);
  part.copy_(values);
  return part;
};

const DENSE: Readonly<Record<string, Layout>> = {
  contiguous: (values) => values.clone(),
  transposed: inOrder(0, 1, 3, 2),
  "channels last": (values) => values.contiguous({ memoryFormat: "channels_last" }).clone(),
  "dimensions reversed": inOrder(3, 2, 1, 0),
  "at an offset": atOffset,
};

const GRADIENTS: Readonly<Record<string, Layout>> = {
  ...DENSE,
  "every second element": (values) => {
    const larger = torch.zeros([...(values.shape as number[]), 2]);
    const part = larger.select(-1, 1);
    part.copy_(values);
    return part;
  },
};

const { "at an offset": _, ...STATES } = DENSE;

/** The values of a step, drawn from the seed. */
function drawn(seed: number, step: number): Tensor {
  torch.manualSeed(seed + step);
  return torch.randn(SHAPE as unknown as number[]) as Tensor;
}

function laidOut(saved: optim.OptimizerStateDict, layout: Layout): optim.OptimizerStateDict {
  const state = Object.fromEntries(
    Object.entries(saved.state as Record<string, Record<string, unknown>>).map(([index, fields]) => [
      index,
      Object.fromEntries(
        Object.entries(fields).map(([field, value]) => {
          const tensor = value as Tensor;
          return [
            field,
            tensor instanceof torch.Tensor && tensor.dim() === SHAPE.length ? layout(tensor) : value,
          ];
        }),
      ),
    ]),
  );
  return { ...saved, state } as optim.OptimizerStateDict;
}

function trained(
  make: (parameters: Tensor[]) => Optimizer,
  seed: number,
  [parameter, gradient, state]: readonly [Layout, Layout, Layout],
): Tensor {
  const leaf = parameter(drawn(seed, 0)).detach().requiresGrad_();
  let optimizer = make([leaf]);
  for (let step = 1; step <= STEPS; step += 1) {
    if (step === 3) {
      const saved = laidOut(optimizer.stateDict(), state);
      optimizer = make([leaf]);
      optimizer.loadStateDict(saved);
    }
    leaf.grad = gradient(drawn(seed, step));
    optimizer.step();
  }
  return leaf.detach().contiguous();
}

export async function run(seed: number): Promise<string[]> {
  torch.setNumThreads(1);
  const problems: string[] = [];
  let count = 0;
  const plain = DENSE["contiguous"]!;
  for (const [optimizer, make] of Object.entries(OPTIMIZERS)) {
    const expected = trained(make, seed, [plain, plain, plain]);
    for (const [ofParameter, parameter] of Object.entries(DENSE))
      for (const [ofGradient, gradient] of Object.entries(GRADIENTS))
        for (const [ofState, state] of Object.entries(STATES)) {
          const what = `${optimizer}: parameter ${ofParameter}, gradient ${ofGradient}, state ${ofState}`;
          count += 1;
          try {
            const values = trained(make, seed, [parameter, gradient, state]);
            const far = values.sub(expected).abs().max().item() as number;
            if (!(far <= 1e-6)) problems.push(`${what}: values differ by ${far}`);
          } catch (error) {
            problems.push(`${what}: ${(error as Error).message}`);
          }
        }
  }
  console.log(`  ${count} combinations of ${Object.keys(OPTIMIZERS).length} optimizers`);
  return problems;
}
