// The soak itself: its schedule, its model and its rule find what they must find, and a short soak of a real kernel passes
// through every fault once.
import { describe, expect, it } from "vitest";
import { newRequest, type Message } from "../../kernel/protocol/messages.ts";
import { seededRandom } from "../../lib/statistics/seeded_random.ts";
import { EVERY_KIND } from "./cells.ts";
import { type Row, verdictsOf } from "./figures.ts";
import { judge, trendOf, type Sample } from "./flatness.ts";
import { Answers } from "./model/answers.ts";
import { AcknowledgedCells } from "./model/history.ts";
import { Variables } from "./model/variables.ts";
import { readOptions } from "./options.ts";
import type { ProcessName } from "./processes.ts";
import { reportOf } from "./report.ts";
import { type FaultKind, FAULTS, schedule, type Step } from "./schedule.ts";
import { soak } from "./soak.ts";

function firstSteps(count: number, seed: number, faults: readonly FaultKind[] = FAULTS): Step[] {
  const steps = schedule(seed, EVERY_KIND, faults, { min: 1, max: 5 });
  return Array.from({ length: count }, () => steps.next().value);
}
const named = (steps: readonly Step[]) =>
  steps.map((step) => (step.type === "cell" ? step.cell.code : `fault ${step.kind} ${step.random()}`));
const faultsOf = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.type === "fault" ? [step.kind] : []));

describe("the schedule", () => {
  it("is the same for a seed, with what its faults draw, and another for another one", () => {
    expect(named(firstSteps(200, 7))).toEqual(named(firstSteps(200, 7)));
    expect(named(firstSteps(200, 7))).not.toEqual(named(firstSteps(200, 8)));
  });

  it("brings every fault once before one comes again", () => {
    const faults = faultsOf(firstSteps(400, 3));
    for (let start = 0; start + FAULTS.length <= faults.length; start += FAULTS.length)
      expect(faults.slice(start, start + FAULTS.length).toSorted()).toEqual(FAULTS.toSorted());
    expect(faults.length).toBeGreaterThan(2 * FAULTS.length);
  });

  it("leaves a session alone for 50,000 cells once in 300 faults, so that its growth can be judged", () => {
    const steps = firstSteps(60_000, 1).map(({ type }) => type);
    const calm = steps.findIndex(
      (type, index) => type === "cell" && steps.slice(index, index + 50_000).every((one) => one === "cell"),
    );
    expect(steps.slice(0, calm).filter((type) => type === "fault")).toHaveLength(299);
  });

  it("brings the named faults alone, or none", () => {
    expect(new Set(faultsOf(firstSteps(100, 1, ["kill", "slow"])))).toEqual(new Set(["kill", "slow"]));
    expect(faultsOf(firstSteps(100, 1, []))).toEqual([]);
  });
});

describe("the command line", () => {
  it("asks for 50,000 cells with every fault, unless it says otherwise", () => {
    expect(readOptions([])).toEqual({
      hours: null,
      cells: 50_000,
      seed: 1,
      faults: FAULTS,
      kinds: EVERY_KIND,
    });
  });

  it("takes hours, a seed, faults and kinds", () => {
    const words = "--hours 0.5 --seed 9 --faults kill,disk --kinds print".split(" ");
    const expected = { hours: 0.5, cells: null, seed: 9, faults: ["kill", "disk"], kinds: ["print"] };
    expect(readOptions(words)).toEqual(expected);
    expect(readOptions(["--faults", "none"]).faults).toEqual([]);
  });

  it.each([
    ["--faults flood", 'There is no fault "flood": choose from kill, stop, disk, reload, slow, debugger.'],
    ["--kinds poem", 'There is no kind "poem": choose from declaration,'],
    ["--hours soon", '--hours is a number above 0, not "soon".'],
    ["--seed x", '--seed is a whole number, not "x".'],
    ["--day 1", "Unknown option '--day'"],
  ])("refuses %s", (words, message) => {
    expect(() => readOptions(words.split(" "))).toThrow(message);
  });
});

