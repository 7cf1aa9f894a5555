// The profiler: what it records of a model's step, averages and their table, stacks, memory, traces, and misuse.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { nn, torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const { Profile, profile, recordFunction, schedule } = torch.profiler;
const model = new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU());
const x = torch.randn([2, 4]);
const namesOf = (made: InstanceType<typeof Profile>) => made.events().map(({ name }) => name);

describe("a profile", () => {
  it("records operators with those that they call, and the nodes of backward", () => {
    const made = profile({}, () => model(x).sum().backward());
    const events = made.events();
    const linear = events.findIndex(({ name }) => name === "aten::linear");
    expect(events[linear]!.parent).toBe(-1);
    const inside = events.filter(({ parent }) => parent === linear).map(({ name }) => name);
    expect(inside).toContain("aten::addmm");
    expect(namesOf(made)).toContain("autograd::engine::evaluate_function: AddmmBackward0");
    const node = events.find(({ name }) => name === "AddmmBackward0")!;
    expect(node.scope).toBe("backward");
    for (const { cpuTimeMs, selfCpuTimeMs } of events) {
      expect(selfCpuTimeMs).toBeGreaterThanOrEqual(0);
      expect(selfCpuTimeMs).toBeLessThanOrEqual(cpuTimeMs);
    }
  });

  it("records nothing before and after, and the profiler's own questions neither", () => {
    x.neg();
    const made = profile({ recordShapes: true, profileMemory: true, withStack: true }, () => x.neg());
    x.neg();
    expect(namesOf(made)).toEqual(["aten::neg"]);
  });

  it("names blocks, across which what they call is added up", () => {
    const made = profile({}, () =>
      recordFunction("forward", () => {
        x.neg();
        return recordFunction("inner", () => x.exp());
      }),
    );
    const [forward, , inner] = made.events();
    expect(namesOf(made)).toEqual(["forward", "aten::neg", "inner", "aten::exp"]);
    expect([forward!.scope, inner!.parent]).toEqual(["user", 0]);
    expect(forward!.cpuTimeMs).toBeGreaterThanOrEqual(inner!.cpuTimeMs);
    expect(recordFunction("alone", () => 7)).toBe(7);
  });

  it("knows the shapes of what operators were given", () => {
    const made = profile({ recordShapes: true }, () =>
      torch.cat([x.matmul(torch.ones([4, 3])), torch.ones([1, 3])]),
    );
    expect(made.events().find(({ name }) => name === "aten::matmul")!.inputShapes).toBe("[[2, 4], [4, 3]]");
    expect(made.events().find(({ name }) => name === "aten::cat")!.inputShapes).toBe(
      "[[[2, 3], [1, 3]], []]",
    );
  });

  it("knows what operators left allocated, and what they took themselves", () => {
    const kept: unknown[] = [];
    const made = profile({ profileMemory: true }, () =>
      recordFunction("block", () => {
        const a = torch.zeros([256]);
        kept.push(torch.ones([512]));
        a.dispose();
      }),
    );
    const [block, zeros] = made.events();
    expect([block!.cpuMemoryBytes, zeros!.cpuMemoryBytes, block!.selfCpuMemoryBytes]).toEqual([
      2048, 1024, -1024,
    ]);
  });

  it("leads each operator to the line that called it, and each node to that of its forward", () => {
    const forward = () => x.clone().requiresGrad_().exp();
    const made = profile({ withStack: true }, () => forward().sum().backward());
    const stackOf = (name: string) => made.events().find((event) => event.name === name)!.stack[0];
    expect(stackOf("aten::exp")).toMatch(/^forward \(.*profile\.test\.ts:\d+:\d+\)$/);
    expect(stackOf("ExpBackward0")).toBe(stackOf("aten::exp"));
  });

  it("goes on over an await, and ends where the function throws", async () => {
    const made = await profile({}, async () => {
      await Promise.resolve();
      x.neg();
    });
    expect(namesOf(made)).toEqual(["aten::neg"]);
    expect(() =>
      profile({}, () => {
        throw new Error("inside");
      }),
    ).toThrow("inside");
    await expect(profile({}, async () => Promise.reject(new Error("late")))).rejects.toThrow("late");
    expect(namesOf(profile({}, () => x.exp()))).toEqual(["aten::exp"]);
  });

  it("stops by hand, within a named block too", () => {
    const made = new Profile();
    made.start();
    recordFunction("open", () => {
      x.neg();
      made.stop();
      x.exp();
    });
    expect(namesOf(made)).toEqual(["open", "aten::neg"]);
    const disposed = new Profile();
    {
      using _ = disposed;
      disposed.start();
      x.exp();
    }
    expect(namesOf(disposed)).toEqual(["aten::exp"]);
  });
});

