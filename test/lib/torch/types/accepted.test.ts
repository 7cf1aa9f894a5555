// Programs that any reader would write, and that the type checker lets pass: what is not known, `any`, refuses nothing.
// What is known shows in the types that the programs assert. Where a variable is to hold one tensor after another,
// a plain file says so: `let x: Tensor`.
import { expect, it } from "vitest";
import { check } from "./type_check.ts";

const PREAMBLE = `
import { data, functional as F, lab, nn, optim, torch, Tensor } from "mpslab";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function known<Wanted>() { return <Given>(value: Given, same: Same<Given, Wanted>) => [value, same]; }
declare const rows: number, somewhere: Tensor;
`;

const ACCEPTED: Record<string, string> = {
  "what is known of new tensors": `
known<Tensor<[2, 3], "float32">>()(torch.zeros([2, 3]), true);
known<Tensor<[4], "int64">>()(torch.ones(4, { dtype: "int64" }), true);
known<Tensor<[2], "float32", "cpu">>()(torch.randn([2], { device: "cpu" }), true);
known<Tensor<[any, 3], "float32">>()(torch.rand([rows, 3]), true);
known<Tensor<any, "float32">>()(torch.empty(somewhere.shape), true);
known<Tensor<[2, 3], "float64">>()(torch.zerosLike(torch.zeros([2, 3], { dtype: "float64" })), true);
known<Tensor>()(somewhere, true);
`,
  "what is known of values": `
known<Tensor<[3, 2]>>()(torch.tensor([[1, 2], [3, 4], [5, 6]]), true);
known<Tensor<[1, 2, 1], "int64">>()(torch.tensor([[[1], [2]]], { dtype: "int64" }), true);
known<Tensor<[]>>()(torch.tensor(3), true);
known<Tensor<[0]>>()(torch.tensor([]), true);
known<Tensor<[any]>>()(torch.tensor(somewhere.shape), true);
known<Tensor<[any]>>()(torch.tensor(new Float32Array(4)), true);
known<Tensor<[2, 2]>>()(torch.fromTypedArray(new Float32Array(4), [2, 2]), true);
known<Tensor<[2, 3], "int64">>()(torch.full([2, 3], 7), true);
known<Tensor<[2, 3], "float32">>()(torch.full([2, 3], -0.5), true);
known<Tensor<[2]>>()(torch.full([2], Math.random()), true);
known<Tensor<[2], "bool">>()(torch.full(2, true), true);
known<Tensor<[2], "float64">>()(torch.full([2], 1n, { dtype: "float64" }), true);
known<Tensor<[3, 4], "float32">>()(torch.eye(3, 4), true);
known<Tensor<[5]>>()(torch.arange(5), true);
known<Tensor<[any]>>()(torch.arange(0, 5), true);
known<Tensor<[5], "float32">>()(torch.linspace(0, 1, 5), true);
known<Tensor<[64, 2], "int64">>()(torch.randint(10, [64, 2]), true);
known<Tensor<[9], "int64">>()(torch.randperm(9), true);
known<Tensor<[2], "int64">>()(torch.zeros([3], { dtype: "int64" }).newZeros([2]), true);
const nested: number[][] = [[1, 2]];
torch.tensor(nested).matmul(torch.zeros([2, 5])).add(torch.zeros([7, 5]));
`,
  "what lists of values hold": `
known<number[][]>()(torch.zeros([2, 3]).tolist(), true);
known<number[][]>()(torch.rand([rows, 3]).tolist(), true);
known<number[]>()(torch.tensor([1, 2]).tolist(), true);
known<number>()(torch.zeros([2]).sum().tolist(), true);
known<boolean[]>()(torch.zeros([2]).gt(0).tolist(), true);
known<number[]>()(torch.randperm(3).tolist(), true);
somewhere.tolist()[0][1].toFixed(2);
const [{ re, im }] = torch.zeros([1], { dtype: "complex64" }).tolist() as [{ re: number; im: number }];
const lists: number[][] = somewhere.tolist<number[][]>(), values = somewhere.tolist();
if (Array.isArray(values)) torch.tensor(values).add(torch.tensor(torch.zeros([2, 3]).tolist()));
`,
  products: `
known<Tensor<[2, 4], "float32">>()(torch.zeros([2, 3]).matmul(torch.zeros([3, 4])), true);
known<Tensor<[2], "float32">>()(torch.zeros([2, 3]).matmul(torch.zeros([3])), true);
known<Tensor<[], "float32">>()(torch.zeros([3]).matmul(torch.zeros([3])), true);
known<Tensor<[8, 5, 2, 4], "float32">>()(torch.zeros([8, 1, 2, 3]).matmul(torch.zeros([5, 3, 4])), true);
known<Tensor<[any, 4], "float32">>()(torch.zeros([rows, 3]).mm(torch.zeros([3, 4])), true);
known<Tensor<any, "float32">>()(torch.zeros([2, 3]).matmul(somewhere), true);
known<Tensor<any, "float32">>()(somewhere.matmul(torch.zeros([2, 3])), true);
known<Tensor>()(somewhere.matmul(somewhere), true);
`,
  "element-wise operators": `
known<Tensor<[2, 3], "float32">>()(torch.zeros([2, 3]).add(torch.zeros([3])), true);
known<Tensor<[2, 4], "float32">>()(torch.zeros([2, 1]).mul(torch.zeros([1, 4])), true);
known<Tensor<[2, 3], "float32">>()(torch.zeros([2, 3]).sub(1).div(2n).relu().exp().neg_(), true);
known<Tensor<[2], "bool">>()(torch.zeros([2]).gt(0), true);
known<Tensor<[2], "float32">>()(torch.ones([2], { dtype: "int64" }).div(2), true);
known<Tensor<[2], "float32">>()(torch.ones([2], { dtype: "int64" }).add(torch.ones([2])), true);
known<Tensor<[2], "int64" | "float32">>()(torch.ones([2], { dtype: "int64" }).add(1), true);
known<Tensor<[2], "float32", "mps">>()(torch.ones([2], { device: "mps" }).add(torch.ones([], { device: "cpu" })), true);
torch.ones([2], { device: "mps" }).add(torch.ones([2])).add(somewhere);
`,
  reductions: `
const x = torch.zeros([2, 3, 4]);
known<Tensor<[2, 4], "float32">>()(x.sum(1), true);
known<Tensor<[2, 1, 4], "float32">>()(x.mean(1, { keepdim: true }), true);
known<Tensor<[2, 1, 4], "float32">>()(torch.amax(x, 1, true), true);
known<Tensor<[3], "float32">>()(x.sum([0, -1]), true);
known<Tensor<[], "float32">>()(x.sum(), true);
known<Tensor<[], "int64">>()(x.gt(0).sum(), true);
known<Tensor<[2, 3], "int64">>()(x.argmax(-1), true);
known<Tensor<[], "int64">>()(x.argmax(), true);
known<Tensor<[3, 4], "float32">>()(x.max(0)[0], true);
known<Tensor<[3, 4], "int64">>()(x.max(0)[1], true);
known<Tensor<[], "bool">>()(x.gt(0).any(), true);
known<Tensor<[2, 3, 4], "float64">>()(x.softmax(-1, "float64"), true);
known<Tensor<any, "float32">>()(x.sum(rows), true);
torch.zeros([]).sum(0).softmax(-1);
`,
  "another default dtype, of which types know nothing": `
torch.setDefaultDtype("float64");
const exact = torch.ones([2, 3], { dtype: torch.getDefaultDtype() });
torch.zeros([2, 3]).mul(exact).matmul(exact.T).add(torch.ones([2, 2], { dtype: "float64" }));
F.mseLoss(new nn.Linear(3, 1)(exact), torch.zeros([2, 1], { dtype: "float64" })).backward();
`,
  "named results": `
const x = torch.zeros([2, 3]);
const [first, second] = x.max(1), { values, indices } = x.max(1);
known<Tensor<[2], "float32">>()(first, true);
known<Tensor<[2], "int64">>()(second, true);
known<Tensor<[2], "int64">>()(indices, true);
known<Tensor<[2], "float32">>()(values.neg(), true);
known<Tensor<[2, 4], "float32">>()(torch.max(x, 1, true).values.matmul(torch.zeros([1, 4])), true);
known<Tensor<any, "int64">>()(x.topk(2).indices, true);
const { U, S, Vh } = torch.linalg.svd(x), [left] = torch.linalg.svd(x);
known<Tensor>()(torch.linalg.eigh(x).eigenvectors, true);
known<Tensor>()(torch.linalg.lstsq(x, x).singularValues, true);
const pair: [Tensor, Tensor] = x.sort(), list: Tensor[] = x.mode(), rest = torch.stack(x.median(0).map((one) => one.float()));
for (const one of x.cummax(0)) one.relu();
let best = x.max(1);
best = torch.zeros([5, 2]).max(0);
const assigned: Tensor = best.values;
known<Tensor<[2], "float32">>()(torch.tidy(() => x.max(1)).values.neg(), true);
known<[U: Tensor, S: Tensor, Vh: Tensor] & { readonly U: Tensor; readonly S: Tensor; readonly Vh: Tensor }>()(torch.linalg.svd(x), true);
export { assigned, left, list, pair, rest, S, U, Vh };
`,
  views: `
const x = torch.zeros([8, 1, 28, 28]);
known<Tensor<[8, 784], "float32">>()(x.view([8, -1]), true);
known<Tensor<[8, 784], "float32">>()(x.flatten(1), true);
known<Tensor<[6272], "float32">>()(x.flatten(), true);
known<Tensor<[8, 28, 28], "float32">>()(x.flatten(1, 2), true);
known<Tensor<[2, 3136], "float32">>()(x.reshape([2, 3136]), true);
known<Tensor<[any, 784], "float32">>()(torch.zeros([rows, 28, 28]).view([-1, 784]), true);
known<Tensor<[8, 28, 28, 1], "float32">>()(x.permute([0, 2, 3, 1]), true);
known<Tensor<[28, 1, 28, 8], "float32">>()(x.transpose(0, -1), true);
known<Tensor<[3, 2], "float32">>()(torch.zeros([2, 3]).t(), true);
known<Tensor<[8, 28, 28], "float32">>()(x.squeeze(), true);
known<Tensor<[8, 28, 28], "float32">>()(x.squeeze(1), true);
known<Tensor<[8, 1, 28, 28], "float32">>()(x.squeeze(0), true);
known<Tensor<[2, 3, 1], "float32">>()(torch.zeros([2, 3]).unsqueeze(-1), true);
known<Tensor<[28, 28], "float32">>()(x.at(0, 0), true);
known<Tensor<[any, 1, 1, 28, 28], "float32">>()(x.at(torch.slice(2), null), true);
known<Tensor<any, "float32">>()(x.at([0, 1]), true);
somewhere.view([2, 3]).add(torch.zeros([3]));
x.view(somewhere.shape).add(torch.zeros([9]));
`,
  "rows by index": `
const table = torch.zeros([100, 16]);
known<Tensor<[5, 16], "float32">>()(F.embedding(torch.zeros([5]).long(), table), true);
F.embedding(somewhere, table);
F.embedding(torch.tensor([1, 2]), new nn.Parameter(table), { paddingIdx: 0 });
function rowsOf<T extends Tensor>(x: T): Tensor { return F.embedding(x, table); }
rowsOf(torch.tensor([1]));
`,
  joins: `
known<Tensor<[6, 3], "float32">>()(torch.cat([torch.zeros([2, 3]), torch.zeros([4, 3])]), true);
known<Tensor<[2, 7], "float32">>()(torch.cat([torch.zeros([2, 3]), torch.zeros([2, 4])], 1), true);
known<Tensor<[2, 2, 3], "float32">>()(torch.stack([torch.zeros([2, 3]), torch.zeros([2, 3])]), true);
torch.cat([torch.zeros([0]), torch.zeros([2, 3])]);
torch.cat([somewhere, torch.zeros([2, 3])], -1);
const parts: Tensor[] = [torch.zeros([2, 3])];
parts.push(torch.zeros([4, 3]));
torch.cat(parts).add(torch.zeros([7, 3]));
torch.stack(Array.from({ length: 3 }, () => torch.zeros([2]))).add(torch.zeros([3, 2]));
`,
  "arguments of which nothing is known": `
declare const anything: any;
const x = torch.zeros([2, 3]);
x.max(anything).relu();
const { values } = x.min(anything);
known<Tensor<any, "float32">>()(x.sum(anything), true);
known<Tensor<any, "float32">>()(x.reshape(anything), true);
known<Tensor<any, "float32">>()(x.matmul(anything), true);
x.add(anything).add(torch.zeros([7]));
new nn.Linear(3, 4)(anything).add(torch.zeros([7]));
torch.cat(anything).add(torch.zeros([7]));
torch.relu(anything).add(values);
`,
  "other dtypes and devices": `
known<Tensor<[2], "float64">>()(torch.zeros([2]).to("float64"), true);
known<Tensor<[2], "float32", "mps">>()(torch.zeros([2]).to("mps"), true);
known<Tensor<[2], "float32", "cpu">>()(torch.zeros([2]).cpu(), true);
known<Tensor<[2], "int64">>()(torch.zeros([2]).long(), true);
const device = torch.device();
torch.zeros([2], { device }).add(torch.zeros([2])).to(device).add(torch.zeros([2], { device: "cpu" }));
somewhere.to({ dtype: "float16" }).to(somewhere).to("cpu", "int32");
`,
  "a variable whose shape changes": `
let x: Tensor = torch.zeros([2]);
x = torch.ones([3]);
for (let i = 0; i < 3; i++) x = torch.cat([x, torch.ones([1])]);
let hidden = torch.zeros([1, 64]);
for (let i = 0; i < 3; i++) hidden = somewhere.matmul(hidden);
let total = torch.zeros([]);
for (const loss of [somewhere, torch.ones([1])]) total = total.add(loss);
const mean: number = total.div(2).item();
const kept: { best: Tensor } = { best: torch.zeros([2, 3]) };
kept.best = torch.zeros([4, 5]);
const outputs: Tensor[] = [torch.zeros([2])];
outputs.push(torch.ones([3]), somewhere);
`,
  "many tensors of different shapes": `
const parameters = [torch.randn([784, 128]), torch.zeros([128])];
for (const parameter of parameters) parameter.sub_(parameter.grad!.mul(0.1)).relu();
for (const parameter of parameters) parameter.matmul(somewhere).add(torch.zeros([7]));
const chosen = rows > 1 ? torch.zeros([2]) : torch.zeros([3]);
chosen.add(torch.zeros([3])).add(torch.zeros([2]));
const all = parameters.map((one) => one.abs().sum().item()).reduce((a, b) => a + b, 0);
const sum = [somewhere, torch.ones([3])].reduce((a, b) => a.add(b), torch.zeros([1]));
const byName = new Map<string, Tensor>([["w", torch.zeros([2])]]);
byName.set("b", torch.zeros([3]));
`,
  "one tensor in the place of another": `
let shaped: Tensor = torch.zeros([2, 3]);
shaped = torch.ones([4], { dtype: "int64", device: "cpu" });
shaped = somewhere.to("float64");
shaped = somewhere.to("cpu");
shaped = somewhere;
let anyShape = somewhere.to("float32");
anyShape = somewhere.to("cpu");
anyShape = torch.zeros([2], { device: "mps" });
anyShape = somewhere;
const list = [torch.zeros([2]), torch.zeros([2], { dtype: "int64" }), somewhere.to("int64"), somewhere];
list.push(torch.ones([5]), somewhere.to("mps"), torch.zeros([2, 3]).max(1).values);
const named: Tensor<number[], "float32"> = torch.zeros([2]), same: Tensor<[2, 3]> = somewhere, wide: Tensor<[any, 3]> = same;
const batch: Tensor<[number, 3]> = wide, narrow: Tensor<[2, 3]> = wide;
known<Tensor<any, "float32">>()(somewhere.to("float32").relu(), true);
known<Tensor<any, "bool">>()(somewhere.gt(0), true);
export { anyShape, batch, named, narrow, shaped };
`,
  "code that knows no tensors": `
const x = torch.zeros([2, 3]);
const text = ({ shape, dtype }: { shape: number[]; dtype: string }) => shape.join() + dtype;
text(x) + text(somewhere) + text(new nn.Linear(2, 3).weight);
const sized: Iterable<Tensor> & { length: number; item(): number; dispose(): void } = x;
function kept<T extends { readonly shape: number[] }>(value: T): T { return value; }
kept(x).matmul(torch.zeros([3, 4]));
{ using part = x.at(0); part.relu(); }
for (const row of x) row.add(1);
const { length, device } = x, [first] = x, name: keyof Tensor = "matmul", all = { ...{ x } };
export { all, device, first, length, name, sized };
`,
  "what is known, whatever else is asked": `
const x = torch.zeros([2, 3]), given: unknown = x;
x.requiresGrad = true;
x.grad = null;
if (x.requiresGrad && x.dtype === "float32" && x.grad === null) known<Tensor<[2, 3], "float32">>()(x, true);
if (x.dtype !== "float32" || x.device !== "cpu") throw new Error(x.device); else known<Tensor<[2, 3], "float32">>()(x, true);
if (given instanceof Tensor) known<Tensor>()(given, true);
const either = rows > 2 ? x : torch.zeros([7, 5]), open = rows > 2 ? x : somewhere;
either.add(torch.zeros([7, 5]));
open.matmul(torch.zeros([7, 5]));
const maybe: Tensor<[2, 3], "float32"> | null = rows > 2 ? x : null;
if (maybe) known<Tensor<[2, 3], "float32">>()(maybe, true);
`,
  "tensors that a loop assigns anew": `
let hidden = torch.zeros([2, 3]), total: Tensor = torch.zeros([]), best: Tensor | null = null;
for (let step = 0; step < 3; step++) {
  const gate = hidden.mul(2).sigmoid();
  hidden = gate.mul(hidden);
  const next = total.add(step);
  const squared = next.matmul(next);
  total = squared;
  if (best === null || squared.item() > 2) best = next;
}
while (true) {
  const halved = hidden.div(2);
  if (halved.sum().item() < 1) break;
  hidden = halved;
}
const step = () => { const grown = total.add(1); total = grown; };
known<Tensor<[2, 3], "float32">>()(hidden, true);
export { best, step };
`,
  "functions over tensors": `
const double = (x: Tensor): Tensor => x.add(x);
const apply = (f: (x: Tensor) => Tensor, x: Tensor) => f(x);
apply(double, torch.zeros([2, 3])).matmul(torch.zeros([3]));
apply((x) => x.matmul(torch.zeros([3, 4])), torch.zeros([2, 3]));
function same<T extends Tensor>(x: T, y: T): T { x.matmul(y).add(torch.zeros([2, 3])); torch.zeros([2, 3]).matmul(x); x.add_(y); return x; }
known<Tensor<[2, 2], "float32">>()(same(torch.zeros([2, 2]), torch.zeros([2, 2])), true);
function product<N extends number>(a: Tensor<[2, N]>, b: Tensor<[N, 5]>): Tensor<[2, 5]> { return a.matmul(b); }
product(torch.zeros([2, 3]), torch.zeros([3, 5]));
`,
  layers: `
known<Tensor<[64, 512], "float32">>()(new nn.Linear(784, 512)(torch.zeros([64, 784])), true);
known<Tensor<[2, 5, 512], "float32", "mps">>()(new nn.Linear(784, 512).to("mps")(torch.zeros([2, 5, 784], { device: "mps" })), true);
known<Tensor<[any, 512], "float32">>()(new nn.Linear(784, 512)(torch.zeros([rows, 784])), true);
known<Tensor>()(new nn.Linear(784, 512)(somewhere), true);
known<Tensor<[5, 16]>>()(new nn.Embedding(100, 16)(torch.zeros([5]).long()), true);
known<Tensor<[8, 16, 26, 26], "float32">>()(new nn.Conv2d(1, 16, 3)(torch.zeros([8, 1, 28, 28])), true);
known<Tensor<[8, 16, 14, 14], "float32">>()(new nn.Conv2d(1, 16, [3, 5], { stride: 2, padding: [1, 2] })(torch.zeros([8, 1, 28, 28])), true);
known<Tensor<[16, 28, 28], "float32">>()(new nn.Conv2d(1, 16, 3, { padding: "same" })(torch.zeros([1, 28, 28])), true);
known<Tensor<[8, 16, 24, 24], "float32">>()(new nn.Conv2d(1, 16, 3, { dilation: 2 })(torch.zeros([8, 1, 28, 28])), true);
known<Tensor<[8, 4, 10], "float32">>()(new nn.Conv1d(2, 4, 3, { stride: 3 })(torch.zeros([8, 2, 32])), true);
known<Tensor<[8, 3, 14, 14], "float32">>()(new nn.MaxPool2d(2)(torch.zeros([8, 3, 28, 29])), true);
known<Tensor<[8, 3, 14, 14], "float32">>()(new nn.AvgPool2d(3, { stride: 2, padding: 1 })(torch.zeros([8, 3, 28, 28])), true);
const [pooled, where] = new nn.MaxPool2d(2, { returnIndices: true })(torch.zeros([8, 3, 28, 28]));
known<Tensor>()(pooled.add(where), true);
known<Tensor<[8, 3, 4, 4], "float32">>()(new nn.BatchNorm2d(3)(torch.zeros([8, 3, 4, 4])), true);
known<Tensor<[8, 3], "float32">>()(new nn.Dropout()(new nn.GELU()(new nn.LayerNorm(3)(torch.zeros([8, 3])))), true);
known<Tensor<[64, 10], "float32">>()(
  new nn.Sequential(new nn.Flatten(), new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(512, 10))(torch.zeros([64, 1, 28, 28])), true);
known<Tensor<[64, 6272], "float32">>()(new nn.Sequential(new nn.ReLU(), new nn.Flatten())(torch.zeros([64, 32, 14, 14])), true);
known<Tensor<[2, 76800], "float32">>()(new nn.Flatten()(torch.zeros([2, 3, 160, 160])), true);
known<Tensor<[2, 5], "float32">>()(new nn.Sequential(new nn.Flatten(), new nn.Linear(76800, 5))(torch.zeros([2, 3, 160, 160])), true);
known<Tensor<[any, 5], "float32">>()(new nn.Sequential(new nn.Flatten(), new nn.Linear(784, 5))(torch.zeros([rows, 28, 28])), true);
known<Tensor<[2, any], "float32">>()(new nn.Flatten()(torch.zeros([2, rows, 28])), true);
known<Tensor<[2, 5], "float32">>()(new nn.Sequential(new nn.Flatten(), new nn.Linear(784, 5))(torch.zeros([2, rows, 28])), true);
known<Tensor<[2, 5], "float32">>()(new nn.Sequential(new nn.Flatten(), new nn.Linear(10 ** 9, 5))(torch.zeros([2, rows, 999, 99])), true);
known<Tensor<[4, 2, 13], "float32">>()(new nn.Sequential(new nn.Flatten(2), new nn.Conv1d(3, 2, 4))(torch.zeros([4, 3, 2, 8])), true);
known<Tensor<[2, 13], "float32">>()(new nn.Sequential(new nn.Flatten(), new nn.Conv1d(3, 2, 4))(torch.zeros([3, 2, 8])), true);
known<Tensor<[3, 16], "float32">>()(new nn.Sequential(new nn.Flatten(), new nn.Flatten())(torch.zeros([3, 2, 8])), true);
known<Tensor<[3, 10, 4]>>()(new nn.Sequential(new nn.Flatten(), new nn.Embedding(9, 4))(torch.zeros([3, 2, 5]).long()), true);
known<Tensor<[7, 1], "float32">>()(new nn.Sequential(
  new nn.Linear(13, 12), new nn.Linear(12, 11), new nn.Linear(11, 10), new nn.Linear(10, 9), new nn.Linear(9, 8), new nn.Linear(8, 7),
  new nn.Linear(7, 6), new nn.Linear(6, 5), new nn.Linear(5, 4), new nn.Linear(4, 3), new nn.Linear(3, 2), new nn.Linear(2, 1))(torch.zeros([7, 13])), true);
const size: number = rows;
const wide = new nn.Linear(size, 10);
known<Tensor<[3, 10], "float32">>()(wide(torch.zeros([3, 7])), true);
const given = { padding: 1 };
new nn.Conv2d(1, 2, size, given)(torch.zeros([1, 8, 8])).add(torch.zeros([2, 9, 9]));
`,
  "layers that take one another's place": `
let layer = new nn.Linear(2, 3);
layer = new nn.Linear(4, 5);
class Net extends nn.Module {
  head = new nn.Linear(2, 3);
  convolution: nn.Conv2d = new nn.Conv2d(1, 2, 3);
  body: nn.Sequential = new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU());
  forward(x: Tensor) { return this.head(this.body(x)); }
}
const net = new Net();
net.head = new nn.Linear(5, 6);
net(torch.zeros([3, 2]));
const layers: nn.Linear[] = [layer, new nn.Linear(3, 3)];
const any: nn.Module[] = [net, layer, new nn.Sequential(net, layer), new nn.CrossEntropyLoss()];
const inRow = new nn.Sequential(layer, net, ...layers);
inRow(torch.zeros([2])).add(torch.zeros([9]));
new nn.Sequential({ first: new nn.Linear(2, 3), then: new nn.ReLU() })(torch.zeros([2, 2]));
const two = [new nn.Linear(2, 3), new nn.ReLU(), new nn.Linear(3, 4)];
new nn.Sequential(...two)(torch.zeros([3, 2]));
class Head extends nn.Sequential { constructor() { super(new nn.Linear(2, 3), new nn.ReLU()); } }
new Head()(torch.zeros([3, 2])).add(torch.zeros([9]));
const many: nn.Sequential[] = [new Head(), new nn.Sequential(), new nn.Sequential(new Head())];
let x: Tensor = torch.zeros([5, 2]);
for (const one of [new nn.Linear(2, 3), new nn.Linear(3, 4)]) x = one(x);
class Scaled extends nn.Linear {
  override forward(x: Tensor, scale = 1): Tensor { return super.forward(x).mul(scale); }
}
new Scaled(2, 3)(torch.zeros([5, 2]), 3);
class Weighted extends nn.MSELoss {
  override forward(x: Tensor, y: Tensor, weight?: Tensor): Tensor { return super.forward(x, y).mul(weight ?? 1); }
}
new Weighted()(torch.zeros([2]), torch.ones([2]), torch.ones([2])).item();
function through<T extends Tensor>(x: T) { return new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU())(x); }
through(torch.zeros([4, 2])).add(torch.zeros([4, 3]));
`,
  losses: `
const logits = torch.zeros([64, 10]), labels = torch.zeros([64]).long();
F.crossEntropy(logits, labels).backward();
F.crossEntropy(logits, logits.softmax(1), { labelSmoothing: 0.1 });
F.crossEntropy(torch.zeros([10]), torch.zeros([]).long());
F.crossEntropy(torch.zeros([2, 10, 8, 8]), torch.zeros([2, 8, 8]).long());
F.crossEntropy(somewhere, labels);
F.crossEntropy(logits, somewhere);
F.crossEntropy(torch.zeros([rows, 10]), labels);
F.mseLoss(logits, torch.zeros([64, 10]), { reduction: "none" });
new nn.CrossEntropyLoss({ ignoreIndex: 0 })(logits, labels).item();
const criterion: nn.MSELoss = new nn.MSELoss();
criterion(somewhere, logits);
`,
  training: `
class Net extends nn.Module {
  first = new nn.Linear(784, 128);
  second = new nn.Linear(128, 10);
  scale = new nn.Parameter(torch.ones([1]));
  state = torch.zeros([1, 128]);
  forward(x: Tensor): Tensor {
    this.state = this.first(x.flatten(1)).relu();
    return this.second(this.state).mul(this.scale);
  }
}
const net = new Net();
const optimizer = new optim.Adam(net.parameters());
const dataset = new data.TensorDataset(torch.randn([64, 784]), torch.zeros([64], { dtype: "int64" }));
for (const [x, target] of new data.DataLoader(dataset, { batchSize: 8 })) {
  optimizer.zeroGrad();
  const loss = F.crossEntropy(net(x), target);
  loss.backward();
  optimizer.step();
  const value: number = loss.item();
}
`,
};

it.each(Object.entries(ACCEPTED))("%s", (_, program) => {
  expect(check(PREAMBLE + program)).toEqual([]);
});
