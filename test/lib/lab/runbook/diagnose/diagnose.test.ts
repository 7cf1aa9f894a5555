// Tests `lab.diagnose`: a real loop provokes each symptom where this machine can, otherwise records as measurements
// give them.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, nn, type Tensor, torch } from "../../../../../lib/index.ts";
import { diagnosisOf } from "../../../../../lib/lab/runbook/diagnose/diagnose.ts";
import {
  type Cause,
  CAUSES,
  SYMPTOMS,
  type SymptomName,
} from "../../../../../lib/lab/runbook/diagnose/symptoms.ts";
import type { Evidence } from "../../../../../lib/lab/runbook/evidence.ts";
import { spreadOf } from "../../../../../lib/statistics/spread.ts";
import { epochRecords } from "../../epoch_records.ts";
import { comparisonOf, sweepOf } from "../../results.ts";

const MIB = 2 ** 20;
const parity = { device: "mps", comparedWith: "cpu" };
const trace = { device: "mps", switches: [] };

/** Nothing is wrong, and everything was looked at. */
const SOUND: Evidence = {
  epochs: epochRecords(14),
  comparison: comparisonOf(100, 20),
  parity: { ...parity, within: true },
  trace,
  operators: [
    { name: "mm", ms: 5 },
    { name: "add", ms: 5 },
  ],
  sweep: sweepOf("mps", [{ batch: 16, samplesPerSecond: 100 }]),
  processes: [],
};

/** Sessions as `ps` lists them. */
const sessions = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    pid: 800 + at,
    name: "/opt/node/v20.20.2/bin/node --max-old-space-size=8192 --import file:///x/dist/loader.js /x/dist/kernel/runtime/host.js",
  }));

