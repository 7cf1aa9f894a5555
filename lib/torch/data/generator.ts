// A source of random numbers beside the session's: PyTorch's `torch.Generator` on the CPU. It holds a state of
// libtorch's generator and lends it to one draw at a time; who draws what is the samplers' business.
import { describe } from "../arguments.ts";
import { native } from "../native.ts";
import { torchFunctions } from "../operators.ts";

/** The seed of a generator that was not given one, as in PyTorch. */
const DEFAULT_SEED = 67_280_421_310_721;

function checkSeed(call: string, seed: unknown): number | bigint {
  if (typeof seed !== "number" && typeof seed !== "bigint") {
    throw new TypeError(`${call}: seed must be an integer, got ${describe(seed)}.`);
  }
  if ((typeof seed === "number" && !Number.isSafeInteger(seed)) || seed < 0 || seed >= 2n ** 64n) {
    throw new RangeError(
      `${call}: seed must be an integer from 0 to 2^64 - 1 (a bigint beyond 2^53), got ${seed}.`,
    );
  }
  return seed;
}

export class Generator {
  #state: Uint8Array;

  /** `new data.Generator(5)` draws what `torch.Generator().manual_seed(5)` draws. */
  constructor(seed: number | bigint = DEFAULT_SEED) {
    this.#state = seededState(checkSeed("new data.Generator", seed));
  }

  manualSeed(seed: number | bigint): this {
    this.#state = seededState(checkSeed("Generator.manualSeed", seed));
    return this;
  }

  /** Runs `draw` on this generator instead of the session's, whose state stays as it was. */
  run<T>(draw: () => T): T {
    const before = native.getRngState("cpu");
    native.setRngState("cpu", this.#state);
    try {
      return draw();
    } finally {
      this.#state = native.getRngState("cpu");
      native.setRngState("cpu", before);
    }
  }
}

function seededState(seed: number | bigint): Uint8Array {
  const before = native.getRngState("cpu");
  native.manualSeed(seed, "cpu");
  const state = native.getRngState("cpu");
  native.setRngState("cpu", before);
  return state;
}

export function checkGenerator(call: string, generator: unknown): Generator | undefined {
  if (generator === undefined || generator instanceof Generator) return generator;
  throw new TypeError(`${call}: generator must be a data.Generator, got ${describe(generator)}.`);
}

/** Integers that `draw` makes as a tensor, from the generator or the session's; the tensor is freed. */
export function drawIntegers(
  generator: Generator | undefined,
  draw: () => ReturnType<typeof torchFunctions.randperm>,
): Float64Array {
  const drawn = generator ? generator.run(draw) : draw();
  // float64 holds every index up to 2^53 without bigints.
  const values = new Float64Array(native.numel(drawn));
  const shared = native.shareTypedArray(values, [values.length], "float64");
  shared.copy_(drawn);
  native.dispose(shared);
  native.dispose(drawn);
  return values;
}

/** PyTorch's `torch.empty((), dtype=torch.int64).random_()`: 63 random bits, by which it seeds what is lent a seed. */
export function drawSeed(generator: Generator | undefined): bigint {
  const draw = () => torchFunctions.empty([], { dtype: "int64", device: "cpu" }).random_();
  const drawn = generator ? generator.run(draw) : draw();
  const seed = BigInt(native.item(drawn) as number | bigint);
  native.dispose(drawn);
  return seed;
}
