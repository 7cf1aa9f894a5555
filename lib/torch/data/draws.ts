// Single random numbers as libtorch's CPU generator draws them, without a tensor for each: its Mersenne Twister run
// here on a copy of its state, which is put back afterwards. Many small draws are then as cheap as `Math.random()`.
// ATen/core/MT19937RNGEngine.h (the engine), ATen/CPUGeneratorImpl.cpp (the layout of its state)
import { native } from "../native.ts";

const WORDS = 624;
const SHIFTED = 397;

/** Offsets in bytes into the state that libtorch gives: how many draws are left, the next word, the words (64 bits each). */
const LEFT = 8;
const NEXT = 16;
const STATE = 24;

export class Draws {
  readonly #bytes: Uint8Array;
  readonly #words = new Uint32Array(WORDS);
  #left: number;
  #next: number;

  constructor(state: Uint8Array) {
    this.#bytes = state;
    const view = new DataView(state.buffer, state.byteOffset);
    this.#left = view.getInt32(LEFT, true);
    this.#next = view.getUint32(NEXT, true);
    for (let i = 0; i < WORDS; i++) this.#words[i] = view.getUint32(STATE + 8 * i, true);
  }

  /** 32 random bits. */
  bits(): number {
    if (--this.#left === 0) this.#refill();
    let y = this.#words[this.#next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** `torch.empty(1).uniform_(from, to).item()`: 24 bits, in float32. */
  uniform(from = 0, to = 1): number {
    const unit = (this.bits() & 0xffffff) / 2 ** 24;
    return Math.fround(Math.fround(unit * Math.fround(to - from)) + Math.fround(from));
  }

  /** `torch.randint(0, end, [1]).item()`, for ends below 2^28. */
  integer(end: number): number {
    return this.bits() % end;
  }

  /** `torch.randperm(count).tolist()`. */
  permutation(count: number): number[] {
    const order = Array.from({ length: count }, (_, i) => i);
    for (let i = 0; i < count - 1; i++) {
      const other = i + this.integer(count - i);
      [order[i], order[other]] = [order[other]!, order[i]!];
    }
    return order;
  }

  /** The state as it is now, in libtorch's layout. */
  state(): Uint8Array {
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
    view.setInt32(LEFT, this.#left, true);
    view.setUint32(NEXT, this.#next, true);
    for (let i = 0; i < WORDS; i++) view.setUint32(STATE + 8 * i, this.#words[i]!, true);
    return this.#bytes;
  }

  #refill(): void {
    const words = this.#words;
    for (let i = 0; i < WORDS; i++) {
      const mixed = (words[i]! & 0x80000000) | (words[(i + 1) % WORDS]! & 0x7fffffff);
      words[i] = words[(i + SHIFTED) % WORDS]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    this.#left = WORDS;
    this.#next = 0;
  }
}

/** Lends this thread's CPU generator to `work`. It must draw by what it is given alone. */
export function withDraws<Result>(work: (draws: Draws) => Result): Result {
  const draws = new Draws(native.getRngState("cpu"));
  try {
    return work(draws);
  } finally {
    native.setRngState("cpu", draws.state());
  }
}
