// Programs that cannot run, and what the type checker says before they do: the argument's type is a sentence.
import { expect, it } from "vitest";
import { check } from "./type_check.ts";

/** The sentences that refuse, with the line of the cell: `2: matmul: ...`. */
function refusals(lines: readonly string[]): string[] {
  const cell = ['import { data, functional as F, nn, torch } from "mpslab";', ...lines].join("\n");
  return check(cell, "all").map((problem) => {
    const sentence = /& (?:\{ readonly refused: )?"(.*?)"(?:; \})?'/.exec(problem)?.[1];
    return sentence === undefined ? problem : `${problem.split(":")[0]}: ${sentence.replaceAll('\\"', '"')}`;
  });
}

const REFUSED: readonly (readonly [line: string, sentence: string])[] = [
  [
    "torch.zeros([2, 3]).matmul(torch.zeros([5, 4]));",
    "matmul: [2, 3] and [5, 4] do not fit: 3 columns meet 5 rows",
  ],
  [
    "torch.matmul(torch.randn([2, 3]), torch.ones([5, 4]));",
    "matmul: [2, 3] and [5, 4] do not fit: 3 columns meet 5 rows",
  ],
  [
    "torch.rand([8, 2, 3]).matmul(torch.rand([4]));",
    "matmul: [8, 2, 3] and [4] do not fit: 3 columns meet 4 rows",
  ],
  ["torch.empty([3]).matmul(torch.empty([2]));", "matmul: [3] and [2] do not fit: 3 columns meet 2 rows"],
  [
    "torch.zeros([2, 4, 3]).matmul(torch.zeros([5, 3, 4]));",
    "matmul: [2] and [5] do not broadcast: 2 is neither 1 nor 5",
  ],
  [
    "torch.zeros([]).matmul(torch.zeros([3]));",
    "matmul: a tensor without dimensions is no matrix; mul() multiplies by a value",
  ],
  ["torch.zeros([2, 3]).mm(torch.zeros([2, 3]));", "mm: [2, 3] and [2, 3] do not fit: 3 columns meet 2 rows"],
  [
    "torch.zeros([2, 3, 4]).mm(torch.zeros([4, 3]));",
    "mm: [2, 3, 4] has 3 dimensions, not 2; matmul() takes any number",
  ],
  [
    "torch.zeros([2, 3, 4]).bmm(torch.zeros([5, 4, 3]));",
    "bmm: [2, 3, 4] and [5, 4, 3] do not fit: batches of 2 and 5",
  ],
  [
    "torch.zeros([2, 3]).add(torch.zeros([4, 3]));",
    "add: [2, 3] and [4, 3] do not broadcast: 2 is neither 1 nor 4",
  ],
  [
    "torch.sub(torch.zeros([5]), torch.zeros([3]));",
    "sub: [5] and [3] do not broadcast: 5 is neither 1 nor 3",
  ],
  [
    "torch.zeros([2, 3]).mul_(torch.zeros([2]));",
    "mul: [2, 3] and [2] do not broadcast: 3 is neither 1 nor 2",
  ],
  ["torch.zeros([2, 3]).gt(torch.zeros([2]));", "gt: [2, 3] and [2] do not broadcast: 3 is neither 1 nor 2"],
  [
    "F.embedding(torch.zeros([5]), torch.zeros([100, 16]));",
    "embedding: indices are int64 or int32, not float32; .long() converts them",
  ],
  ["torch.zeros([2, 3]).reshape([4]);", "reshape: [2, 3] has 6 elements, and [4] holds 4"],
  ["torch.zeros([2, 3]).reshape([4, -1]);", "reshape: [2, 3] has 6 elements, which 4 does not divide"],
  ["torch.zeros([2, 3]).permute([1, 0, 2]);", "permute: [2, 3] has 2 dimensions, and 3 are named"],
  ["torch.zeros([2, 3]).softmax(-3);", "softmax: dim -3 is none of the 2 dimensions of [2, 3]"],
  ["torch.zeros([2, 3]).transpose(0, 2);", "transpose: dim 2 is none of the 2 dimensions of [2, 3]"],
  [
    "torch.cat([torch.zeros([2, 3]), torch.zeros([2, 4])]);",
    "cat: [2, 3] and [2, 4] differ elsewhere than in dim 0",
  ],
  [
    "torch.stack([torch.zeros([2, 3]), torch.zeros([2, 4])]);",
    "stack: [2, 3] and [2, 4] are not the same shape",
  ],
  [
    "torch.zeros([2, 3]).addmm(torch.zeros([2, 4]), torch.zeros([5, 3]));",
    "addmm: [2, 4] and [5, 3] do not fit: 4 columns meet 5 rows",
  ],
  [
    "F.linear(torch.zeros([64, 784]), torch.zeros([10, 700]));",
    "linear: [64, 784] and a weight of [10, 700] do not fit: 784 features meet 700",
  ],
  [
    'torch.zeros([2], { device: "mps" }).add(torch.zeros([2], { device: "cpu" }));',
    'add: one tensor is on mps, the other on cpu; .to("mps") moves it',
  ],
  [
    'torch.zeros([2, 2], { device: "cuda:0" }).mm(torch.zeros([2, 2], { device: "cpu" }));',
    'mm: one tensor is on cuda, the other on cpu; .to("cuda") moves it',
  ],
  [
    "torch.tensor([[1, 2], [3, 4]]).matmul(torch.tensor([[1, 2, 3]]));",
    "matmul: [2, 2] and [1, 3] do not fit: 2 columns meet 1 rows",
  ],
  [
    "torch.full([2, 3], 0).add(torch.eye(4));",
    "add: [2, 3] and [4, 4] do not broadcast: 3 is neither 1 nor 4",
  ],
  [
    "new nn.Linear(784, 512)(torch.zeros([64, 700]));",
    "Linear(784, 512): the input's last dimension must be 784, got 700 in shape [64, 700]",
  ],
  [
    "new nn.Linear(784, 512).to('mps').eval()(torch.zeros([64, 700]));",
    "Linear(784, 512): the input's last dimension must be 784, got 700 in shape [64, 700]",
  ],
  [
    "new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(500, 10));",
    "Linear(500, 10): the input's last dimension must be 500, and the layer before gives 512",
  ],
  [
    "new nn.Sequential(new nn.Flatten(), new nn.Linear(700, 10))(torch.zeros([64, 1, 28, 28]));",
    "Linear(700, 10): the input's last dimension must be 700, got 784 in shape [64, 784]",
  ],
  [
    "new nn.Sequential(new nn.Conv2d(1, 8, 3), new nn.MaxPool2d(2), new nn.Flatten(), new nn.Linear(1000, 10))(torch.zeros([4, 1, 28, 28]));",
    "Linear(1000, 10): the input's last dimension must be 1000, got 1352 in shape [4, 1352]",
  ],
  [
    "new nn.Sequential(new nn.Flatten(), new nn.ReLU(), new nn.Linear(75000, 10))(torch.zeros([4, 3, 160, 160]));",
    "Linear(75000, 10): the input's last dimension must be 75000, got 76800 in shape [4, 76800]",
  ],
  [
    "new nn.Sequential(new nn.Flatten(), new nn.Linear(1000000000, 10))(torch.zeros([4, 1, 8, 8]));",
    "Linear(1000000000, 10): the input's last dimension must be 1000000000, got 64 in shape [4, 64]",
  ],
  [
    "new nn.Sequential(new nn.Flatten(), new nn.Flatten(), new nn.Linear(20, 5), new nn.Linear(6, 5));",
    "Linear(6, 5): the input's last dimension must be 6, and the layer before gives 5",
  ],
  [
    "new nn.Sequential(new nn.ReLU(), new nn.LSTM(2, 3));",
    "Sequential: each layer must be a module whose forward maps one tensor to one tensor; with names, all are in one object",
  ],
  [
    "new nn.Sequential(new nn.ReLU(), 2);",
    "Sequential: each layer must be a module whose forward maps one tensor to one tensor; with names, all are in one object",
  ],
  [
    "new nn.Sequential({ first: new nn.Linear(2, 3) }, new nn.ReLU());",
    "Sequential: each layer must be a module whose forward maps one tensor to one tensor; with names, all are in one object",
  ],
  [
    "new nn.Conv2d(3, 16, 3)(torch.zeros([8, 1, 28, 28]));",
    "Conv2d(3, 16): the input must have 3 channels, got 1 in shape [8, 1, 28, 28]",
  ],
  [
    "new nn.Conv1d(3, 16, 3)(torch.zeros([8, 1, 28]));",
    "Conv1d(3, 16): the input must have 3 channels, got 1 in shape [8, 1, 28]",
  ],
  [
    "new nn.Embedding(100, 16)(torch.zeros([5]));",
    "Embedding: indices are int64 or int32, not float32; .long() converts them",
  ],
  [
    "F.crossEntropy(torch.zeros([64, 10]), torch.zeros([32]).long());",
    "crossEntropy: an input of shape [64, 10] takes class indices of shape [64], got [32]",
  ],
  [
    "new nn.CrossEntropyLoss()(torch.zeros([64, 10]), torch.zeros([32]).long());",
    "CrossEntropyLoss: an input of shape [64, 10] takes class indices of shape [64], got [32]",
  ],
  [
    'new nn.Linear(2, 3).to("mps")(torch.zeros([4, 2], { device: "mps" })).add(torch.zeros([3], { device: "cpu" }));',
    'add: one tensor is on mps, the other on cpu; .to("mps") moves it',
  ],
  [
    'torch.linalg.matmul(torch.zeros([2, 2]).to("cuda"), torch.zeros([2, 2]).cpu());',
    'matmul: one tensor is on cuda, the other on cpu; .to("cuda") moves it',
  ],
  [
    'F.crossEntropy(torch.zeros([4, 3], { device: "mps" }), torch.zeros([4]).long().cpu());',
    'crossEntropy: one tensor is on mps, the other on cpu; .to("mps") moves it',
  ],
  [
    'torch.zeros([2, 2], { dtype: "int64" }).matmul(torch.zeros([2, 2]));',
    'matmul: one tensor is int64, the other float32; .to("float32") converts the first',
  ],
  [
    "torch.mm(torch.zeros([2, 2]), torch.zeros([2, 2]).double());",
    'mm: one tensor is float32, the other float64; .to("float32") converts the second',
  ],
  [
    "F.linear(torch.zeros([4, 3]).long(), torch.zeros([2, 3]));",
    'linear: one tensor is int64, the other float32; .to("float32") converts the first',
  ],
  [
    "new nn.Linear(3, 2)(torch.zeros([4, 3]).long());",
    "Linear(3, 2): the input must be floating, as the weights are, not int64; .float() converts it",
  ],
  [
    "new nn.Sequential(new nn.Conv2d(1, 8, 3), new nn.ReLU())(torch.randint(255, [4, 1, 28, 28]));",
    "Conv2d(1, 8): the input must be floating, as the weights are, not int64; .float() converts it",
  ],
  [
    'torch.zeros([2], { dtype: "float64", device: "mps" });',
    'device: mps has no float64; { dtype: "float32" } is there',
  ],
  [
    'torch.tensor([0.5], { dtype: "float64", device: "mps:0" });',
    'device: mps:0 has no float64; { dtype: "float32" } is there',
  ],
  [
    'torch.zeros([2]).double().to("mps");',
    "to: mps has no float64; .float() converts to float32, which it has",
  ],
  [
    'torch.zeros([2], { device: "mps" }).to("float64");',
    "to: mps has no float64; .float() converts to float32, which it has",
  ],
  [
    'torch.zeros([2]).to("mps").double();',
    "double: mps has no float64; .float() converts to float32, which it has",
  ],
  ["torch.zeros([2]).double().mps();", "mps: mps has no float64; .float() converts to float32, which it has"],
  [
    'torch.zeros([2], { device: "gpu" });',
    'device: "gpu" names no device; "cpu", "mps", "cuda" and "cuda:1" do',
  ],
  [
    'new nn.ReLU().to("mpz");',
    'to: "mpz" is no device and no dtype: devices are "cpu", "mps" and "cuda", and dtypes such as "float32"',
  ],
  [
    'torch.zeros([2]).to("mpz");',
    'to: "mpz" is no device and no dtype: devices are "cpu", "mps" and "cuda", and dtypes such as "float32"',
  ],
  [
    "F.mseLoss(torch.zeros([4]), torch.zeros([4, 1]));",
    "mseLoss: input and target must have one shape, got [4] and [4, 1]; reshape one of them",
  ],
];

it("each is refused on its line, with the values", () => {
  expect(refusals(REFUSED.map(([line]) => line))).toEqual(
    REFUSED.map(([, sentence], index) => `${index + 2}: ${sentence}`),
  );
});
