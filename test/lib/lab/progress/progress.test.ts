// Tests what `lab.progress` passes on and shows: in a notebook, in a terminal and in a log.
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { data, torch } from "../../../../lib/index.ts";
import { installOutputSink, outputSink } from "../../../../lib/display.ts";
import * as lab from "../../../../lib/lab/index.ts";
import { useScriptedClock } from "../scripted_device.ts";
import { ScriptedSink } from "../scripted_sink.ts";

const plain = outputSink();
let sink: ScriptedSink;

beforeEach(() => {
  useScriptedClock();
  sink = new ScriptedSink();
  installOutputSink(sink);
});
afterEach(() => {
  installOutputSink(plain);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const take = (ms: number): void => void vi.advanceTimersByTime(ms);
const lines = (): unknown[] => sink.shown.map(({ data: bundle }) => bundle["text/plain"]);
/** What a page shows at the end, one text an output. */
const seen = (): unknown[] => sink.outputs().map(({ data: bundle }) => bundle["text/plain"]);

function* generated(count: number) {
  for (let i = 0; i < count; i++) yield i;
}
async function* arriving(count: number) {
  for (let i = 0; i < count; i++) yield `row ${i}`;
}

describe("the items", () => {
  it("of arrays, sets, maps and generators come as they are", () => {
    expect([...lab.progress([3, 1])]).toEqual([3, 1]);
    expect([...lab.progress(new Set(["a"]))]).toEqual(["a"]);
    expect([...lab.progress(new Map([["a", 1]]))]).toEqual([["a", 1]]);
    expect([...lab.progress(generated(3))]).toEqual([0, 1, 2]);
  });

  it("of a number are the numbers below it", () => {
    expect([...lab.progress(3)]).toEqual([0, 1, 2]);
  });

  it("of an async iterable are awaited", async () => {
    const rows: string[] = [];
    for await (const row of lab.progress(arriving(2))) rows.push(row);
    expect(rows).toEqual(["row 0", "row 1"]);
  });

  it("of a DataLoader are its batches, whose number is known", () => {
    const loader = new data.DataLoader(new data.TensorDataset(torch.arange(6)), { batchSize: 2 });
    for (const _ of lab.progress(loader, { unit: "batches" })) take(300);
    expect(seen()).toEqual(["3 batches in 900 ms, 3.33 a second"]);
  });

  it("keep their types", () => {
    expectTypeOf(lab.progress([1, 2])).toExtend<Iterable<number>>();
    expectTypeOf(lab.progress(5)).toEqualTypeOf<Iterable<number>>();
    expectTypeOf(lab.progress(arriving(1))).toExtend<AsyncIterable<string>>();
    expectTypeOf(lab.progress(new Map<string, Date>())).toExtend<Iterable<[string, Date]>>();
  });

  it("may be passed through again", () => {
    const twice = lab.progress([1, 2]);
    expect([...twice, ...twice]).toEqual([1, 2, 1, 2]);
  });
});

describe("in a notebook", () => {
  it("a loop of less than half a second shows nothing", () => {
    for (const _ of lab.progress(49)) take(10);
    expect(sink.shown).toEqual([]);
  });

  it("shows count, share, rate and time left, in one output that is replaced", () => {
    for (const _ of lab.progress(100, { description: "train", unit: "batches" })) take(100);
    expect(lines()[0]).toBe("train: 5 of 100 batches (5%), 10 a second, 9.5 s left");
    expect(seen()).toEqual(["train: 100 batches in 10 s, 10 a second"]);
    expect(new Set(sink.shown.map(({ options }) => options.displayId)).size).toBe(1);
  });

  it("draws four times a second at most", () => {
    for (const _ of lab.progress(10_000)) take(1);
    // Half a second of silence, then 38 quarters, and the end.
    expect(sink.shown).toHaveLength(1 + 38 + 1);
  });

  it("has a bar while the number of items is known, and none at the end", () => {
    for (const _ of lab.progress(10)) take(100);
    const html = sink.shown.map(({ data: bundle }) => String(bundle["text/html"]));
    expect(html[0]).toContain('<progress value="0.500" max="1"');
    expect(html.at(-1)).not.toContain("<progress");
  });

  it("counts without a share where the number is not known", () => {
    for (const _ of lab.progress(generated(10))) take(100);
    expect(lines()[0]).toBe("5 in 500 ms, 10 a second");
    expect(seen()).toEqual(["10 in 1 s, 10 a second"]);
  });

  it("takes the number from the option total, until more items come", () => {
    for (const _ of lab.progress(generated(4), { total: 2 })) take(300);
    expect(lines()).toEqual([
      "2 of 2 (100%), 3.33 a second, 0 ms left",
      "3 in 900 ms, 3.33 a second",
      "4 in 1.2 s, 3.33 a second",
      "4 in 1.2 s, 3.33 a second",
    ]);
  });

  it("says how long one takes where there is less than one a second", () => {
    for (const _ of lab.progress(3)) take(4000);
    expect(seen()).toEqual(["3 in 12 s, 4 s each"]);
  });

  it("writes a description as text, not as markup", () => {
    for (const _ of lab.progress(2, { description: "<b>" })) take(400);
    expect(String(sink.shown[0]!.data["text/html"])).toContain("&lt;b&gt;: 2 of 2");
  });
});

describe("a loop that is left early", () => {
  it("by break says where it stopped", () => {
    for (const item of lab.progress(100)) {
      if (item === 37) break;
      take(20);
    }
    expect(seen()).toEqual(["stopped at 37 of 100 after 740 ms, 50 a second"]);
  });

  it("by a throw says where it stopped, and throws", () => {
    const failing = () => {
      for (const item of lab.progress([1, 2, 3])) {
        take(400);
        if (item === 3) throw new Error("no");
      }
    };
    expect(failing).toThrow("no");
    expect(seen()).toEqual(["stopped at 2 of 3 after 1.2 s, 1.67 a second"]);
  });

  it("because its source failed says so too", async () => {
    async function* failing() {
      yield 1;
      take(900);
      throw new Error("lost");
    }
    const read = async () => {
      for await (const _ of lab.progress(failing(), { unit: "rows" }));
    };
    await expect(read()).rejects.toThrow("lost");
    expect(seen()).toEqual(["stopped at 1 rows after 900 ms, 1.11 a second"]);
  });

  it("and soon shows nothing", () => {
    for (const _ of lab.progress(100)) break;
    expect(sink.shown).toEqual([]);
  });
});

describe("loops within each other", () => {
  it("stand below each other in one output, and an inner one takes the place of the one before", () => {
    for (const _ of lab.progress(3, { description: "epoch" }))
      for (const __ of lab.progress(10, { description: "batch" })) take(100);
    expect(seen()).toEqual(["epoch: 3 in 3 s, 1 a second\nbatch: 10 in 1 s, 10 a second"]);
  });

  it("that are too short to be shown leave the outer line alone", () => {
    for (const _ of lab.progress(10, { description: "epoch" })) for (const __ of lab.progress(10)) take(10);
    expect(seen()).toEqual(["epoch: 10 in 1 s, 10 a second"]);
  });

  it("both say where a throw stopped them", () => {
    const failing = () => {
      for (const _ of lab.progress(3)) {
        for (const batch of lab.progress(4)) {
          take(300);
          if (batch === 2) throw new Error("no");
        }
      }
    };
    expect(failing).toThrow("no");
    expect(seen()).toEqual(["stopped at 0 of 3 after 900 ms\nstopped at 2 of 4 after 900 ms, 2.22 a second"]);
  });

  it("one after the other have an output each", () => {
    for (let pass = 0; pass < 2; pass++) for (const _ of lab.progress(2)) take(300);
    expect(seen()).toHaveLength(2);
  });
});

it("the epochs of lab.epochs are recorded as ever, and a throw cuts one", () => {
  lab.ledger.clear();
  expect([...lab.epochs(lab.progress(2))]).toEqual([0, 1]);
  expect([...lab.progress(lab.epochs(2))]).toEqual([0, 1]);
  expect(lab.ledger.epochs.map(({ epoch }) => epoch)).toEqual([0, 1, 0, 1]);
});

describe("in a plain program", () => {
  let written: string;
  beforeEach(() => {
    sink.live = false;
    written = "";
    vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  });
  const own = process.stderr.isTTY;
  const setTerminal = (isTTY: boolean) =>
    Object.defineProperty(process.stderr, "isTTY", { value: isTTY, configurable: true, writable: true });
  afterEach(() => setTerminal(own));

  it("a terminal's line is written over, and stays at the end", () => {
    setTerminal(true);
    for (const _ of lab.progress(3)) take(400);
    const [first, ...others] = written.split("\r\u001B[K").slice(1);
    expect(first).toBe("2 of 3 (66%), 2.5 a second, 400 ms left");
    expect(others.at(-1)).toBe("3 in 1.2 s, 2.5 a second\n");
    expect(sink.shown).toEqual([]);
  });

  it("a log gets no carriage return: a line a minute, and the last one", () => {
    setTerminal(false);
    for (const _ of lab.progress(100)) take(1000);
    expect(written).toBe("60 of 100 (60%), 1 a second, 40 s left\n100 in 100 s, 1 a second\n");
  });

  it("a log gets no line for each inner loop", () => {
    setTerminal(false);
    for (const _ of lab.progress(5, { description: "epoch" })) for (const __ of lab.progress(5)) take(200);
    expect(written.split("\n")).toHaveLength(3);
  });
});
