// Tests `lab` as a cell or a plain program uses it: epochs, flush, mark, memory, and the message for each misuse.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { installOutputSink, outputSink } from "../../../../lib/display.ts";
import { openEpochLoop } from "../../../../lib/lab/epochs/epochs.ts";
import * as lab from "../../../../lib/lab/index.ts";
import { cellEnded, switchEpochFlush } from "../../../../lib/session.ts";
import { MIB, ScriptedDevice, useScriptedClock } from "../scripted_device.ts";
import { ScriptedSink } from "../scripted_sink.ts";

let device = new ScriptedDevice();
vi.mock("../../../../lib/lab/core/native_device.ts", () => ({ nativeDevice: () => device }));

const plain = outputSink();
let sink: ScriptedSink;

beforeEach(() => {
  useScriptedClock();
  device = new ScriptedDevice();
  sink = new ScriptedSink();
  sink.live = false;
  installOutputSink(sink);
  lab.ledger.clear();
});
afterEach(() => {
  cellEnded();
  switchEpochFlush(true);
  installOutputSink(plain);
  vi.useRealTimers();
});

const flushes = (): number => device.calls.filter((call) => call === "empty cache").length;

describe("for (const epoch of lab.epochs(...))", () => {
  it("counts from 0, and flushes and records each epoch", () => {
    const seen: number[] = [];
    for (const epoch of lab.epochs(3)) seen.push(epoch);
    expect(seen).toEqual([0, 1, 2]);
    // The last epoch's collection was a minor one: the loop's end has a full one.
    expect(flushes()).toBe(4);
    expect(lab.ledger.epochs.map(({ epoch, first }) => [epoch, first])).toEqual([
      [0, true],
      [1, false],
      [2, false],
    ]);
  });

  it("passes on the values of an iterable", () => {
    expect([...lab.epochs(new Set(["warm-up", "train"]))]).toEqual(["warm-up", "train"]);
    expect(flushes()).toBe(2);
  });

  it("flushes after the body, not before", () => {
    for (const epoch of lab.epochs(1)) device.calls.push(`body ${epoch}`);
    expect(device.calls.indexOf("body 0")).toBeLessThan(device.calls.indexOf("empty cache"));
  });

  it("flushes the epoch that is left by break", () => {
    for (const epoch of lab.epochs(9)) if (epoch === 1) break;
    expect(lab.ledger.epochs).toHaveLength(2);
    expect(flushes()).toBe(2);
  });

  it("flushes the epoch that is left by throw, and lets the error through", () => {
    const failure = new Error("NaN loss");
    expect(() => {
      for (const _ of lab.epochs(9)) throw failure;
    }).toThrow(failure);
    expect(flushes()).toBe(1);
  });

  it("flushes once where the compiler saw the loop as well", () => {
    const hooks = openEpochLoop({ variable: "epoch", line: 1 });
    try {
      for (const _ of lab.epochs(2)) {
        hooks.begin();
        hooks.end();
      }
    } finally {
      hooks.close();
    }
    expect(flushes()).toBe(2);
  });

  it("can run again", () => {
    const twice = lab.epochs(2);
    expect([...twice, ...twice]).toEqual([0, 1, 0, 1]);
    expect(new Set(lab.ledger.epochs.map(({ loop }) => loop)).size).toBe(2);
  });

  it("of no epoch does nothing", () => {
    expect([...lab.epochs(0)]).toEqual([]);
    expect(device.calls).toEqual([]);
    expect(sink.shown).toEqual([]);
  });

  it("says in a plain program what the charts would show", () => {
    for (const _ of lab.epochs(2));
    const lines = sink.shown.flatMap(({ data }) => String(data["text/plain"]).split("\n"));
    expect(lines.map((line) => line.split(":")[0])).toEqual([
      "Memory of 2 epochs on mps",
      "Time of 2 epochs on mps",
    ]);
  });

  it("only records under %flush off", () => {
    switchEpochFlush(false);
    for (const _ of lab.epochs(2));
    expect(flushes()).toBe(0);
    expect(lab.ledger.epochs.map(({ collection }) => collection)).toEqual(["none", "none"]);
  });
});

