// Tests what the ledger holds after an epoch loop, however its epochs ended.
import type { EpochLoop } from "../../../../lib/contract.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EpochLoops, type LoopRecords } from "../../../../lib/lab/epochs/epoch_loop.ts";
import { Ledger } from "../../../../lib/lab/core/ledger.ts";
import { MIB, pauseByDebugger, ScriptedDevice, useScriptedClock } from "../scripted_device.ts";

let device: ScriptedDevice;
let ledger: Ledger;
let loops: EpochLoops;
/** The calls that the charts received: `update 1` after one epoch, `finish 1`. */
let shown: string[];
/** How many epochs were on record each time that handlers could run. */
let ended: number[];

function session(fullMs = 0): void {
  ledger = new Ledger();
  shown = [];
  ended = [];
  const tell = (what: string) => (records: () => LoopRecords) => {
    shown.push(`${what} ${records().epochs.length}`);
  };
  loops = new EpochLoops({
    ledger,
    collector: device.collector(fullMs),
    accelerator: () => device,
    display: () => ({ update: tell("update"), finish: tell("finish") }),
    epochEnded: () => ended.push(ledger.epochs.length),
  });
}

const loop = (options: { flush?: boolean } = {}): EpochLoop =>
  loops.open({ variable: "epoch", line: 1, ...options });

/** Runs a loop with the calls that the compiler writes around the cell's loop. */
function run<Value>(
  values: readonly Value[],
  body: (value: Value) => void,
  options: { flush?: boolean } = {},
): void {
  const hooks = loop(options);
  try {
    for (const value of values) {
      hooks.begin();
      try {
        body(value);
      } finally {
        hooks.end();
      }
    }
  } finally {
    hooks.close();
  }
}

beforeEach(() => {
  useScriptedClock();
  device = new ScriptedDevice();
  session();
});
afterEach(() => vi.useRealTimers());

it("handlers may run when an epoch is on record, and in no loop inside it", () => {
  run([0, 1], () => run([0, 1, 2], () => device.train({ hostMs: 1, queuedMs: 0 })));
  expect(ended).toEqual([1, 2]);
});

describe("an epoch's record", () => {
  it("holds the times: the host's work, the wait for the device, the flush apart", () => {
    session(4);
    run([0], () => device.train({ hostMs: 100, queuedMs: 35 }));
    expect(ledger.epochs).toHaveLength(1);
    expect(ledger.epochs[0]).toMatchObject({
      loop: 0,
      epoch: 0,
      first: true,
      device: "mps",
      atMs: 0,
      wallMs: 135,
      hostMs: 100,
      waitMs: 35,
      finalWaitMs: 35,
      flushMs: 4,
      collection: "full",
      complete: true,
    });
  });

  it("counts waits inside operators to the wait", () => {
    run([0], () => {
      device.train({ hostMs: 100, queuedMs: 10 });
      device.waited = 60;
    });
    expect(ledger.epochs[0]).toMatchObject({ wallMs: 110, hostMs: 40, waitMs: 70, finalWaitMs: 10 });
  });

  it("says null for the wait where nobody counts the waits inside operators", () => {
    device.waited = null;
    run([0], () => device.train({ hostMs: 100, queuedMs: 10 }));
    expect(ledger.epochs[0]).toMatchObject({ wallMs: 110, hostMs: null, waitMs: null, finalWaitMs: 10 });
  });

  it("holds memory when the epoch began, when its work was done, and after the flush", () => {
    device.held = MIB;
    run([0], () => device.train({ keeps: 2 * MIB, drops: 5 * MIB }));
    const { start, before, after, freedBytes, releasedBytes } = ledger.epochs[0]!;
    expect([start, before, after].map((sample) => sample.allocatedBytes / MIB)).toEqual([1, 8, 3]);
    expect([start, before, after].map((sample) => sample.peakBytes / MIB)).toEqual([1, 8, 8]);
    expect({ freedBytes, releasedBytes }).toEqual({ freedBytes: 5 * MIB, releasedBytes: 5 * MIB });
  });

  it("has the peak of its own epoch, not of an earlier one", () => {
    run([40, 10], (mib) => device.train({ drops: mib * MIB }));
    expect(ledger.epochs.map((record) => record.before.peakBytes / MIB)).toEqual([40, 10]);
  });

  it("counts fallbacks to the CPU since the epoch began", () => {
    device.fellBack = 7;
    run([2, 0], (count) => {
      device.fellBack! += count;
    });
    expect(ledger.epochs.map((record) => record.fallbacks)).toEqual([2, 0]);
  });

  it("says null for fallbacks that nobody counts", () => {
    device.fellBack = null;
    run([0], () => {});
    expect(ledger.epochs[0]!.fallbacks).toBeNull();
  });

  it("keeps the first epoch of every loop apart, and numbers loops and epochs", () => {
    run([0, 1], () => {});
    run([0, 1], () => {});
    expect(ledger.epochs.map(({ loop, epoch, first }) => [loop, epoch, first])).toEqual([
      [0, 0, true],
      [0, 1, false],
      [1, 0, true],
      [1, 1, false],
    ]);
  });
});

