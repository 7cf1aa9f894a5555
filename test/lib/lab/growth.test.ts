// The verdict on memory growth: 26% over ten epochs, judged after full collections.
import { describe, expect, it } from "vitest";
import { GROWTH_THRESHOLD, growth, growthRemedy } from "../../../lib/lab/growth.ts";
import { epochRecords } from "./epoch_records.ts";

/** Eleven epochs after the first, from 100 bytes to `lastBytes` after the flush. */
const steadyEpochs = (lastBytes: number) =>
  epochRecords(12, (epoch) => ({ after: { allocatedBytes: epoch === 11 ? lastBytes : 100 } }));

describe("growth over ten epochs", () => {
  it("is judged by the runbook's threshold, which is data", () => {
    expect(GROWTH_THRESHOLD).toEqual({ rise: 0.26, epochs: 10 });
  });

  it("of 26% is steady, of more is growing", () => {
    expect(growth(steadyEpochs(126))).toEqual({
      metric: "allocatedBytes",
      verdict: "steady",
      fromBytes: 100,
      toBytes: 126,
      epochs: 10,
      rise: expect.closeTo(0.26, 10),
    });
    expect(growth(steadyEpochs(127))).toMatchObject({ verdict: "growing", fromBytes: 100, toBytes: 127 });
  });

  it("that falls is steady", () => {
    expect(growth(steadyEpochs(50))).toMatchObject({ verdict: "steady", rise: -0.5 });
  });

  it("from nothing to something is growing", () => {
    const records = epochRecords(12, (epoch) => ({ after: { allocatedBytes: epoch === 11 ? 1 : 0 } }));
    expect(growth(records)).toMatchObject({ verdict: "growing", rise: Number.POSITIVE_INFINITY });
  });

  it("looks at the last ten epochs of a long loop", () => {
    const records = epochRecords(30, (epoch) => ({ after: { allocatedBytes: epoch < 15 ? 10 : 100 } }));
    expect(growth(records)).toMatchObject({
      verdict: "steady",
      fromBytes: 100,
      toBytes: 100,
      rise: 0,
      epochs: 10,
    });
  });

  it("may be asked of the driver's bytes and of the process", () => {
    const records = epochRecords(12, (epoch) => ({
      after: { driverBytes: 100 + 10 * epoch, footprintBytes: 500 },
    }));
    expect(growth(records, "driverBytes")).toMatchObject({ metric: "driverBytes", verdict: "growing" });
    expect(growth(records, "footprintBytes")).toMatchObject({
      metric: "footprintBytes",
      verdict: "steady",
      rise: 0,
    });
  });
});

describe("growth is undecided", () => {
  it("before there are ten epochs to compare, but says what it saw", () => {
    const records = epochRecords(5, (epoch) => ({ after: { allocatedBytes: 100 + 100 * epoch } }));
    expect(growth(records)).toMatchObject({
      verdict: "undecided",
      fromBytes: 200,
      toBytes: 500,
      rise: 1.5,
      epochs: 3,
    });
  });

  it.each([0, 1, 2])("with %i epochs, of which the first is no measure", (count) => {
    expect(growth(epochRecords(count))).toEqual({
      metric: "allocatedBytes",
      verdict: "undecided",
      fromBytes: null,
      toBytes: null,
      rise: null,
      epochs: 0,
    });
  });

  it.each(["none", "minor"] as const)(
    "where collections were %s: garbage may still be counted",
    (collection) => {
      expect(growth(epochRecords(40, () => ({ collection })))).toMatchObject({
        verdict: "undecided",
        rise: null,
      });
    },
  );
});

it("growth is judged by minor collections as well, where they left nothing to find", () => {
  const records = epochRecords(12, () => ({ collection: "minor", complete: true }));
  expect(growth(records)).toMatchObject({ verdict: "steady", rise: 0, epochs: 10 });
});

it("growth between full collections far apart is taken for ten epochs", () => {
  // 40% over twenty epochs are 20% over ten.
  const records = epochRecords(22, (epoch) => ({
    collection: epoch === 1 || epoch === 21 ? "full" : "minor",
    after: { allocatedBytes: epoch === 21 ? 140 : 100 },
  }));
  expect(growth(records)).toMatchObject({ verdict: "steady", rise: expect.closeTo(0.4, 10), epochs: 20 });
});

it("an epoch that was cut is no end of the window: what it held is a part's", () => {
  const records = epochRecords(13, (epoch) =>
    epoch === 12 ? { cut: true, after: { allocatedBytes: 2 ** 40 } } : {},
  );
  expect(growth(records)).toMatchObject({ verdict: "steady", rise: 0, epochs: 10 });
  const short = epochRecords(12, (epoch) => ({ cut: epoch === 11 }));
  expect(growth(short).verdict).toBe("undecided");
  expect(growthRemedy(short)).toBe("run an epoch loop of 12 epochs or more");
});