describe("a schedule", () => {
  it("keeps the active steps of each cycle, and hands them over", () => {
    const seen: string[][] = [];
    const made = profile(
      {
        schedule: schedule({ wait: 1, warmup: 1, active: 2, repeat: 2 }),
        onTraceReady: (ready) => seen.push(namesOf(ready)),
      },
      (running) => {
        for (let step = 0; step < 10; step++) {
          x.neg();
          running.step();
        }
      },
    );
    const cycle = (a: number) => [`ProfilerStep#${a}`, `ProfilerStep#${a + 1}`, "aten::neg", "aten::neg"];
    expect(seen).toEqual([cycle(2), cycle(6)]);
    expect(made.stepNum).toBe(10);
    expect(made.events()[2]!.parent).toBe(0);
  });

  it("hands over what there is where the loop ends early", () => {
    const made = profile({ schedule: schedule({ active: 5 }) }, () => x.neg());
    expect(namesOf(made)).toEqual(["ProfilerStep#0", "aten::neg"]);
  });
});

describe("averages", () => {
  const made = profile({ recordShapes: true, profileMemory: true, withStack: true }, () => {
    for (let i = 0; i < 3; i++) x.neg();
    torch.ones([8, 8]).matmul(torch.ones([8, 8]));
    torch.ones([2]).neg();
  });

  it("add up the events of one name, or of one name and shapes", () => {
    const add = made.keyAverages().find(({ key }) => key === "aten::neg")!;
    expect(add.count).toBe(4);
    expect(add.cpuTimeAverageMs).toBeCloseTo(add.cpuTimeMs / 4, 12);
    const byShape = made.keyAverages({ groupByInputShape: true }).filter(({ key }) => key === "aten::neg");
    expect(byShape.map(({ inputShapes, count }) => [inputShapes, count])).toEqual([
      ["[[2, 4]]", 3],
      ["[[2]]", 1],
    ]);
    const byLine = made.keyAverages({ groupByStackN: 1 }).filter(({ key }) => key === "aten::neg");
    expect(byLine.map(({ count }) => count)).toEqual([3, 1]);
  });

  it("are a table, sorted by any column, with so many rows", () => {
    const rows = made.keyAverages();
    const lines = rows.table({ sortBy: "count", rowLimit: 2 }).split("\n");
    expect(lines[1]).toMatch(
      /^ +Name +Self CPU % +Self CPU +CPU total % +CPU total +CPU time avg +CPU Mem +Self CPU Mem +# of Calls$/,
    );
    expect(lines[3]).toMatch(/^ +aten::neg( +[\d.]+(%|us|ms)){5} +\d+ B +\d+ B +4$/);
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toMatch(/^Self CPU time total: [\d.]+(us|ms)$/);
    for (const sortBy of ["selfCpuTimeMs", "cpuTimeMs", "cpuMemoryBytes", "cpuTimeAverageMs"] as const) {
      const largest = rows.reduce((max, row) => (row[sortBy] > max[sortBy] ? row : max));
      expect(rows.table({ sortBy, rowLimit: 1 }).split("\n")[3]).toContain(largest.key);
    }
    for (const [ofPytorch, own] of [
      ["self_cpu_time_total", "selfCpuTimeMs"],
      ["cpu_time_total", "cpuTimeMs"],
      ["cpu_time", "cpuTimeAverageMs"],
      ["self_cpu_memory_usage", "selfCpuMemoryBytes"],
      ["cuda_time_total", "deviceTimeMs"],
    ] as const)
      expect(rows.table({ sortBy: ofPytorch })).toBe(rows.table({ sortBy: own }));
    expect(rows.table({ maxNameColumnWidth: 8 })).toContain("aten:...");
  });

  it("have a self time whose sum is the whole", () => {
    const outermost = made.events().filter(({ parent }) => parent < 0);
    const whole = outermost.reduce((sum, { cpuTimeMs }) => sum + cpuTimeMs, 0);
    expect(made.keyAverages().selfCpuTimeTotalMs).toBeCloseTo(whole, 6);
  });
});

