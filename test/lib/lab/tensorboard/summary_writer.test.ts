// Event files, read back by TensorBoard itself, which is installed into an environment of this test's own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { pythonEnvironment } from "../../../helpers/python_environment.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-tensorboard-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tensorboard = pythonEnvironment("tensorboard", "tensorboard==2.21.0");

const READ = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
every = {"scalars": 0, "histograms": 0, "images": 0, "tensors": 0}
found = EventAccumulator(sys.argv[1], size_guidance=every)
found.Reload()
tags = found.Tags()
def histogram(tag):
    value = found.Histograms(tag)[0].histogram_value
    full = [[round(edge, 3), count] for edge, count in zip(value.bucket_limit, value.bucket) if count]
    return [value.min, value.max, value.num, value.sum, value.sum_squares, len(value.bucket), full]
print(json.dumps({
    "scalars": {tag: [[event.step, round(event.value, 4)] for event in found.Scalars(tag)] for tag in tags["scalars"]},
    "histograms": {tag: histogram(tag) for tag in tags["histograms"]},
    "images": {tag: [[event.width, event.height, event.encoded_image_string[:4].decode("latin1")] for event in found.Images(tag)] for tag in tags["images"]},
    "texts": {tag: found.Tensors(tag)[0].tensor_proto.string_val[0].decode() for tag in tags["tensors"]},
    "time": found.Scalars("timed")[0].wall_time if "timed" in tags["scalars"] else None,
}))
`;

function read(run: string): Record<string, unknown> {
  const python = tensorboard.missing === null ? tensorboard.program("python") : "";
  const { stdout, stderr } = spawnSync(python, ["-c", READ, run], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.skipIf(tensorboard.missing !== null)(
  `TensorBoard${tensorboard.missing === null ? "" : `: ${tensorboard.missing}`}`,
  () => {
    test("reads numbers, histograms, images and texts at their steps", () => {
      const run = path.join(folder, "values");
      const writer = new lab.SummaryWriter(run);
      for (let step = 0; step < 3; step++) writer.addScalar("train/loss", torch.tensor(1 / (1 + step)), step);
      writer.addScalar("timed", -2, -1, 1_700_000_000.5);
      writer.addHistogram("weights", torch.tensor([-1, 0, 0.5, 0.5, 2, Infinity]), 1);
      writer.addImage("gray", torch.full([1, 4, 5], 0.5), 2);
      writer.addImage("rows", torch.zeros([4, 6], { dtype: "uint8" }), 0, { dataformats: "HW" });
      writer.addText("note", "**done** ✓");
      expect(read(run)).toEqual({
        scalars: {
          "train/loss": [
            [0, 1],
            [1, 0.5],
            [2, 0.3333],
          ],
          timed: [[-1, -2]],
        },
        histograms: {
          // What PyTorch's own writer counts of these numbers, in as many buckets.
          weights: [
            -1,
            2,
            5,
            2,
            5.5,
            591,
            [
              [-0.917, 1],
              [0, 1],
              [0.518, 2],
              [2.163, 1],
            ],
          ],
        },
        images: { gray: [[5, 4, "\u0089PNG"]], rows: [[6, 4, "\u0089PNG"]] },
        texts: { "note/text_summary": "**done** ✓" },
        time: 1_700_000_000.5,
      });
    });

    test("reads several numbers of one chart as runs of their own", () => {
      const run = path.join(folder, "several");
      using writer = new lab.SummaryWriter(run);
      writer.addScalars("loss/all", { train: 1, valid: torch.tensor(2) }, 4);
      expect(read(path.join(run, "loss_all_valid"))["scalars"]).toEqual({ "loss/all": [[4, 2]] });
    });

    test("reads the metrics of epochs, each once however often they are added", () => {
      const run = path.join(folder, "epochs");
      const writer = new lab.SummaryWriter(run);
      lab.ledger.clear();
      for (const epoch of lab.epochs(3)) {
        lab.log({ accuracy: epoch / 4 });
        writer.addEpochs();
      }
      writer.addEpochs();
      expect(read(run)["scalars"]).toEqual({
        accuracy: [
          [0, 0],
          [1, 0.25],
          [2, 0.5],
        ],
      });
    });
  },
);

test("without a folder there is one for each run, under `runs`", () => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const writer = new lab.SummaryWriter(null, { comment: "_small" });
    expect(writer.logDir).toMatch(/^runs\/[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_.+_small$/);
  } finally {
    process.chdir(before);
  }
});

test.each([
  [
    (writer: lab.SummaryWriter) => writer.addScalar("loss", torch.ones([2])),
    "addScalar: value has the shape [2]; give one number.",
  ],
  [
    (writer: lab.SummaryWriter) => writer.addImage("x", torch.ones([2, 3, 4])),
    "addImage: an image of CHW has 3 dimensions and 1, 3 or 4 channels, got [2, 3, 4].",
  ],
  [(writer: lab.SummaryWriter) => writer.addHistogram("x", [NaN]), "addHistogram: x has no finite value"],
  [
    (writer: lab.SummaryWriter) => {
      writer.close();
      writer.addScalar("loss", 1);
    },
    "addScalar: the writer is closed; make another.",
  ],
])("an error says what is wrong: %s", (run, message) => {
  expect(() => run(new lab.SummaryWriter(path.join(folder, "wrong")))).toThrow(
    `lab.SummaryWriter.${message}`,
  );
});
