// Tests which collection an epoch's record reports, and what the end of the loop adds to the last one.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EpochLoops, type LoopRecords } from "../../../../lib/lab/epochs/epoch_loop.ts";
import { Ledger } from "../../../../lib/lab/core/ledger.ts";
import { MIB, ScriptedDevice, useScriptedClock } from "../scripted_device.ts";

let device: ScriptedDevice;
let ledger: Ledger;
let finished: number[];
let loops: EpochLoops;

function session(fullMs: number): void {
  ledger = new Ledger();
  finished = [];
  loops = new EpochLoops({
    ledger,
    collector: device.collector(fullMs),
    accelerator: () => device,
    display: () => ({
      update() {},
      finish: (records: () => LoopRecords) => void finished.push(records().epochs.length),
    }),
    epochEnded() {},
  });
}

const loop = () => loops.open({ variable: "epoch", line: 1 });

function run(count: number, body: () => void): void {
  const hooks = loop();
  for (let epoch = 0; epoch < count; epoch++) {
    hooks.begin();
    body();
    hooks.end();
  }
  hooks.close();
}

beforeEach(() => {
  useScriptedClock();
  device = new ScriptedDevice();
});
afterEach(() => vi.useRealTimers());

describe("an epoch's record", () => {
  const collections = () =>
    ledger.epochs.map(({ collection, complete }) => `${collection}${complete ? "" : ", incomplete"}`);

  it("says that a minor collection ran where the full one was too dear", () => {
    session(101);
    run(5, () => device.train({ hostMs: 5, drops: MIB }));
    expect(collections()).toEqual(["full", "full", "full", "minor, incomplete", "full"]);
    expect(ledger.epochs.map((record) => record.freedBytes)).toEqual([MIB, MIB, MIB, 0, 2 * MIB]);
  });

  it("says that a minor collection was enough where it left what the full one had left", () => {
    session(4);
    run(4, () => {
      device.train({ hostMs: 200, drops: MIB });
      device.young = MIB;
    });
    expect(collections()).toEqual(["full", "full", "minor", "full"]);
    expect(ledger.epochs.map((record) => record.freedBytes)).toEqual([MIB, MIB, MIB, MIB]);
  });

  it("is completed by a full collection when the loop closes, for the verdict needs an exact end", () => {
    session(101);
    const hooks = loop();
    for (let epoch = 0; epoch < 4; epoch++) {
      hooks.begin();
      device.train({ drops: MIB });
      hooks.end();
    }
    expect(ledger.epochs.at(-1)).toMatchObject({ collection: "minor", complete: false, flushMs: 0 });
    hooks.close();
    expect(ledger.epochs.at(-1)).toMatchObject({
      epoch: 3,
      collection: "full",
      complete: true,
      flushMs: 101,
      freedBytes: MIB,
      after: { allocatedBytes: 0 },
    });
    expect(finished).toEqual([4]);
  });

  it("that was cut is left as it is when the loop closes", () => {
    session(101);
    const hooks = loop();
    for (let epoch = 0; epoch < 4; epoch++) {
      hooks.begin();
      device.train({ drops: MIB });
      if (epoch === 3) hooks.cut();
      hooks.end();
    }
    hooks.close();
    expect(ledger.epochs.at(-1)).toMatchObject({ cut: true, collection: "minor", complete: false });
  });
});