describe("the model of the history", () => {
  const acknowledged = (...texts: string[]): AcknowledgedCells => {
    const cells = new AcknowledgedCells();
    texts.forEach((text, index) => cells.acknowledged(index + 1, text));
    return cells;
  };
  const rows = (...texts: string[]) => texts.map((text, index) => ({ line: index + 1, text }));

  it("agrees with a file that holds every cell, in parts and as a whole", () => {
    const cells = acknowledged("a", "b");
    cells.compare(rows("a", "b"));
    cells.acknowledged(3, "c");
    cells.compare([{ line: 3, text: "c" }]);
    cells.compareWhole(rows("a", "b", "c"));
  });

  it.each([
    ["a lost cell", rows("a"), "Cell [2] was acknowledged and is not in the history: b"],
    ["a cell that is lost in the middle", rows("a", "b").slice(1), "Cell [1] was acknowledged as"],
    ["another text", rows("a", "B"), 'the history has [2] "B"'],
    ["another order", rows("a", "b").toReversed(), "Cell [1] was acknowledged as"],
    ["a cell too many", rows("a", "b", "c"), "1 cells more than were acknowledged"],
  ])("finds %s", (_, found, message) => {
    expect(() => acknowledged("a", "b").compare(found)).toThrow(message);
  });

  it("finds a cell that is lost after it was seen", () => {
    const cells = acknowledged("a", "b");
    cells.compare(rows("a", "b"));
    expect(() => cells.compareWhole(rows("a"))).toThrow("The history has 1 cells, and 2 were acknowledged.");
    expect(() => cells.compareWhole(rows("a", "c"))).toThrow("is not what it was");
  });

  it("finds a number that is given twice, or left out", () => {
    expect(() => acknowledged("a").acknowledged(1, "b")).toThrow("the number 1 after the number 1");
    expect(() => acknowledged("a").acknowledged(3, "b")).toThrow("the number 3 after the number 1");
  });
});

describe("the model of answers", () => {
  const request = newRequest("soak", "execute_request", {});
  const answer = (type: string, content = {}): Message => ({
    ...newRequest("kernel", type, content),
    parent_header: request.header,
  });
  const reply = answer("execute_reply");
  const idle = answer("status", { execution_state: "idle" });
  const id = request.header.msg_id;

  it("wants one reply and one idle", () => {
    const answers = new Answers();
    [answer("status", { execution_state: "busy" }), reply, idle].forEach((message) => answers.take(message));
    answers.settled(id);
  });

  it.each([
    ["a second reply", [reply, idle, reply], "was answered 2 times"],
    ["a second idle", [reply, idle, idle], "became idle 2 times"],
    ["no reply", [idle], "got 0 replies and 1 idles"],
    ["no idle", [reply], "got 1 replies and 0 idles"],
  ])("finds %s", (_, messages, sentence) => {
    const answers = new Answers();
    expect(() => {
      messages.forEach((message) => answers.take(message));
      answers.settled(id);
    }).toThrow(sentence);
  });
});

describe("the model of variables", () => {
  it("asks for what was assigned, and finds another value", () => {
    const variables = new Variables();
    variables.assigned({ a: 1, b: "two" });
    variables.assigned({ a: 3 });
    expect(variables.question).toBe("console.log(JSON.stringify([a, b]));");
    variables.compare('[3,"two"]\n');
    expect(() => variables.compare('[1,"two"]\n')).toThrow('The variables a, b must be [3,"two"]');
  });

  it("after a kill expects what the snapshot held, and nothing later", () => {
    const variables = new Variables();
    variables.assigned({ a: 1 });
    variables.saved();
    variables.assigned({ a: 2, b: 2 });
    variables.lost();
    expect(variables.question).toBe("console.log(JSON.stringify([]));");
    variables.restored();
    variables.compare("[1]\n");
  });
});

