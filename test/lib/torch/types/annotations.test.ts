// Annotations as PyTorch's users write them, devices that are texts, and datasets of modules, in a plain file.
import { expect, it } from "vitest";
import { check } from "./type_check.ts";

const PREAMBLE = `
import { data, functional as F, nn, optim, torch, Tensor } from "mpslab";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function known<Wanted>() { return <Given>(value: Given, same: Same<Given, Wanted>) => [value, same]; }
declare const somewhere: Tensor;
`;

const ACCEPTED: Record<string, string> = {
  "annotations as PyTorch's users write them": `
function train(x: torch.Tensor, optimizer: optim.Optimizer, dataset: data.Dataset, device: torch.Device): torch.Tensor {
  for (const [input, target] of new data.DataLoader(dataset, { batchSize: 2 })) x.add(input).sub(target);
  optimizer.zeroGrad();
  return new nn.Linear(4, 2).to(device)(x.to(device));
}
class Squares implements data.Dataset {
  length = 3;
  get(index: number): [torch.Tensor, number] { return [torch.zeros([2]), index]; }
}
class Net extends nn.Module {
  fc = new nn.Linear(3, 4);
  forward(x: torch.Tensor): torch.Tensor { return this.fc(x); }
}
const net: nn.Module = new Net(), sgd = new optim.SGD(net.parameters(), { lr: 0.1 });
const scheduler: optim.lrScheduler.LRScheduler = new optim.lrScheduler.StepLR(sgd, 3);
const loader: data.DataLoader = new data.DataLoader(new Squares());
const part: data.Subset = new data.Subset(new Squares(), [1]);
const fixed: torch.Tensor<[2, 3], "float32"> = torch.zeros([2, 3]);
const size: torch.Size = fixed.shape, dtype: torch.dtype = torch.float32, best: torch.device = torch.device();
if (fixed instanceof torch.Tensor) train(fixed, sgd, part, best);
train(somewhere, sgd, new data.TensorDataset(somewhere), "cpu");
`,
  "a device that is a text": `
function place(device: string, wished: { device?: string; dtype?: torch.DType }) {
  known<Tensor<[2], "float32">>()(torch.zeros([2], { device }), true);
  known<Tensor<[2]>>()(torch.zeros([2]).to(device), true);
  const layer: nn.Linear<2, 3> = new nn.Linear(2, 3, { device }).to(device);
  torch.tensor([1, 2], { device }).add(torch.full([2], 1, { device })).add(torch.arange(2, { device }));
  torch.zerosLike(somewhere, { device }).to({ device }).to(device, "float16").to(device, { nonBlocking: true });
  torch.zeros([2], wished).add(torch.asTensor([1, 2], wished));
  torch.load("weights.pt", { mapLocation: device });
  torch.setDefaultDevice(device);
  return torch.rand([2], { generator: new torch.Generator(device), device });
}
const there = <Device extends torch.Device>(x: Tensor, device: Device) => [torch.tensor([1, 2], { device }), x.to(device)];
const moved = <Kind extends Tensor>(x: Kind) => [x.to("mps"), x.double(), x.mps(), x.to("float64").matmul(x)];
`,
  "batches of a dataset in a module": `
async function read() {
const unknownModule = await data.workerDataset("./images.ts");
for (const [images, labels] of new data.DataLoader(unknownModule, { batchSize: 8 })) F.crossEntropy(images, labels);
type Images = { default: (split: string) => Promise<data.Dataset<[Tensor, number]>> };
for (const [image, label] of new data.DataLoader(await data.workerDataset<Images>("./images.ts", "train"))) label.sum();
for (const item of new data.DataLoader(await data.workerDataset<data.Dataset<number>>("./numbers.ts"))) item.sum();
}
`,
};

it.each(Object.entries(ACCEPTED))("%s", (_, program) => {
  expect(check(PREAMBLE + program)).toEqual([]);
});