const noisySteps = spreadOf([5, 10, 10, 15]);
const PROVOKED: Record<SymptomName, readonly [string, Evidence, RegExp][]> = {
  "fast start then cliff": [
    [
      "epochs that swap after the tenth",
      {
        epochs: epochRecords(20, (epoch) =>
          epoch < 10
            ? {}
            : { wallMs: 600, before: { swapBytes: 512 * MIB, pressure: "warning", driverBytes: 900 * MIB } },
        ),
      },
      /190 ms an epoch, then 600 ms.*512 MiB more swap.*pressure warning/s,
    ],
    [
      "epochs that become slower, and no memory that rises",
      { epochs: epochRecords(20, (epoch) => (epoch < 10 ? {} : { wallMs: 600 })) },
      /^ledger, .*: 190 ms an epoch, then 600 ms$/,
    ],
  ],
  "one slow layer": [
    [
      "an operator that leaves the device",
      {
        trace: {
          ...trace,
          switches: [
            {
              operator: "linalg_svd",
              from: "mps",
              to: "cpu",
              line: "Cell [3]:4",
              cause: "fallback" as const,
            },
          ],
        },
      },
      /linalg_svd leaves mps for the CPU at Cell \[3\]:4/,
    ],
    [
      "an operator with most of the time",
      {
        operators: [
          { name: "scatter", ms: 90 },
          { name: "mm", ms: 10 },
        ],
      },
      /scatter takes 90%/,
    ],
  ],
  "loss drift": [
    [
      "convolution weights beyond tolerance",
      { parity: { ...parity, within: false, groups: [{ group: "convolution weights", within: false }] } },
      /beyond tolerance in convolution weights/,
    ],
    [
      "norm statistics beyond tolerance",
      {
        parity: {
          ...parity,
          within: false,
          groups: [{ group: "norm statistics", within: false, worst: { name: "bn.running_var" } }],
        },
      },
      /beyond tolerance in norm statistics \(worst bn\.running_var\)/,
    ],
  ],
  "speedup near 1": [
    [
      "a step as fast as on the CPU, and nothing else measured",
      { comparison: comparisonOf(100, 95) },
      /^lab\.compare, .*1\.05×$/,
    ],
    [
      "a step as fast as on the CPU, on a device that is idle",
      { comparison: comparisonOf(100, 95), utilization: { value: 0.1, source: "lab.utilization, 3 steps" } },
      /^lab\.utilization, 3 steps: the device is busy 10% of the time$/m,
    ],
    [
      "a loop that asks for the loss in every step",
      {
        comparison: comparisonOf(100, 95),
        syncs: {
          device: "mps",
          hostMsPerCall: 95,
          waitedMsPerCall: 60,
          sites: [{ line: "Cell [3]:9", operation: "item", waitedMsPerCall: 60 }],
        },
      },
      /1\.05×.*item at Cell \[3\]:9 waits 60 ms/s,
    ],
  ],
  "out of memory on the first batch": [
    [
      "a sweep that begins too high",
      { sweep: sweepOf("mps", [{ batch: 512, samplesPerSecond: null }]) },
      /smallest point, batch 512/,
    ],
  ],
  "near the memory limit": [
    [
      "a peak at 95% of the limit",
      { epochs: epochRecords(14, () => ({ before: { peakBytes: 95, recommendedBytes: 100 } })) },
      /95% of the recommended/,
    ],
  ],
  "growing memory": [
    [
      "a loop that keeps tensors",
      {
        epochs: epochRecords(14, (epoch) => ({ after: { allocatedBytes: (10 + epoch) * MIB } })),
        holders: ["losses (1 MiB more in 1 tensor, of Cell [3])"],
      },
      /growing: 1 MiB an epoch, \+90.9% in ten epochs .*, held by losses/,
    ],
    [
      "a list of JavaScript's own values that grows",
      { epochs: epochRecords(14, (epoch) => ({ after: { heapBytes: (20 + epoch) * MIB } })) },
      /no growth: 0% in 12 epochs; tensors are flat, but V8's heap grows: 1 MiB an epoch/,
    ],
    [
      "blocks of the allocator that grow",
      { epochs: epochRecords(14, (epoch) => ({ after: { driverBytes: (20 + 2 * epoch) * MIB } })) },
      /tensors are flat, but the allocator's blocks grow: 2 MiB an epoch/,
    ],
    [
      "a process that grows outside",
      { epochs: epochRecords(14, (epoch) => ({ after: { footprintBytes: (300 + 20 * epoch) * MIB } })) },
      /tensors and V8's heap are flat, but the process grows: 20 MiB an epoch/,
    ],
    [
      "a step that leaves its graph behind",
      {
        sweep: sweepOf("mps", [
          {
            batch: 1,
            samplesPerSecond: 9,
            change: { leak: { bytesPerStep: MIB, holders: ["[512, 512] by exp with its graph"] } },
          },
        ]),
      },
      /1 MiB stay behind at each step: \[512, 512\] by exp with its graph/,
    ],
  ],
  "noisy steps": [
    [
      "epochs that swing, with fallbacks",
      { epochs: epochRecords(14, (epoch) => ({ wallMs: epoch % 2 ? 100 : 160, fallbacks: 2 })) },
      /swing by ±.*26 operators fell back/s,
    ],
    [
      "windows that swing",
      (() => {
        const sweep = sweepOf("mps", [{ batch: 1, samplesPerSecond: 9 }]);
        const [point] = sweep.points;
        const steady = { ...point!.steady!, windows: 4, stepMs: noisySteps, waitMs: 0 };
        return { sweep: { ...sweep, points: [{ ...point!, steady }] } };
      })(),
      /batch 1: steps swing by ±13%$/,
    ],
    [
      "many points that swing: the worst one is told, and how many there are",
      (() => {
        const sweep = sweepOf(
          "mps",
          [1, 2, 4].map((batch) => ({ batch, samplesPerSecond: 9 })),
        );
        const windows = [noisySteps, spreadOf([5, 10, 20, 40]), spreadOf([10, 10, 10, 10])];
        const points = sweep.points.map((point, at) => ({
          ...point,
          steady: { ...point.steady!, windows: 4, stepMs: windows[at]! },
        }));
        return { sweep: { ...sweep, points } };
      })(),
      /batch 2: steps swing by ±54%, the most of 2 such points$/,
    ],
  ],
  "several processes": [
    ["a second session", { processes: [{ pid: 812, name: "node host.js" }] }, /^process 812: node host\.js$/],
    [
      "eleven sessions, in one line",
      { processes: sessions(11) },
      /^11 processes of node runtime\/host\.js: 800, 801, 802, 803, 804 and 6 more$/,
    ],
  ],
};