describe("the order around a loop of one epoch", () => {
  it("is reset peak, the body, then the flush", () => {
    run([0], () => void device.calls.push("body"));
    expect(device.calls).toEqual([
      "reset peak",
      "sample",
      "body",
      "synchronize",
      "sample",
      "collect full",
      // The next collection is compared with what this one left.
      "synchronize",
      "sample",
      "synchronize",
      "empty cache",
      "sample",
    ]);
  });

  it("is records alone under %flush off: no wait, no collection, no emptied cache", () => {
    run([0], () => device.train({ hostMs: 5, queuedMs: 35, drops: MIB }), { flush: false });
    expect(device.calls).toEqual(["reset peak", "sample", "sample"]);
    expect(ledger.epochs[0]).toMatchObject({
      wallMs: 5,
      hostMs: null,
      waitMs: null,
      finalWaitMs: null,
      flushMs: 0,
      collection: "none",
      complete: false,
      freedBytes: 0,
      releasedBytes: 0,
    });
  });

  it("has no wait to be ignorant of on the CPU, %flush off or not", () => {
    device = new ScriptedDevice("cpu", false);
    session();
    run([0], () => device.train({ hostMs: 5 }), { flush: false });
    run([0], () => device.train({ hostMs: 5 }));
    const times = ledger.epochs.map(({ wallMs, hostMs, waitMs, finalWaitMs }) => [
      wallMs,
      hostMs,
      waitMs,
      finalWaitMs,
    ]);
    expect(times).toEqual([
      [5, 5, 0, 0],
      [5, 5, 0, 0],
    ]);
  });
});

describe("an epoch is flushed and recorded once, and the charts finish, when the body is left by", () => {
  const failure = new Error("interrupted");
  const ways: Record<string, (hooks: EpochLoop) => void> = {
    "its end"(hooks) {
      for (let i = 0; i < 1; i++) {
        hooks.begin();
        try {
          device.train({ hostMs: 1 });
        } finally {
          hooks.end();
        }
      }
    },
    continue(hooks) {
      for (let i = 0; i < 1; i++) {
        hooks.begin();
        try {
          if (i === 0) continue;
          throw failure;
        } finally {
          hooks.end();
        }
      }
    },
    break(hooks) {
      for (;;) {
        hooks.begin();
        try {
          break;
        } finally {
          hooks.end();
        }
      }
    },
    return(hooks) {
      hooks.begin();
      try {
        return;
      } finally {
        hooks.end();
      }
    },
    throw(hooks) {
      hooks.begin();
      try {
        throw failure;
      } finally {
        hooks.end();
      }
    },
  };

  it.each(Object.keys(ways))("%s", (way) => {
    const hooks = loop();
    try {
      ways[way]!(hooks);
    } catch (error) {
      expect(error).toBe(failure);
    } finally {
      hooks.close();
    }
    expect(ledger.epochs).toHaveLength(1);
    expect(device.calls.filter((call) => call === "empty cache")).toHaveLength(1);
    expect(shown).toEqual(["update 1", "finish 1"]);
  });
});