describe("a loop as a compiled cell has it", () => {
  function run(values: Iterable<number>, body: (value: number) => void): void {
    const hooks = openEpochLoop({ variable: "epoch", line: 1, explicit: true });
    try {
      for (const value of hooks.over(values)) {
        hooks.begin();
        try {
          body(value);
        } catch (error) {
          hooks.cut();
          throw error;
        } finally {
          hooks.end();
        }
      }
    } finally {
      hooks.close();
    }
  }
  const failure = new Error("NaN loss");
  const fails = (epoch: number) => {
    if (epoch === 1) throw failure;
  };
  const recorded = () => lab.ledger.epochs.map(({ epoch, cut }) => [epoch, cut]);

  it("over lab.epochs flushes each epoch once, and records the one that threw as cut", () => {
    expect(() => run(lab.epochs(9), fails)).toThrow(failure);
    expect(flushes()).toBe(2);
    expect(recorded()).toEqual([
      [0, false],
      [1, true],
    ]);
  });

  it("is whole where a loop inside of it was cut, and its error caught", () => {
    run(lab.epochs(1), () => expect(() => run(lab.epochs(9), fails)).toThrow(failure));
    expect(recorded()).toEqual([[0, false]]);
  });

  it("over what no `lab.epochs` of ours made records nothing", () => {
    run([0], () => {});
    expect(recorded()).toEqual([]);
  });
});

it("a suspended loop of an interrupted cell does not silence the loops after it", () => {
  const suspended = lab.epochs(5)[Symbol.iterator]();
  suspended.next();
  cellEnded();
  for (const _ of lab.epochs(2));
  expect(lab.ledger.epochs).toHaveLength(2);
});

it("lab.flush() flushes now, with a full collection", () => {
  device.held = 3 * MIB;
  device.cached = 2 * MIB;
  const report = lab.flush();
  expect(device.calls).toEqual(["synchronize", "sample", "synchronize", "empty cache", "sample"]);
  expect(report).toMatchObject({ collection: "full", releasedBytes: 2 * MIB, freedBytes: 0 });
  expect(report.after).toMatchObject({ allocatedBytes: 3 * MIB, driverBytes: 3 * MIB });
});

it("lab.memory() samples the device, the process and the machine", () => {
  device.held = 3 * MIB;
  expect(lab.memory()).toEqual({
    allocatedBytes: 3 * MIB,
    driverBytes: 3 * MIB,
    recommendedBytes: 1000 * MIB,
    peakBytes: 3 * MIB,
    hostBytes: expect.any(Number),
    heapBytes: expect.any(Number),
    heapReservedBytes: expect.any(Number),
    footprintBytes: expect.any(Number),
    availableBytes: expect.any(Number),
    swapBytes: expect.toSatisfy((bytes) => bytes === null || bytes >= 0),
    pressure: expect.toSatisfy((word) => [null, "normal", "warning", "critical"].includes(word)),
  });
});

it("lab.mark() puts a record into the ledger", () => {
  const record = lab.mark("after forward");
  expect(lab.ledger.marks).toEqual([record]);
  expect(record).toMatchObject({ tag: "after forward", loop: null, epoch: null });
});

describe("misuse", () => {
  const wrong: Record<string, [call: () => unknown, kind: ErrorConstructor, message: string]> = {
    "epochs(-1)": [
      () => lab.epochs(-1),
      RangeError,
      "lab.epochs takes a whole number of epochs, 0 or more, not -1.",
    ],
    "epochs(1.5)": [
      () => lab.epochs(1.5),
      RangeError,
      "lab.epochs takes a whole number of epochs, 0 or more, not 1.5.",
    ],
    "epochs(NaN)": [() => lab.epochs(Number.NaN), RangeError, "0 or more, not NaN."],
    "epochs(Infinity)": [() => lab.epochs(Number.POSITIVE_INFINITY), RangeError, "0 or more, not Infinity."],
    'epochs("5")': [() => lab.epochs("5" as never), TypeError, 'a number of epochs or an iterable, not "5".'],
    "epochs(null)": [
      () => lab.epochs(null as never),
      TypeError,
      "a number of epochs or an iterable, not null.",
    ],
    "epochs()": [
      () => lab.epochs(undefined as never),
      TypeError,
      "a number of epochs or an iterable, not undefined.",
    ],
    "epochs({})": [() => lab.epochs({} as never), TypeError, "or an iterable, not an object."],
    "mark()": [() => lab.mark(undefined as never), TypeError, 'as "after forward", not undefined.'],
    'mark("")': [() => lab.mark(""), TypeError, 'as "after forward", not "".'],
    "mark(3)": [() => lab.mark(3 as never), TypeError, 'as "after forward", not 3.'],
  };

  it.each(Object.keys(wrong))("lab.%s is refused before anything happens", (name) => {
    const [call, kind, message] = wrong[name]!;
    expect(call).toThrow(kind);
    expect(call).toThrow(message);
    expect(device.calls).toEqual([]);
    expect(lab.ledger.marks).toEqual([]);
  });
});