/** What the evidence shows another cause of than the runbook's, or none. */
const OTHER_CAUSES: Readonly<Record<string, Cause>> = {
  "an operator with most of the time": CAUSES["one operator"],
  "epochs that become slower, and no memory that rises": CAUSES["slow without memory"],
  "convolution weights beyond tolerance": CAUSES["other drift"],
  "a step as fast as on the CPU, and nothing else measured": CAUSES["not faster"],
  "a list of JavaScript's own values that grows": CAUSES["heap grows"],
  "blocks of the allocator that grow": CAUSES["blocks grow"],
  "a process that grows outside": CAUSES["process grows"],
  "windows that swing": CAUSES["swinging windows"],
};

describe("lab.diagnose finds", () => {
  const cases = Object.entries(PROVOKED).flatMap(([symptom, ways]) =>
    ways.map(([way, change, evidence]) => [symptom as SymptomName, way, change, evidence] as const),
  );
  it.each(cases)("%s: %s", (symptom, way, change, evidence) => {
    const { found } = diagnosisOf({ ...SOUND, ...change });
    expect(found.map((one) => one.symptom)).toEqual([symptom]);
    expect(found[0]!.evidence.join("\n")).toMatch(evidence);
    const { hypothesis, question, fix } = OTHER_CAUSES[way] ?? SYMPTOMS[symptom];
    expect(found[0]).toMatchObject({ hypothesis, question, fix });
  });

  it("nothing where all is well", () => {
    expect(diagnosisOf(SOUND)).toEqual({ found: [], absent: Object.keys(SYMPTOMS), open: [] });
  });

  it("shows each piece of evidence in one line, in a terminal and in a notebook", () => {
    const line = "/home/ann/a-rather-long-folder-of-experiments/with/its/own/folders/step.ts:14";
    const left = { operator: "linalg_svd", from: "mps", to: "cpu", line, cause: "fallback" as const };
    const back = { ...left, from: "cpu", to: "mps" };
    const other = Array.from({ length: 7 }, (_, at) => ({ ...left, operator: `special_${at}` }));
    const diagnosis = diagnosisOf({
      ...SOUND,
      processes: sessions(11),
      trace: { ...trace, switches: [...Array.from({ length: 9 }, () => [left, back]).flat(), ...other] },
    });
    expect(diagnosis.found[0]!.evidence[0]).toBe(
      `lab.trace: linalg_svd leaves mps for the CPU at ${line}, 9 times`,
    );
    const text = inspect(diagnosis).split("\n");
    expect(Math.max(...text.slice(0, -1).map(({ length }) => length))).toBeLessThanOrEqual(132);
    expect(text.slice(1, 11).map((one) => one.trim().replaceAll(/ {2,}/g, "  "))).toEqual([
      "symptom",
      "one slow layer  likely  a gap in the kernels of the device",
      expect.stringMatching(
        /^seen  lab\.trace: linalg_svd leaves mps for the CPU at …\/folders\/step\.ts:14, 9 times$/,
      ),
      expect.stringMatching(/^lab\.trace: special_0 leaves mps for the CPU at …\/folders\/step\.ts:14$/),
      expect.stringContaining("special_1"),
      expect.stringContaining("special_2"),
      expect.stringContaining("special_3"),
      "and 3 more",
      "ask first  Which operator leaves the device, or takes most of the step?",
      "do first  Swap the operator for one that the device has; profile again.",
    ]);
    expect(text.filter((one) => one.includes("host.js"))).toHaveLength(1);
    const html = (diagnosis as unknown as Record<symbol, () => Record<string, string>>)[
      Symbol.for("Jupyter.display")
    ]!()["text/html"]!;
    expect(html.match(/<tr/g)).toHaveLength(1 + 9 + 4);
  });

  it("who holds the memory that grows, however long the line", () => {
    const holders = ["losses (4 MiB in 12 tensors), and a closure of trainOneEpoch that is kept by history"];
    const epochs = epochRecords(13, (epoch) => ({ after: { allocatedBytes: (10 + epoch) * MIB } }));
    const text = inspect(diagnosisOf({ ...SOUND, epochs, holders })).replaceAll(/\s+/g, " ");
    expect(text).toContain(`held by ${holders[0]}`);
  });
});

