// Arguments that PyTorch takes at a place where libtorch's own operator has another argument, or none: each is taken as
// PyTorch takes it, or refused, and never read as something else.
import { expect, it } from "vitest";
import { functional as F, torch } from "../../../lib/index.ts";

const values = () => torch.tensor([[-1, 2]]).float();
const untyped = F as unknown as Record<string, (...given: unknown[]) => unknown>;

it("the third argument of elu says whether it runs in place; libtorch's own is a scale", () => {
  const input = values();
  const result = F.elu(input, 1, false);
  expect(result.tolist()).toEqual([[expect.closeTo(Math.exp(-1) - 1), 2]]);
  expect(input.tolist()).toEqual([[-1, 2]]);
  F.elu(input, 1, true);
  expect(input.tolist()).toEqual(result.tolist());
});

const IN_PLACE: Record<string, readonly unknown[]> = {
  relu: [],
  relu6: [],
  selu: [],
  silu: [],
  mish: [],
  hardswish: [],
  hardsigmoid: [],
  elu: [0.5],
  celu: [0.5],
  leakyRelu: [0.2],
  hardtanh: [-0.5, 0.5],
  threshold: [0.5, 7],
  rrelu: [0.1, 0.2, false],
};

it.each(Object.entries(IN_PLACE))("%s runs in place by place and by name, else not", (name, numbers) => {
  const run = untyped[name]!;
  const left = values();
  const expected = run(left, ...numbers) as ReturnType<typeof values>;
  expect(left.tolist()).toEqual([[-1, 2]]);
  for (const last of [true, { inplace: true }]) {
    const input = values();
    run(input, ...numbers, last);
    expect(input.tolist()).toEqual(expected.tolist());
  }
  expect((run(values(), ...numbers, false) as typeof expected).tolist()).toEqual(expected.tolist());
  expect(() => run(values(), ...numbers, 3)).toThrow(/inplace/);
});

it.each(["dropout", "dropout1d", "dropout2d", "dropout3d", "alphaDropout", "featureAlphaDropout"])(
  "%s overwrites its input where the fourth argument says so",
  (name) => {
    const run = untyped[name]!;
    const draw = (...given: unknown[]) => {
      const input = torch.ones([2, 3, 4]);
      torch.manualSeed(0);
      const result = run(input, ...given) as ReturnType<typeof values>;
      return { input: input.tolist(), result: result.tolist() };
    };
    const plain = draw(0.5, true);
    expect(plain.input).not.toEqual(plain.result);
    expect(draw(0.5, true, true)).toEqual({ input: plain.result, result: plain.result });
    expect(draw({ p: 0.5, training: true })).toEqual(plain);
    expect(() => run(torch.ones([2, 3, 4]), 0.5, true, 1)).toThrow(/inplace/);
  },
);

it("stft centres its windows unless told otherwise, as PyTorch does", () => {
  const signal = torch.randn([64]);
  const window = torch.ones([16]);
  const padded = F.pad(signal.view([1, 1, 64]), [8, 8], "reflect").view([80]);
  const expected = torch.stft(padded, 16, { hopLength: 4, window, center: false, returnComplex: true });
  for (const found of [
    torch.stft(signal, 16, { hopLength: 4, window, returnComplex: true }),
    torch.stft(signal, 16, 4, 16, window, true, "reflect", false, true, true),
    signal.stft(16, 4, 16, window, { returnComplex: true }),
  ])
    expect(found.equal(expected)).toBe(true);
  expect(() => torch.stft(signal, 16, 4, 16, window, "reflect" as never)).toThrow(/center/);
});
