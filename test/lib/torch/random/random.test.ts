// Random numbers are PyTorch's for the same seed, and states can be put back.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { readFixture, reviveTensor, type StoredTensor } from "../fixtures.ts";

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

describe("a generator", () => {
  const seeded = (seed: number | bigint) => new torch.Generator().manualSeed(seed);

  it("draws PyTorch's numbers, in its order, and leaves the session's generator alone", () => {
    torch.manualSeed(5);
    const expected = torch.rand([2]).tolist();
    torch.manualSeed(5);
    const generator = seeded(42);
    const drawn = {
      rand: torch.rand([5], { generator }),
      randn: torch.randn([20], { generator }),
      randint: torch.randint(0, 100, [6], { generator }),
      randperm: torch.randperm(8, { generator }),
      normal: torch.normal(2, 3, [4], { generator }),
      bernoulli: torch.full([6], 0.5).bernoulli({ generator }),
    };
    for (const [name, tensor] of Object.entries(drawn))
      expect([name, tensor.tolist()]).toEqual([name, reviveTensor(randoms[name]!).tolist()]);
    expect(torch.rand([2]).tolist()).toEqual(expected);
  });

  it("fills tensors in place", () => {
    const x = torch.empty([3]);
    const fills = [
      () => x.uniform_(0, 1, { generator: seeded(1) }),
      () => x.normal_(0, 1, { generator: seeded(1) }),
      () => x.exponential_(1, { generator: seeded(1) }),
      () => x.random_({ generator: seeded(1) }),
    ];
    for (const fill of fills) expect(fill().tolist()).toEqual(fill().tolist());
  });

  it("starts from PyTorch's default seed", () => {
    expect(new torch.Generator().initialSeed()).toBe(67_280_421_310_721);
    expect(new torch.Generator().device).toBe("cpu");
  });

  it("seeds itself from the system and says with what", () => {
    const generator = new torch.Generator();
    const seed = generator.seed();
    expect(generator.initialSeed()).toBe(seed);
    expect(torch.rand([3], { generator }).tolist()).toEqual(
      torch.rand([3], { generator: seeded(seed) }).tolist(),
    );
  });

  it("takes a state back, its own or another's", () => {
    const generator = seeded(3);
    const state = generator.getState();
    const clone = generator.cloneState();
    const first = torch.rand([3], { generator }).tolist();
    expect(torch.rand([3], { generator: generator.setState(state) }).tolist()).toEqual(first);
    expect(torch.rand([3], { generator: clone }).tolist()).toEqual(first);
    expect(torch.rand([3], { generator: new torch.Generator().setState(state) }).tolist()).toEqual(first);
  });
});

describe("misuse", () => {
  it.each([
    [
      () => torch.manualSeed("x" as never),
      TypeError,
      'torch.manualSeed: the seed must be a whole number or a bigint, got "x".',
    ],
    [
      () => torch.manualSeed(1.5),
      RangeError,
      "torch.manualSeed: the seed must be a whole number, as a bigint beyond 2^53, got 1.5.",
    ],
    [
      () => new torch.Generator().manualSeed(NaN),
      RangeError,
      "Generator.manualSeed: the seed must be a whole number, as a bigint beyond 2^53, got NaN.",
    ],
    [
      () => torch.manualSeed(2n ** 64n),
      RangeError,
      "torch.manualSeed: a seed has 64 bits; 18446744073709551616 has more.",
    ],
    [
      () => torch.setRngState(torch.ones([3])),
      TypeError,
      "torch.setRngState: a random state is a uint8 tensor; this one is float32.",
    ],
    [
      () => new torch.Generator().setState("x" as never),
      TypeError,
      'Generator.setState: a random state is a uint8 tensor or a Uint8Array, got "x".',
    ],
    [
      () => torch.setRngState(new Uint8Array(3)),
      RangeError,
      "setRngState(): a state of this generator has 5056 bytes, but got 3.",
    ],
    [
      () => new torch.Generator(5 as never),
      TypeError,
      'new torch.Generator: the device must be a name such as "cpu", got 5; manualSeed() sets the seed.',
    ],
    [() => new torch.Generator("gpu"), TypeError, '"gpu" names no device; cpu is here.'],
    [
      () => torch.rand([2], { generator: 5 as never }),
      TypeError,
      "rand(): argument 'generator' must be a Generator, but got number 5. Use rand(size, { dtype?, layout?, device?, pinMemory?, requiresGrad? }) or rand(size, { generator?, dtype?, layout?, device?, pinMemory?, requiresGrad? }).",
    ],
    [
      () => torch.rand([2], new torch.Generator() as never),
      TypeError,
      "rand(): takes at most 1 positional argument, but got 2. Use rand(size, { dtype?, layout?, device?, pinMemory?, requiresGrad? }) or rand(size, { generator?, dtype?, layout?, device?, pinMemory?, requiresGrad? }).",
    ],
  ] as const)("%s", (act, kind, message) => {
    expect(act).toThrow(new kind(message));
  });
});

describe("forkRng", () => {
  it("gives the generators back as they were, whatever was drawn or seeded inside", () => {
    torch.manualSeed(3);
    const expected = torch.rand([2]).tolist();
    torch.manualSeed(3);
    const inside = torch.forkRng(() => {
      torch.manualSeed(9);
      return torch.rand([2]).tolist();
    });
    expect(torch.rand([2]).tolist()).toEqual(expected);
    torch.manualSeed(9);
    expect(torch.rand([2]).tolist()).toEqual(inside);
  });

  it("does so where its function throws, and refuses one that waits", () => {
    torch.manualSeed(3);
    const state = torch.getRngState();
    const fails = () => {
      torch.rand([1]);
      throw new Error("mine");
    };
    expect(() => torch.forkRng(fails)).toThrow("mine");
    expect(() => torch.forkRng(async () => torch.rand([1]))).toThrow(
      "torch.forkRng cannot wait: its function returned a promise, and the generators are put back when it returns. Call it around the synchronous parts.",
    );
    expect(torch.getRngState().equal(state)).toBe(true);
  });
});
