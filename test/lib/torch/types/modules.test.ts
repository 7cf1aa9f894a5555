// Modules as values of type `nn.Module`, and other types that need no arguments: programs that the checker lets pass.
import { expect, it } from "vitest";
import { check } from "./type_check.ts";

const PREAMBLE = `
import { data, lab, nn, torch, Tensor } from "mpslab";
const x = torch.zeros([2, 3]), y = torch.zeros([3, 4]);
`;

it("any module is called with anything, one of a class as its forward", () => {
  const program = `
class Net extends nn.Module {
  body: nn.Module = new nn.Linear(3, 4);
  parts: Record<string, nn.Module> = { body: this.body, head: new nn.ReLU(), list: new nn.ModuleList([]) };
  forward(t: Tensor, times = 1): [Tensor, number] {
    return [this.body(t), times];
  }
}
const [features, times] = new Net()(x, 2);
features.mul(times);
const mean = (model: nn.Module, t: Tensor) => model(t).mean();
mean(new nn.Linear(3, 4), x);
mean(new Net(), x);
mean(new nn.Sequential(new nn.Linear(3, 4), new nn.ReLU()), x);
const models: Record<string, nn.Module> = { linear: new nn.Linear(3, 4), net: new Net(), loss: new nn.MSELoss() };
for (const [name, model] of Object.entries(models)) name.concat(String(model(x).shape));
const made = (width: number): nn.Module => (width > 2 ? new nn.Linear(3, width) : new Net());
made(3)(x).add(1);
for (const module of new Net().modules()) if (module instanceof nn.Linear) module.weight.shape.at(0);
const anything: unknown = new Net();
if (anything instanceof nn.Module) anything(x);
if (anything instanceof Net) anything(x)[0].relu();
class Fancy extends nn.Linear {
  scale = 2;
  override forward(t: Tensor, more = 1): Tensor {
    return super.forward(t).mul(this.scale * more);
  }
}
const fancy: nn.Linear = new Fancy(3, 4);
fancy(x).add(new Fancy(3, 4)(x, 2));
`;
  expect(check(PREAMBLE + program)).toEqual([]);
});

it("a loader, a checkpoint and a sweep's points are typed as far as they are known", () => {
  const program = `
function batches(loader: data.DataLoader) {
  for (const [images, labels] of loader) images.add(labels);
}
batches(new data.DataLoader(new data.TensorDataset(x, y.at(0))));
const checkpoint = torch.load("model.pt");
new nn.Linear(3, 4).loadStateDict(checkpoint.model);
lab.sweep({
  grid: { width: [64, 256], dtype: ["float32", "bfloat16"], bias: [true, false] },
  setup({ batch, width, dtype, bias }) {
    const layer = new nn.Linear(width * 2, batch, { dtype, bias });
    return () => layer(torch.zeros([batch, width * 2], { dtype })).sum();
  },
});
`;
  expect(check(PREAMBLE + program)).toEqual([]);
});

it("a call that a class's forward does not take is refused", () => {
  const program = `
class Net extends nn.Module {
  forward(t: Tensor): Tensor {
    return t;
  }
}
new Net()(1);
new Net()();
class Empty extends nn.Module {}
`;
  expect(check(PREAMBLE + program)).toEqual([
    "10: Argument of type 'number' is not assignable to parameter of type 'Tensor'.",
    "11: Expected 1 arguments, but got 0.",
    "12: Non-abstract class 'Empty' does not implement inherited abstract member forward from class 'Module'.",
  ]);
});