describe("exportChromeTrace", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-trace-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("writes events that nest, with shapes, lines and the arrows from forward to backward", () => {
    const file = path.join(folder, "trace.json");
    profile({ recordShapes: true, withStack: true }, () => model(x).sum().backward()).exportChromeTrace(file);
    const { traceEvents } = JSON.parse(readFileSync(file, "utf8")) as {
      traceEvents: {
        ph: string;
        name: string;
        cat: string;
        ts: number;
        dur: number;
        id: number;
        args: object;
      }[];
    };
    const linear = traceEvents.find(({ name }) => name === "aten::linear");
    const addmm = traceEvents.find(({ name }) => name === "aten::addmm");
    expect(linear).toMatchObject({
      ph: "X",
      cat: "cpu_op",
      args: { "Input Dims": [[2, 4], [8, 4], [8]], "Call stack": expect.stringContaining("profile.test.ts") },
    });
    expect(addmm!.ts).toBeGreaterThanOrEqual(linear!.ts);
    expect(addmm!.ts + addmm!.dur).toBeLessThanOrEqual(linear!.ts + linear!.dur + 0.002);
    const arrows = traceEvents.filter(({ cat }) => cat === "fwdbwd");
    expect(arrows.length).toBeGreaterThan(0);
    expect(arrows.filter(({ ph }) => ph === "s")).toHaveLength(arrows.length / 2);
  });
});

describe("misuse", () => {
  refuses([
    [
      "no function",
      () => profile({}, 1 as never),
      "TypeError",
      "profiler.profile: expected a function to run, as profile({}, () => model(x)), got 1.",
    ],
    [
      "an unknown option",
      () => new Profile({ shapes: true } as never),
      "TypeError",
      'profiler.profile: unknown option "shapes"; it takes activities, schedule, onTraceReady, recordShapes, profileMemory, withStack.',
    ],
    [
      "a schedule that is no function",
      () => new Profile({ schedule: {} as never }),
      "TypeError",
      "profiler.profile: schedule must be a function, got an object.",
    ],
    [
      "an option that is no boolean",
      () => new Profile({ recordShapes: 1 as never }),
      "TypeError",
      "profiler.profile: recordShapes must be true or false, got 1.",
    ],
    [
      "a device that is not here",
      () => new Profile({ activities: ["cpu", "cuda:7"] }),
      "RangeError",
      "The device cuda:7 is not available here; ...",
    ],
    [
      "no activities",
      () => new Profile({ activities: [] }),
      "TypeError",
      'profiler.profile: activities must be an array of devices, as ["cpu"], got [].',
    ],
    [
      "a profile within another",
      () => profile({}, () => profile({}, () => x.neg())),
      "TypeError",
      "profiler: another profile is running: stop it first.",
    ],
    [
      "a step without a start",
      () => new Profile().step(),
      "TypeError",
      "profiler: step() needs a profile that was started.",
    ],
    [
      "a stop without a start",
      () => new Profile().stop(),
      "TypeError",
      "profiler: stop() needs a profile that was started.",
    ],
    [
      "a column that is not there",
      () =>
        profile({}, () => x.neg())
          .keyAverages()
          .table({ sortBy: "self" as never }),
      "TypeError",
      'table: sortBy must be one of "count", "cpuTimeMs", ...',
    ],
    [
      "a block without a name",
      () => recordFunction(1 as never, () => 1),
      "TypeError",
      'profiler.recordFunction: expected a name and a function, as recordFunction("forward", () => model(x)), got 1 and a function.',
    ],
    [
      "a trace without a path",
      () => new Profile().exportChromeTrace("" as never),
      "TypeError",
      'exportChromeTrace: expected a path, got "".',
    ],
  ]);
});

describe("torch.compile", () => {
  it("says why there is none, and what helps instead", () => {
    expect(() => torch.compile(model)).toThrow(
      expect.objectContaining({
        name: "UnavailableError",
        message: expect.stringMatching(
          /^torch\.compile is not available: .* What helps instead: torch\.capture\(step\), .*torch\.profiler/,
        ),
      }),
    );
  });
});
