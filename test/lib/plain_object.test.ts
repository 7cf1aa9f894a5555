// Which objects are plain: a search through a user's values runs none of their code.
import { describe, expect, it } from "vitest";
import { isPlainObject, RECORD_PROTOTYPE } from "../../lib/plain_object.ts";

describe("a plain object", () => {
  it("has Object's prototype, none, or that of records", () => {
    expect([{}, Object.create(null), Object.create(RECORD_PROTOTYPE)].map(isPlainObject)).toEqual([
      true,
      true,
      true,
    ]);
    expect([[], new Map(), new Date(0), null, 1, Object.create({})].map(isPlainObject)).toEqual(
      Array.from({ length: 6 }, () => false),
    );
  });

  it("is found without a trap of a user's prototype", () => {
    const trap = () => {
      throw new Error("a trap ran");
    };
    const prototype = new Proxy(
      {},
      { has: trap, get: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap },
    );
    expect(isPlainObject(Object.create(prototype))).toBe(false);
  });
});

it("the prototype of records refuses names, and answers what every object is asked", async () => {
  const record = Object.create(RECORD_PROTOTYPE) as Record<string, unknown>;
  expect(() => record["rnt"]).toThrow(/^record.rnt: there is no column "rnt"/);
  expect(String(record)).toBe("[object Object]");
  expect(JSON.stringify(record)).toBe("{}");
  expect(await Promise.resolve(record)).toBe(record);
});
