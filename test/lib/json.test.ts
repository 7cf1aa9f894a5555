// Tests what a user's data must be to travel as JSON: what is refused, with its place, and what is not.
import { describe, expect, it } from "vitest";
import { requireJson } from "../../lib/json.ts";

const cycle: Record<string, unknown> = { step: 1 };
cycle["again"] = [cycle];
const deep = JSON.parse("[".repeat(600) + "]".repeat(600)) as unknown;

describe("data that JSON cannot hold", () => {
  it.each([
    [
      "a bigint",
      { a: 1n },
      "data.a is a bigint, which JSON cannot hold: convert it with Number() or String().",
    ],
    [
      "a function",
      { on: { click() {} } },
      "data.on.click is a function, which JSON cannot hold: leave it out, or call it.",
    ],
    [
      "a class",
      { kinds: [Date] },
      "data.kinds[0] is a function, which JSON cannot hold: leave it out, or call it.",
    ],
    [
      "a symbol",
      { "the key": Symbol("x") },
      "data['the key'] is a symbol, which JSON cannot hold: use its description.",
    ],
    [
      "a cycle",
      cycle,
      "data.again[0] contains itself, which JSON cannot express: leave one of the two references out.",
    ],
    [
      "a Map",
      { m: new Map() },
      "data.m is a Map, which JSON cannot hold: convert it with Object.fromEntries().",
    ],
    ["a Set", [new Set()], "data[0] is a Set, which JSON cannot hold: convert it with Array.from()."],
    ["a promise", { p: Promise.resolve() }, "data.p is a promise, which JSON cannot hold: await it first."],
    [
      "a typed array",
      { x: new Float32Array(2) },
      "data.x is a Float32Array, which JSON cannot hold: convert it with Array.from().",
    ],
    [
      "the value itself",
      1n,
      "data is a bigint, which JSON cannot hold: convert it with Number() or String().",
    ],
    [
      "what a toJSON gives",
      { toJSON: () => ({ id: 1n }) },
      "data.id is a bigint, which JSON cannot hold: convert it with Number() or String().",
    ],
  ])("%s is named with its place", (_, data, sentence) => {
    expect(() => requireJson(data, "data")).toThrow(new TypeError(sentence));
  });

  it("so is what a toJSON refuses, as a tensor's does", () => {
    const refuses = {
      toJSON() {
        throw new TypeError("A tensor is no JSON.");
      },
    };
    expect(() => requireJson({ weights: [refuses] }, "data")).toThrow(
      new TypeError("data.weights[0]: A tensor is no JSON."),
    );
  });

  it("so is nesting that readers give up at", () => {
    expect(() => requireJson(deep, "data")).toThrow(
      new RangeError("data is nested more than 500 deep: send a flat list of its parts."),
    );
  });
});

describe("data that JSON takes in its own way is left to it", () => {
  const twice = { x: 1 };
  it.each([
    ["undefined", { a: undefined, b: [undefined] }],
    ["what is not finite", [Number.NaN, Number.POSITIVE_INFINITY]],
    ["a date", { at: new Date(0) }],
    ["the same object in two places", { first: twice, second: twice }],
    [
      "an instance of a class",
      new (class {
        x = 1;
      })(),
    ],
    ["a function that has a toJSON", { f: Object.assign(() => 1, { toJSON: () => "f" }) }],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: [{}] })],
  ])("%s", (_, data) => {
    expect(() => requireJson(data, "data")).not.toThrow();
    expect(() => JSON.stringify(data)).not.toThrow();
  });
});