describe("the rule of flatness", () => {
  const random = seededRandom(5);
  /** Noise of 2 MB around 100, and a growth for each thousand cells. */
  const samples = (growth: number): Sample[] =>
    Array.from({ length: 100 }, (_, index) => ({
      cells: index * 500,
      value: 100 + 2 * (random() - 0.5) + (growth * index) / 2,
    }));

  it("takes noise for flat, and finds a planted leak of 0.5 MB in a thousand cells", () => {
    expect(judge(trendOf([samples(0)]), 0.1)).toBe("flat");
    const leak = trendOf([samples(0.5)]);
    expect(judge(leak, 0.1)).toBe("grows");
    expect(leak!.slope).toBeCloseTo(0.5, 1);
    expect(leak!.low).toBeLessThan(0.5);
    expect(leak!.high).toBeGreaterThan(0.5);
  });

  it("leaves out the first half, in which caches fill", () => {
    const filling = samples(0).map(({ cells, value }) => ({
      cells,
      value: value + Math.min(cells, 20_000) / 200,
    }));
    expect(judge(trendOf([filling]), 0.1)).toBe("flat");
  });

  it("does not decide on few samples, nor within the noise", () => {
    expect(judge(trendOf([samples(0.5).slice(0, 6)]), 0.1)).toBe("not decided");
    expect(judge(trendOf([samples(0.1)]), 0.1)).toBe("not decided");
  });

  it("has one slope for sessions that followed each other, however far apart they begin", () => {
    const session = (level: number, leak: number) =>
      samples(leak).map(({ cells, value }) => ({ cells: cells + level * 1000, value: value + level }));
    expect(judge(trendOf([session(0, 0), session(90, 0)]), 0.1)).toBe("flat");
    const one = trendOf([session(0, 0.5)])!;
    const both = trendOf([session(0, 0.5), session(-90, 0.5)])!;
    expect(judge(both, 0.1)).toBe("grows");
    expect(both.high - both.low).toBeLessThan(one.high - one.low);
  });

  it("has Student's 95% interval, where samples are few", () => {
    // The last half has the slope 1.4 with the standard error 0.3266, and 3 degrees of freedom, whose quantile is 3.182.
    const values = [0, 0, 0, 0, 1, 2, 5, 4, 7].map((value, index) => ({ cells: index * 1000, value }));
    const { slope, low, high, samples: count } = trendOf([values])!;
    expect(count).toBe(5);
    expect(slope).toBeCloseTo(1.4, 6);
    expect(high - slope).toBeCloseTo(0.3266 * 3.182, 1);
    expect(slope - low).toBeCloseTo(0.3266 * 3.182, 1);
  });

  it("has an interval that holds the true slope as often as it says, also where samples follow each other", () => {
    // As an allocator makes it: each sample is 0.8 of the one before, and a draw.
    const dependent = (): Sample[] => {
      let noise = 0;
      return Array.from({ length: 500 }, (_, index) => {
        noise = 0.8 * noise + random() - 0.5;
        return { cells: index * 100, value: 0.3 * (index / 10) + noise };
      });
    };
    const trends = Array.from({ length: 1000 }, () => trendOf([dependent()])!);
    const held = trends.filter(({ low, high }) => low <= 0.3 && 0.3 <= high).length;
    expect(held).toBeGreaterThan(900);
    expect(held).toBeLessThan(980);
  });

  it("of the kernel compares moments in which its session is young, and with one session all of them", () => {
    /** A kernel that takes 1 MB for each 1,000 cells of its session. */
    const rows = (cellsOfSession: number) =>
      Array.from({ length: 400 }, (_, at) => at * 100).flatMap((cells) => {
        const session = Math.floor(cells / cellsOfSession);
        const rowOf = (name: ProcessName, pid: number, heap: number): Row => {
          const figures = { heap, anonymous: 100, resident: 150, external: 1, descriptors: 20 };
          return { cells, hours: cells / 36_000, name, pid, figures };
        };
        const held = (cells - session * cellsOfSession) / 1000;
        return [rowOf("kernel", 1, 10 + held), rowOf("session", 100 + session, 20)];
      });
    const heapOf = (cellsOfSession: number) =>
      verdictsOf(rows(cellsOfSession)).find(({ name }) => name.startsWith("kernel: V8 heap"))!.judgement;
    expect(heapOf(9_500)).toBe("flat");
    expect(heapOf(40_000)).toBe("grows");
  });
});

it.runIf(process.platform === "linux")(
  "a short soak passes through every fault, and reports it",
  async () => {
    // With this seed every fault comes once until the soak is interrupted, and two sessions are killed: under a training
    // loop, and on a full disk.
    const options = readOptions(["--cells", "1000", "--seed", "332"]);
    const interrupt = new AbortController();
    const told: string[] = [];
    const result = await soak(options, {
      scale: { pauseMs: 300, printedMegabytes: 20 },
      gap: { min: 2, max: 4 },
      figuresEvery: 10,
      told: (line) => {
        if (told.push(line) === FAULTS.length) interrupt.abort();
      },
      signal: interrupt.signal,
    });
    expect(result.violation).toBeNull();
    expect([...result.recoveries.keys()].toSorted()).toEqual(FAULTS.toSorted());
    expect([...result.recoveries.values()].every((times) => times.length >= 1)).toBe(true);
    const report = reportOf(result);
    expect(report).toContain("nothing that was acknowledged was lost");
    for (const kind of FAULTS) expect(report).toMatch(new RegExp(`^\\| ${kind} \\| 1 \\| \\d+ ms`, "m"));
  },
);
