// The arithmetic of sizes in types, on numbers drawn at random: the compiler's answers beside JavaScript's.
import fc from "fast-check";
import path from "node:path";
import { expect, it } from "vitest";
import { check } from "./type_check.ts";

const types = path.resolve(import.meta.dirname, "../../../../dist/lib/torch/types");

const PREAMBLE = `
import type { Minus, Plus, Product, Quotient, Remainder, Times } from "${types}/arithmetic/arithmetic.d.ts";
import type { ProductEquals } from "${types}/arithmetic/unary.d.ts";
type Same<A, B> = [A, B] extends [B, A] ? true : false;
declare function same<A, B>(answer: Same<A, B>): void;
`;

/** Sizes that occur: small ones, powers, and some that no tensor has. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.integer({ min: 0, max: 9999 }),
  fc.integer({ min: 0, max: 16 }).map((power) => 2 ** power),
  fc.integer({ min: 0, max: 5 }).map((power) => 10 ** power),
  fc.integer({ min: 0, max: 99_999_999 }),
);

it("sums, differences, products and quotients", () => {
  const pairs = fc.sample(fc.tuple(size, size), { numRuns: 300, seed: 1 });
  const lines = pairs.flatMap(([a, b]) => [
    `same<Plus<"${a}", "${b}">, "${a + b}">(true);`,
    `same<Minus<"${a}", "${b}">, ${a >= b ? `"${a - b}"` : "null"}>(true);`,
    `same<Times<"${a}", "${b}">, "${BigInt(a) * BigInt(b)}">(true);`,
    `same<Quotient<"${a}", "${b}">, "${b > 0 ? Math.trunc(a / b) : "?"}">(true);`,
    `same<Remainder<"${a}", "${b}">, "${b > 0 ? a % b : "?"}">(true);`,
  ]);
  expect(check(PREAMBLE + lines.join("\n"))).toEqual([]);
});

it("whether sizes multiplied are a number", () => {
  const lists = fc.sample(fc.array(fc.integer({ min: 0, max: 64 }), { minLength: 1, maxLength: 3 }), {
    numRuns: 100,
    seed: 2,
  });
  const lines = lists.flatMap((sizes) => {
    const product = sizes.reduce((done, each) => done * each, 1);
    const factors = sizes.map((each) => `${each}*`).join("");
    return [
      `same<ProductEquals<"${factors}", "${product}">, true>(true);`,
      `same<ProductEquals<"${factors}", "${product + 1}">, false>(true);`,
      `same<Product<"${factors.replaceAll("*", ",")}">, "${product}">(true);`,
    ];
  });
  expect(check(PREAMBLE + lines.join("\n"))).toEqual([]);
});

it("more digits than a number of JavaScript's holds", () => {
  const line = 'same<Product<"99999999,99999999,99999999,">, "999999970000000299999999">(true);';
  expect(check(PREAMBLE + line)).toEqual([]);
});

it("what could be millions is left to the multiplication", () => {
  const lines = [
    'same<ProductEquals<"9999*9999*", "99980001">, false>(true);',
    'same<ProductEquals<"32*14*", "999999999999">, false>(true);',
  ];
  expect(check(PREAMBLE + lines.join("\n"))).toEqual([]);
});
