// Draws single random numbers as libtorch's CPU generator does, without a tensor for each. Runs the generator's
// Mersenne Twister in JavaScript on a copy of its state, and writes the state back afterwards. Many small draws are
// then as cheap as `Math.random()`.
// Sources: ATen/core/MT19937RNGEngine.h (the engine), ATen/CPUGeneratorImpl.cpp (the layout of its state).
import { native } from "../engine/native.ts";

const WORDS = 624;
const SHIFTED = 397;

/**
 * Indices of 32-bit words in libtorch's generator state: the number of draws left, the next word, the first word of the
 * engine.
 */
const LEFT = 2;
const NEXT = 4;
const STATE = 6;

export class Draws {
  readonly #bytes: Uint8Array;
  /** The whole state in place. Each of the engine's words takes two of these, the upper one 0. */
  readonly #state: Uint32Array;
  #left: number;
  #next: number;

  /**
   * @param bytes a state that only the caller uses, as `native.getRngState` returns it
   */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#state = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#left = this.#state[LEFT]!;
    this.#next = this.#state[NEXT]!;
  }

  /** 32 random bits. */
  bits(): number {
    if (--this.#left === 0) this.#refill();
    let y = this.#state[STATE + 2 * this.#next++]!;
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

  /** Returns the present state, in the same bytes. */
  state(): Uint8Array {
    this.#state[LEFT] = this.#left;
    this.#state[NEXT] = this.#next;
    return this.#bytes;
  }

  #refill(): void {
    const state = this.#state;
    const at = (word: number) => state[STATE + 2 * (word % WORDS)]!;
    for (let i = 0; i < WORDS; i++) {
      const mixed = (at(i) & 0x80000000) | (at(i + 1) & 0x7fffffff);
      state[STATE + 2 * i] = at(i + SHIFTED) ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    this.#left = WORDS;
    this.#next = 0;
  }
}

/** Lends this thread's CPU generator to `work`, which must draw only through the given object. */
export function withDraws<Result>(work: (draws: Draws) => Result): Result {
  const draws = new Draws(native.getRngState("cpu"));
  try {
    return work(draws);
  } finally {
    native.setRngState("cpu", draws.state());
  }
}