describe("in this session", () => {
  it("a real loop of short epochs that keeps its tensors is growing memory, with records and holder", () => {
    const kept: Tensor[] = [];
    for (const _ of lab.epochs(13)) kept.push(torch.ones([64, 1024]));
    const finding = lab.diagnose().found.find(({ symptom }) => symptom === "growing memory");
    lab.ledger.clear();
    expect(finding?.evidence[0]).toMatch(
      /^ledger, loop \d+, epochs 0 to 12 on .*: growing: 256 KiB an epoch, .*, held by 1 tensor made at .*diagnose\.test\.ts:\d+ \(256 KiB in all, the largest float32 \[64, 1024\]\)$/,
    );
    expect(kept).toHaveLength(13);
  });

  const busyMs = (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until;);
  };
  const QUICK = { warmupSteps: 1, windows: 3, windowMs: 5, journal: null, show: false } as const;
  const of = (symptom: SymptomName, evidence: Evidence) =>
    lab
      .diagnose(evidence)
      .found.find((one) => one.symptom === symptom)
      ?.evidence.join("\n");

  it("a real loop whose steps become slow is a cliff, and none of noise", () => {
    for (const epoch of lab.epochs(10)) busyMs(epoch < 5 ? 5 : 150);
    const { epochs } = lab.ledger;
    expect(of("fast start then cliff", { epochs: [...epochs] })).toMatch(/ ms an epoch, then .* ms/);
    lab.ledger.clear();
  });

  it("a real sweep that begins too high, one that leaks and one that swings are told apart", async () => {
    const tooHigh = await lab.sweep({
      ...QUICK,
      batch: [2 ** 45],
      setup: ({ batch }) => {
        const x = torch.empty([batch]);
        return () => x.sum();
      },
    });
    expect(of("out of memory on the first batch", { sweep: tooHigh })).toMatch(
      /out of memory at its smallest/,
    );
    const kept: Tensor[] = [];
    const leaking = await lab.sweep({
      ...QUICK,
      batch: [1],
      setup: () => () => void kept.push(torch.ones([64, 256]).exp()),
    });
    expect(of("growing memory", { sweep: leaking })).toMatch(
      /64 KiB stay behind at each step: .* by exp at /,
    );
    let step = 0;
    const swinging = await lab.sweep({
      ...QUICK,
      windows: 6,
      windowMs: 0,
      batch: [1],
      setup: () => () => busyMs(step++ % 2 === 0 ? 5 : 50),
    });
    expect(of("noisy steps", { sweep: swinging })).toMatch(/batch 1: steps swing by ±/);
    expect(of("growing memory", { sweep: swinging })).toBeUndefined();
  });

  it("a real reduction in another dtype is a loss that drifts", () => {
    let built = 0;
    const build = () => {
      const dtype = built++ === 0 ? "bfloat16" : "float32";
      const model = new nn.Linear(64, 1);
      return {
        model,
        step: () =>
          model(torch.ones([256, 64]))
            .to(dtype)
            .mul(1.001)
            .sum(),
      };
    };
    const found = of("loss drift", { parity: lab.parity({ build, devices: ["cpu", "cpu"], steps: 1 }) });
    expect(found).toMatch(/^lab\.parity, cpu beside cpu: beyond tolerance/);
  });

  it("a real operator that takes most of a step is a slow layer", async () => {
    const [x, y] = [torch.rand([2 ** 21]), torch.rand([8, 8])];
    // The first product of a process also starts libtorch's threads.
    y.matmul(y);
    const profile = await torch.profiler.profile({}, () => {
      y.matmul(y);
      x.sort();
    });
    const operators = profile.keyAverages().map((event) => ({ name: event.key, ms: event.selfCpuTimeMs }));
    expect(of("one slow layer", { operators })).toMatch(/^profile: aten::sort takes \d+%/);
  });
});
