// Tests the generated declarations in a cell: mistakes are type errors before it runs, and right calls are not.
import { expect, it } from "vitest";
import { check, checkDeclarations } from "./type_check.ts";

it.each([
  ["typescript", "es2022"],
  ["typescript", "esnext"],
  ["typescript-5", "es2022"],
  ["typescript-5", "esnext"],
] as const)("%s with target %s finds no mistakes in the declarations themselves", (compiler, target) => {
  expect(checkDeclarations(compiler, target)).toEqual([]);
});

it("right calls are accepted", () => {
  const cell = `
import { torch, Tensor } from "mpslab";
const x: Tensor = torch.randn([2, 3], { dtype: "float32", device: "mps", requiresGrad: true });
const y: Tensor = x.matmul(x.T).add(1, { alpha: 2 }).clamp(0, null).softmax(-1).sum(1, { keepdim: true });
const [values, indices] = y.max(0);
const ok: boolean = values.equal(indices);
const loss: number = y.mean().item();
const exact = torch.tensor(2n).item<bigint>();
const part: Tensor = x.at(0, torch.slice(1, 3), null, "...", [0, 1], x.gt(0));
const parts: Tensor[] = x.split([1, 2], 1);
const kept: Tensor = torch.noGrad(() => x.add(y));
x.data().fill(2);
const labels: BigInt64Array = indices.data<BigInt64Array>(), first: number | undefined = x.data().at(0);
const inverse: Tensor = torch.linalg.inv(x), spectrum: Tensor = torch.fft.fft(x);
const raw: Tensor = torch.ops.aten.add.Tensor(x, y, { alpha: 2 });
x.grad = null;
const anything: unknown = x;
if (anything instanceof Tensor) anything.shape.at(0);
if (torch.isTensor(anything)) anything.relu();
for (const row of x) row.relu_();
export { exact, first, inverse, kept, labels, loss, ok, part, parts, raw, spectrum };
`;
  expect(check(cell)).toEqual([]);
});

it("wrong calls are errors, each on its line", () => {
  const cell = `import { torch } from "mpslab";
const x = torch.zeros([2], { dtype: "float33" });
x.matmul(3);
x.sum(1, { keepdimm: true });
torch.nope();
x.to("mpz");
x.shape = [1];
const n: string = x.numel();
torch.tensor("words");
export { n };
`;
  expect(check(cell).map((message) => message.slice(0, 60))).toEqual([
    "2: No overload matches this call.",
    "3: Argument of type 'number' is not assignable to parameter ",
    "4: No overload matches this call.",
    "5: Property 'nope' does not exist on type 'Torch'.",
    "6: No overload matches this call.",
    "7: Cannot assign to 'shape' because it is a read-only proper",
    "8: Type 'number' is not assignable to type 'string'.",
    "9: Argument of type '\"words\"' is not assignable to parameter",
  ]);
});