describe("loops within loops", () => {
  it("only the outermost flushes and is recorded", () => {
    run([0, 1], () => run([0, 1, 2], () => {}));
    expect(ledger.epochs.map(({ loop, epoch }) => [loop, epoch])).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(device.calls.filter((call) => call === "empty cache")).toHaveLength(2);
  });

  it("an inner loop that throws leaves the outer one recording", () => {
    run([0, 1], () => {
      expect(() =>
        run([0], () => {
          throw new Error("inner");
        }),
      ).toThrow("inner");
    });
    expect(ledger.epochs).toHaveLength(2);
  });

  it("a loop that was opened but has not begun does not count as outer", () => {
    const waiting = loop();
    run([0], () => {});
    waiting.close();
    expect(ledger.epochs).toHaveLength(1);
  });
});

describe("a loop that nobody closes", () => {
  it("is closed when the cell has ended, so that the next cell's loop is an outermost one", () => {
    const suspended = loop();
    suspended.begin();
    loops.abandon();
    run([0], () => {});
    expect(ledger.epochs.map(({ loop, epoch }) => [loop, epoch])).toEqual([[1, 0]]);
    expect(shown).toEqual(["finish 0", "update 1", "finish 1"]);
  });

  it("goes on recording where its code goes on after the cell, the epoch in which the cell ended included", () => {
    const background = loop();
    background.begin();
    loops.abandon();
    background.end();
    background.begin();
    background.end();
    background.close();
    expect(ledger.epochs.map(({ loop, epoch }) => [loop, epoch])).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(shown).toEqual(["finish 0", "update 1", "update 2", "finish 2"]);
  });
});

describe("lab.mark", () => {
  it("records memory inside an epoch, without waiting for the device", () => {
    run([0, 1], (epoch) => {
      device.train({ hostMs: 10, keeps: MIB });
      if (epoch !== 1) return;
      const calls = device.calls.length;
      loops.mark("after forward");
      expect(device.calls.slice(calls)).toEqual(["sample"]);
    });
    expect(ledger.marks).toHaveLength(1);
    expect(ledger.marks[0]).toMatchObject({ tag: "after forward", loop: 0, epoch: 1, atMs: 20 });
    expect(ledger.marks[0]!.sample.allocatedBytes).toBe(2 * MIB);
  });

  it("belongs to no epoch between two of them", () => {
    const hooks = loop();
    hooks.begin();
    hooks.end();
    expect(loops.mark("between")).toMatchObject({ loop: null, epoch: null });
    hooks.close();
  });

  it("belongs to no epoch outside of all", () => {
    expect(loops.mark("before training")).toMatchObject({
      tag: "before training",
      loop: null,
      epoch: null,
      atMs: 0,
    });
  });
});

it("a cleared ledger goes on with the running loop, its epochs still counted", () => {
  run([0, 1, 2], (epoch) => {
    if (epoch === 2) ledger.clear();
  });
  expect(ledger.epochs.map(({ epoch }) => epoch)).toEqual([2]);
});

it("an error of the device at an epoch's end reaches the cell, and the next loop records", () => {
  const synchronize = device.synchronize.bind(device);
  device.synchronize = () => {
    throw new Error("the command buffer failed");
  };
  expect(() => run([0], () => {})).toThrow("the command buffer failed");
  device.synchronize = synchronize;
  run([0], () => {});
  expect(ledger.epochs.map(({ loop, epoch }) => [loop, epoch])).toEqual([[1, 0]]);
});

it("an epoch that the debugger paused is marked, and its time is without the pause", () => {
  run([0, 1, 2], (epoch) => {
    device.train({ hostMs: 100 });
    if (epoch === 1) pauseByDebugger(60_000);
  });
  expect(ledger.epochs.map(({ wallMs, hostMs, pausedMs }) => ({ wallMs, hostMs, pausedMs }))).toEqual([
    { wallMs: 100, hostMs: 100, pausedMs: undefined },
    { wallMs: 100, hostMs: 100, pausedMs: 60_000 },
    { wallMs: 100, hostMs: 100, pausedMs: undefined },
  ]);
});
