// Tests what a cell asks of the checker. Counts the types that it makes of generic ones, and does not time it.
import { expect, test } from "vitest";
import { instantiations } from "./type_check.ts";

const PREAMBLE = `
import { nn, torch, type Tensor } from "mpslab";
declare const show: (x: Tensor) => void, somewhere: Tensor;
const x = torch.zeros([2, 3]), images = somewhere.to("float32"), layer = new nn.Linear(3, 4);
`;

/** Measured: 300 to 1,950. To compare a tensor with an interface of all methods takes 14,000 more. */
const MOST = 4_000;

test.each([
  "torch.zeros([2, 3])",
  "x.relu()",
  "x.sum()",
  "x.sum(1)",
  "x.argmax(1)",
  "x.gt(0)",
  "x.matmul(x.t())",
  "x.max(1).values",
  "images",
  "images.relu()",
  "images.sum()",
  "images.gt(0)",
  "images.argmax(1)",
  'somewhere.to("cpu").add(1)',
  'somewhere.to("cpu").eq(0)',
  "layer(x)",
  "new nn.Sequential(layer, new nn.ReLU())(x)",
])("%s is given to a function of plain tensors", (result) => {
  expect(instantiations(`${PREAMBLE}show(${result});`)).toBeLessThan(MOST);
});

test.each(["x.where(images.gt(0), x.sum())", "torch.cat([x.sum(1), images.argmax(1)])"])(
  "%s: results as arguments",
  (cell) => {
    expect(instantiations(`${PREAMBLE}${cell};`)).toBeLessThan(MOST);
  },
);
