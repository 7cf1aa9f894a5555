// Random numbers are PyTorch's for the same seed, and states can be put back.
import { describe, expect, it } from "vitest";
import { torch } from "../../../lib/index.ts";
import { readFixture, reviveTensor, type StoredTensor } from "./fixtures.ts";

const { randoms } = readFixture<{ randoms: Record<string, StoredTensor> }>("numbers.json");

it("the same seed draws PyTorch's numbers, in its order", () => {
  torch.manualSeed(42);
  const drawn = {
    rand: torch.rand([5]),
    randn: torch.randn([20]),
    randint: torch.randint(0, 100, [6]),
    randperm: torch.randperm(8),
    normal: torch.normal(2, 3, [4]),
    bernoulli: torch.full([6], 0.5).bernoulli(),
  };
  for (const [name, tensor] of Object.entries(drawn)) {
    const stored = randoms[name];
    if (stored === undefined) throw new Error(`PyTorch drew no ${name}.`);
    expect([name, tensor.tolist()]).toEqual([name, reviveTensor(stored).tolist()]);
  }
});

it("a state that is put back draws the same numbers again", () => {
  const state = torch.getRngState();
  const first = torch.rand([3]).tolist();
  torch.setRngState(state);
  expect(torch.rand([3]).tolist()).toEqual(first);
  torch.setRngState(state.data<Uint8Array>());
  expect(torch.rand([3]).tolist()).toEqual(first);
  expect([state.dtype, state.device]).toEqual(["uint8", "cpu"]);
});

it("seed() seeds from the system and says with what", () => {
  const seed = torch.seed();
  const first = torch.rand([3]).tolist();
  expect(torch.initialSeed()).toBe(seed);
  torch.manualSeed(seed);
  expect(torch.rand([3]).tolist()).toEqual(first);
});

it("seeds have 64 bits", () => {
  torch.manualSeed(2n ** 64n - 1n);
  const first = torch.rand([1]).item();
  torch.manualSeed(-1);
  expect(torch.rand([1]).item()).toBe(first);
});

describe("misuse", () => {
  it.each([
    [() => torch.manualSeed("x" as never), TypeError, 'A seed is a whole number or a bigint; it was "x".'],
    [() => torch.manualSeed(1.5), RangeError, "A seed is a whole number, a bigint beyond 2^53; it was 1.5."],
    [() => torch.manualSeed(NaN), RangeError, "A seed is a whole number, a bigint beyond 2^53; it was NaN."],
    [() => torch.manualSeed(2n ** 64n), RangeError, "A seed has 64 bits; 18446744073709551616 has more."],
    [
      () => torch.setRngState(torch.ones([3])),
      TypeError,
      "A random state is a uint8 tensor; this one is float32.",
    ],
  ] as const)("%s", (act, kind, message) => {
    expect(act).toThrow(new kind(message));
  });
});
