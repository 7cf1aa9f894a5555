// A right call of everything in `lab`, of comms and of widgets.
import { writeFileSync } from "node:fs";
import { accelerator, AnyWidget, Button, Comm, lab, nn, optim } from "../../../../lib/index.ts";
import { anything, inFolder, ofNames, ones, type RightCalls, under } from "./right_calls.ts";

const measured = { warmup: 0, repeats: 1, calls: 1, repeatMs: 1, deadlineMs: 1000, capture: false };
const frame = { title: "Losses", width: 300, height: 100 };
const lines = { ...frame, x: "step", y: "loss", xScale: "linear", yScale: "log" };
const work = () => void ones(2).add(1);
const SERVER = {
  url: "http://studio:8888/",
  token: "word",
  name: "studio",
  folder: "notebooks",
  patienceSeconds: 60,
};
const ESM = "export default { render() {} };";
const widget = () => new AnyWidget({ esm: ESM, state: ofNames({ count: 1 }) });

function subject() {
  const model = new nn.Linear(2, 1);
  const optimizer = new optim.SGD(model.parameters());
  const step = (batch = 2) => {
    const loss = model(ones(batch, 2)).sum();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { model, optimizer, step };
}

const writer = () => new lab.SummaryWriter("events");

export const labCalls: RightCalls = {
  ...under("lab", {
    benchmark: () => [work, { ...measured, name: "add", device: "cpu" }],
    compare: () => [
      { a: () => work(), b: () => work() },
      { ...measured, devices: ["cpu"], seed: 1 },
    ],
    buckets: () => [
      work,
      {
        ...measured,
        record: { source: "M2", buckets: [{ batch: 1, sequence: 2, ms: 3 }] },
        device: "cpu",
      },
    ],
    shadow: () => [work, { steps: 1, sample: "all", tolerance: 1, seed: 0 }],
    utilization: () => [work, { steps: 1, device: accelerator.currentAccelerator()! }],
    memorySnapshot: () => [work, { maxEvents: 100, everyLine: false }],
    budget: () => [{ build: subject, batch: 4, probes: [1, 2] }],
    decide: () => [
      ofNames({}),
      { thresholds: ofNames({ improvement: 0.2 }), rules: lab.RULES, matrix: ofNames(lab.MATRIX) },
    ],
    architectures: () => [{ device: "cpu", steps: 2, seed: 0, capture: false, only: ["MLP"] }],
    stoppingRule: () => [[]],
    diagnose: () => [{}],
    gates: () => [{}],
    growth: () => [[], "driverBytes"],
    check: () => ["a sum", ofNames({ "it is two": () => true }), { throws: false }],
    claim: () => ["A larger batch takes longer", true, { device: "cpu", repeats: 7, stored: "times.png" }],
    predict: () => ["How long does it take?", ofNames({ finished: "ms" })],
    quiz: () => [
      "Sums",
      [{ question: "1 + 1 =", answer: 2, unit: "", tolerance: 0, because: "Count." }],
      { completeAbove: 0.5 },
    ],
    epochs: () => [2],
    log: () => {
      const { value } = lab.epochs(1)[Symbol.iterator]().next();
      return [ofNames({ loss: value as number }), { reduce: "last" }];
    },
    progress: () => [[1, 2], { description: "train", unit: "batches", total: 2 }],
    SummaryWriter: () => ["events", { comment: "", filenameSuffix: "" }],
    "SummaryWriter#addScalar": () => [writer(), "loss", 1, 2, 3],
    "SummaryWriter#addScalars": () => [writer(), "loss", ofNames({ train: 1 }), 2, 3],
    "SummaryWriter#addHistogram": () => [writer(), "weights", ones(3), 2, 3],
    "SummaryWriter#addImage": () => [writer(), "image", ones(1, 2, 2), 2, { dataformats: "CHW" }],
    "SummaryWriter#addText": () => [writer(), "note", "text", 2, 3],
    "SummaryWriter#addEpochs": () => [writer(), []],
    "SummaryWriter#flush": () => [writer()],
    "SummaryWriter#close": () => [writer()],
    course: () => {
      writeFileSync("01-lesson.ipynb", JSON.stringify({ cells: [] }));
      return [];
    },
    flush: () => [],
    mark: () => ["after forward"],
    memory: () => [],
    parity: () => [
      {
        build: () => subject(),
        devices: ["cpu", "cpu"],
        steps: 1,
        seed: 1,
        tolerances: ofNames({}),
        factors: ofNames({}),
      },
    ],
    syncs: () => [work, { calls: 1, device: "cpu" }],
    trace: () => [() => subject().step(), { device: "cpu" }],
    plot: () => [[1, 2], lines],
    "plot.lines": () => [ofNames({ train: [1, 2], validation: [1] }), frame],
    "plot.points": () => [
      [{ width: 1, loss: 2, optimizer: "SGD" }],
      {
        ...frame,
        x: "width",
        y: "loss",
        color: "optimizer",
        xScale: "linear",
        yScale: "linear",
        fit: "linear",
        error: "loss",
        xTitle: "width in pixels",
        yTitle: "loss",
      },
    ],
    "plot.box": () => [
      [{ width: 1, optimizer: "SGD" }],
      { ...frame, x: "optimizer", y: "width", xTitle: "rule", yTitle: "pixels" },
    ],
    "plot.bars": () => [[1, 2], { ...frame, x: "device", y: "ms", labels: ["cpu", "mps"] }],
    "plot.histogram": () => [ones(2, 3), { ...frame, x: "weight", bins: 4 }],
    "plot.heatmap": () => [
      ones(2, 3),
      {
        ...frame,
        x: "key",
        y: "query",
        value: "weight",
        xLabels: ["a", "b", "c"],
        yLabels: ["a", "b"],
        scheme: "blues",
      },
    ],
    "plot.confusionMatrix": () => [[0, 1], [1, 1], { ...frame, labels: ["cat", "dog"] }],
    "plot.images": () => [
      ones(2, 1, 8, 8),
      { title: "digits", captions: ["7", "1"], columns: 2, normalize: true },
    ],
    "plot.grid": () => [[lab.plot([1, 2])], { title: "Losses", columns: 1 }],
    "plot.live": () => [{ ...frame, x: "step", y: "loss", yScale: "log" }],
    sweep: () => [
      {
        // The matrix is of what the options are, and not of what a sweep measures.
        setup: () => {
          throw new Error("nothing to measure");
        },
        batch: { from: 1, to: 1 },
        grid: ofNames({ width: [1] }),
        device: "cpu",
        capture: false,
        warmupSteps: 1,
        windows: 2,
        windowMs: 1,
        deadlineMs: 1000,
        memoryShare: 0.5,
        seed: 1,
        name: "misuse",
        journal: null,
        restart: true,
      },
    ],
    tune: () => [
      // The matrix is of what the options are: a training that does not use the batch leaves nothing to measure.
      () => subject(),
      {
        batch: 2,
        maxBatch: 4,
        memoryBytes: 1000,
        memoryShare: 0.5,
        only: ["batch"],
        threads: [1],
        numWorkers: [0],
        autocast: ["bfloat16"],
        tolerances: ofNames({}),
        device: "cpu",
        rounds: 1,
        warmupSteps: 1,
        windows: 2,
        windowMs: 1,
        deadlineMs: 1000,
        seed: 1,
        name: "misuse",
        journal: null,
        restart: true,
        show: false,
      },
    ],
    smoke: () => [
      {
        // The call checks the options only, as in a sweep.
        setup: () => {
          throw new Error("nothing to measure");
        },
        point: { batch: 1 },
        device: "cpu",
        deadlineMs: 1000,
        stepsPerEpoch: 1,
      },
    ],
    remote: () => [SERVER],
    remotes: () => [[SERVER]],
    "logbook.file": () => [],
    "logbook.use": () => [inFolder("runs.jsonl")],
    "logbook.record": () => [
      {
        name: "tour",
        dataset: "mnist",
        batch: 4,
        workers: 0,
        amp: "off",
        checkpointing: false,
        closedApps: ["Mail"],
        results: ofNames({ accuracy: 0.9 }),
      },
    ],
    "logbook.draft": () => [{ name: "tour", batch: 4, workers: 0, results: ofNames({ accuracy: 0.9 }) }],
    "logbook.note": () => ["the loss is flat"],
    "logbook.rejected": () => ["a faster loader", "no gain", anything],
    "logbook.read": () => [recorded().file],
    "logbook.runs": () => [recorded().file],
    "logbook.markdown": () => [recorded().file],
    "logbook.diff": () => [ofNames(recorded().entry), ofNames(recorded().entry)],
    "logbook.plot": () => [ofNames({ ...recorded().entry, epochs: EPOCHS })],
    "logbook.command": () => [ofNames(recorded().entry), "systemd", { notebook: "tour.ipynb" }],
  }),
  "Comm#send": () => [
    new Comm("id", "target"),
    ofNames({ step: 1 }),
    { metadata: ofNames({}), buffers: [new Uint8Array(1)] },
  ],
  "Comm#close": () => [new Comm("id", "target"), ofNames({ step: 1 })],
  "Comm#on": () => [new Comm("id", "target"), "message", () => {}],
  "comms.open": () => [
    "target",
    ofNames({ step: 1 }),
    { metadata: ofNames({}), buffers: [new Uint8Array(1)] },
  ],
  "comms.register": () => ["target", () => {}],
  "comms.unregister": () => ["target"],
  AnyWidget: () => [
    { esm: ESM, css: "p {}", state: ofNames({ count: 1 }), accepts: ofNames({ count: () => true }) },
  ],
  "AnyWidget#get": () => [widget(), "count"],
  "AnyWidget#set": () => [widget(), ofNames({ count: 2 })],
  "AnyWidget#on": () => [widget(), "change:count", () => {}],
  "AnyWidget#send": () => [widget(), anything, [new Uint8Array(1)]],
  "AnyWidget#onMessage": () => [widget(), () => {}],
  "AnyWidget#close": () => [widget()],
  Button: () => [{ label: "Press" }],
  "Button#reset": () => [new Button()],
  "Button#onPress": () => [new Button(), () => {}],
  button: () => [{ label: "Press" }],
  Slider: () => [{ label: "lr", value: 0.1, min: 0.01, max: 1, log: true }],
  slider: () => [{ label: "lr", value: 0.1, min: 0.01, max: 1, log: true }],
};

/** As a run has them that was recorded after an epoch loop. */
const EPOCHS = { epoch: [1, 2], wallMs: [2, 1], peakBytes: [64, 64], metrics: { loss: [2, 1] }, perPoint: 1 };

/** A run of the logbook, written once. */
let run: { readonly file: string; readonly entry: ReturnType<typeof lab.logbook.record> } | undefined;
const recorded = () => {
  const file = lab.logbook.use(inFolder("runs.jsonl"));
  return (run ??= { file, entry: lab.logbook.record({ name: "tour" }) });
};
