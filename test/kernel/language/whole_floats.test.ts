// A cell whose text shows 1.0 where a tensor becomes int64 says so before it runs.
import { expect, it } from "vitest";
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import { wholeFloats } from "../../../kernel/language/whole_floats.ts";

it.each([
  "torch.tensor([1.0, 0.0])",
  "torch.tensor([[1., 2], [-3.0, 4]])",
  "torch.tensor(2.0, { requiresGrad: false })",
  "torch.full([2, 3], 1.0)",
  "torch.arange(0, 4.0)",
  "torch.asTensor([1.0, true])",
])("%s is told to be int64", (call) => {
  const text = `const x = ${call};\nx.mul(2);`;
  expect(wholeFloats(parseTypeScript(text))).toEqual([
    {
      start: 10,
      end: 10 + call.length,
      category: "warning",
      message: `${call} is int64: JavaScript does not tell 1.0 from 1. Add { dtype: "float32" } for floats, or write the numbers without a point.`,
    },
  ]);
});

it.each([
  "torch.tensor([1, 0])",
  "torch.tensor([1.0, 0.5])",
  "torch.tensor([1.0, rate])",
  "torch.tensor([-0.0, 1.0])",
  'torch.tensor([1.0, 0.0], { dtype: "float32" })',
  "torch.tensor([1.0, 0.0], options)",
  "torch.tensor([1.0, 0.0], { ...options })",
  "torch.tensor([1.0, 0.0]).float()",
  'torch.tensor([1.0, 0.0]).to("float64")',
  "torch.full([2.0], 1)",
  "torch.full([2.0], 0.5)",
  "torch.zeros([1.0])",
  "torch.linspace(0.0, 1.0, 3)",
  "other.tensor([1.0])",
  '"torch.tensor([1.0])"',
])("%s is let be", (call) => {
  expect(wholeFloats(parseTypeScript(`const x = ${call};`))).toEqual([]);
});

it.each([
  ["torch.arange(4).mul(2.0)", "torch.arange(4)", ".mul(2.0)"],
  ["torch.tensor([1, 2]).add_(1.)", "torch.tensor([1, 2])", ".add_(1.)"],
  ["labels.long().pow(2.0)", "labels.long()", ".pow(2.0)"],
  ["const k = torch.full([2], 3), other = k; other.sub(1.0)", "other", ".sub(1.0)"],
])("%s is told to stay int64", (text, tensor, call) => {
  expect(wholeFloats(parseTypeScript(text)).map(({ message }) => message)).toEqual([
    `${tensor}${call} stays int64: JavaScript does not tell 2.0 from 2. Write ${tensor}.float()${call} for floats, or the number without a point.`,
  ]);
});

it.each([
  "torch.arange(4).mul(2)",
  "torch.arange(4).mul(2.5)",
  "torch.arange(4).div(2.0)",
  "torch.arange(4).mul(2.0).float()",
  'torch.arange(4, { dtype: "float32" }).mul(2.0)',
  "torch.tensor([0.5]).mul(2.0)",
  "x.mul(2.0)",
  "let k = torch.arange(4); k = k.float(); k.mul(2.0)",
  "const k = torch.arange(4).float(); k.mul(2.0)",
])("%s is let be as an operator", (text) => {
  expect(wholeFloats(parseTypeScript(text))).toEqual([]);
});
