// Transforms of images: torchvision's pixels from torchvision's seeds, batches that equal stacked single images, and
// misuse. The expectations are test/fixtures/images.py's.
import path from "node:path";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { data, nn, torch, type Tensor } from "../../../../lib/index.ts";
import { Draws, withDraws } from "../../../../lib/torch/data/draws.ts";
import { native } from "../../../../lib/torch/engine/native.ts";
import { readFixture } from "../fixtures.ts";
import { refuses } from "../tensor/misuse.ts";

interface Packed {
  readonly dtype: "uint8" | "float32";
  readonly shape: readonly number[];
  readonly zlib: string;
}

const { transformed } = readFixture<{
  transformed: Record<string, { images: readonly Packed[]; next: number }>;
}>("images.json");
const image = data.readImage(path.join(import.meta.dirname, "../../../fixtures/images/rgb.png"));

const t = data.transforms;
const scaled = () => new t.ToDtype("float32", { scale: true });
const TRANSFORMS: Record<string, () => data.transforms.Transform<unknown>> = {
  RandomCrop: () => new t.RandomCrop([12, 16]),
  "RandomCrop, padding 3": () => new t.RandomCrop(20, { padding: 3, fill: 9 }),
  "RandomCrop, padding by side, edge": () =>
    new t.RandomCrop([20, 24], { padding: [1, 4], paddingMode: "edge" }),
  "RandomCrop, padIfNeeded": () => new t.RandomCrop([24, 24], { padIfNeeded: true }),
  RandomHorizontalFlip: () => new t.RandomHorizontalFlip(),
  RandomVerticalFlip: () => new t.RandomVerticalFlip(0.7),
  RandomRotation: () => new t.RandomRotation(25),
  "RandomRotation, bilinear, fill": () =>
    new t.RandomRotation([10, 60], { interpolation: "bilinear", fill: 100 }),
  "RandomRotation, quarter": () => new t.RandomRotation([180, 180]),
  RandomAffine: () => new t.RandomAffine(15, { translate: [0.1, 0.2], scale: [0.8, 1.2], shear: 10 }),
  "RandomAffine, four shears": () =>
    new t.RandomAffine([5, 9], { shear: [-5, 5, -9, 9], interpolation: "bilinear", fill: 3, center: [3, 4] }),
  RandomResizedCrop: () => new t.RandomResizedCrop(14),
  "RandomResizedCrop, nearest": () =>
    new t.RandomResizedCrop([9, 12], { scale: [0.3, 0.6], ratio: [1, 2], interpolation: "nearest" }),
  Resize: () => new t.Resize(11),
  "Resize, both": () => new t.Resize([31, 17]),
  "Resize, maxSize": () => new t.Resize(16, { maxSize: 18 }),
  "Resize, bicubic": () => new t.Resize([10, 30], { interpolation: "bicubic" }),
  CenterCrop: () => new t.CenterCrop(11),
  "CenterCrop, larger": () => new t.CenterCrop([25, 23]),
  Pad: () => new t.Pad([1, 2, 3, 4], { fill: 7 }),
  "Pad, reflect": () => new t.Pad(3, { paddingMode: "reflect" }),
  ColorJitter: () => new t.ColorJitter({ brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.2 }),
  "ColorJitter, contrast alone": () => new t.ColorJitter({ contrast: [0.2, 3] }),
  GaussianBlur: () => new t.GaussianBlur(5),
  "GaussianBlur, two sizes, of floats": () => new t.Compose([scaled(), new t.GaussianBlur([3, 7], 1.5)]),
  RandAugment: () => new t.RandAugment(),
  "RandAugment, strong, bilinear, fill": () =>
    new t.RandAugment(3, 20, 31, { interpolation: "bilinear", fill: 30 }),
  TrivialAugmentWide: () => new t.TrivialAugmentWide(),
  "TrivialAugmentWide, of floats": () => new t.Compose([scaled(), new t.TrivialAugmentWide()]),
  RandomGrayscale: () => new t.RandomGrayscale(0.6),
  RandomInvert: () => new t.RandomInvert(),
  RandomPosterize: () => new t.RandomPosterize(3),
  "RandomPosterize, of floats": () => new t.Compose([scaled(), new t.RandomPosterize(2, 0.7)]),
  RandomSolarize: () => new t.RandomSolarize(128),
  RandomAdjustSharpness: () => new t.RandomAdjustSharpness(2.5),
  RandomAutocontrast: () => new t.RandomAutocontrast(0.8),
  RandomEqualize: () => new t.RandomEqualize(),
  Grayscale: () => new t.Grayscale(),
  "Grayscale, three channels": () => new t.Grayscale(3),
  ToDtype: scaled,
  RandomErasing: () => new t.RandomErasing(0.8, { value: 5 }),
  Normalize: () => new t.Compose([scaled(), new t.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4])]),
  RandomApply: () => new t.RandomApply([new t.RandomVerticalFlip(1), new t.RandomCrop(18)], 0.6),
  Compose: () =>
    new t.Compose([
      new t.RandomCrop(20, { padding: 2 }),
      new t.RandomHorizontalFlip(),
      new t.RandomRotation(10),
      new t.ColorJitter({ brightness: 0.2, contrast: 0.2, saturation: 0.2, hue: 0.1 }),
      scaled(),
      new t.Normalize([0.5], [0.25]),
    ]),
};

function unpack({ dtype, zlib }: Packed): ArrayLike<number> {
  const bytes = inflateSync(Buffer.from(zlib, "base64"));
  return dtype === "uint8" ? bytes : new Float32Array(Uint8Array.from(bytes).buffer);
}

function farthest(actual: Tensor, expected: ArrayLike<number>): number {
  return Math.max(
    ...Array.from(actual.contiguous().data() as Float32Array, (value, i) => Math.abs(value - expected[i]!)),
  );
}

describe("a transform", () => {
  it("is tested for each one that there is", () => {
    const tested = new Set(Object.keys(TRANSFORMS).map((name) => name.split(",")[0]));
    // torchvision's ToTensor takes no tensor: datasets/mnist_dataset.test.ts has ours.
    expect(Object.keys(t).filter((name) => !tested.has(name))).toEqual(["ToTensor", "Transform"]);
  });

  for (const [name, make] of Object.entries(TRANSFORMS)) {
    it(`${name} gives torchvision's images from torchvision's seed, and draws as many random numbers`, () => {
      const { images, next } = transformed[name]!;
      torch.manualSeed(17);
      const transform = make();
      for (const expected of images) {
        const result = transform(image);
        expect([result.dtype, result.shape]).toEqual([expected.dtype, expected.shape]);
        expect(farthest(result, unpack(expected))).toBeLessThan(1e-5);
      }
      expect(torch.rand([]).item()).toBe(Math.fround(next));
    });
  }

  const ofOneSize = ([, { images }]: [string, { images: readonly Packed[] }]) =>
    new Set(images.map(({ shape }) => String(shape))).size === 1;
  for (const [name, { images, next }] of Object.entries(transformed).filter(ofOneSize)) {
    it(`${name} gives each image of a batch what it would give it alone`, () => {
      torch.manualSeed(17);
      const results = TRANSFORMS[name]!().each(torch.stack(images.map(() => image)));
      expect(results.shape).toEqual([images.length, ...images[0]!.shape]);
      for (const [i, expected] of images.entries())
        expect(farthest(results.select(0, i), unpack(expected))).toBeLessThan(1e-5);
      expect(torch.rand([]).item()).toBe(Math.fround(next));
    });
  }

  it("treats a batch alike when it is called as a function", () => {
    const [first, second] = new t.RandomCrop(8)(torch.stack([image, image])).unbind(0) as [Tensor, Tensor];
    expect(first.equal(second)).toBe(true);
  });

  it("is a module: it prints itself, and stands in a Sequential before layers", () => {
    const transform = new t.Compose([new t.RandomCrop(28, { padding: 2 }), scaled()]);
    expect(String(transform)).toBe(
      "Compose(\n  (transforms.0): RandomCrop(size=[28, 28], padding=[2, 2, 2, 2])\n  (transforms.1): ToDtype(dtype=float32, scale=true)\n)",
    );
    const model = new nn.Sequential(new t.CenterCrop(4), scaled(), new nn.Flatten());
    expect(model(image.unsqueeze(0)).shape).toEqual([1, 48]);
  });

  it("stands beside functions, image by image", () => {
    const transform = new t.Compose([new t.CenterCrop(2), (x) => x.to("float32"), (x) => x.mul(2)]);
    expect(transform(image).dtype).toBe("float32");
    expect(transform.each(torch.stack([image, image])).shape).toEqual([2, 3, 2, 2]);
  });

  it("takes a batch of none, and an image of float64", () => {
    expect(new t.RandomCrop(8).each(image.unsqueeze(0).narrow(0, 0, 0)).shape).toEqual([0, 3, 8, 8]);
    expect(new t.RandomRotation(30)(image.to("float64")).dtype).toBe("float64");
  });

  refuses([
    [
      "a number for an image",
      () => new t.RandomCrop(2)(3 as never),
      "TypeError",
      "transforms.RandomCrop: expected an image tensor, got 3.",
    ],
    [
      "a matrix for an image",
      () => new t.RandomCrop(2)(torch.ones([4, 4])),
      "RangeError",
      "transforms.RandomCrop: expected [..., channels, height, width], got [4, 4].",
    ],
    [
      "a single image for a batch",
      () => new t.RandomCrop(2).each(image),
      "RangeError",
      "transforms.RandomCrop: expected [batch, channels, height, width], got [3, 20, 26].",
    ],
    [
      "a crop that is larger than the image",
      () => new t.RandomCrop(30)(image),
      "RangeError",
      "transforms.RandomCrop: a crop of 30 x 30 does not fit into an image of 20 x 26; give padding, or padIfNeeded: true.",
    ],
    [
      "a size of zero",
      () => new t.Resize(0),
      "RangeError",
      "new transforms.Resize: size must be an integer of at least 1, got 0.",
    ],
    [
      "three paddings",
      () => new t.Pad([1, 2, 3]),
      "RangeError",
      "new transforms.Pad: padding takes 1, 2 or 4 numbers, got [1, 2, 3].",
    ],
    [
      "an even kernel",
      () => new t.GaussianBlur([3, 4]),
      "RangeError",
      "new transforms.GaussianBlur: kernelSize must be odd, got [3, 4].",
    ],
    [
      "a strength that there is not",
      () => new t.RandAugment(2, 31),
      "RangeError",
      "new transforms.RandAugment: magnitude must be below numMagnitudeBins, got 31 of 31.",
    ],
    [
      "a probability of two",
      () => new t.RandomHorizontalFlip(2),
      "RangeError",
      "new transforms.RandomHorizontalFlip: p must be at least 0 and at most 1, got 2.",
    ],
    [
      "negative degrees",
      () => new t.RandomRotation(-3),
      "RangeError",
      "new transforms.RandomRotation: degrees must be at least 0, got -3.",
    ],
    [
      "a range the wrong way round",
      () => new t.RandomRotation([5, 3]),
      "RangeError",
      "new transforms.RandomRotation: degrees must be [smaller, larger], got [5, 3].",
    ],
    [
      "a hue beyond half the circle",
      () => new t.ColorJitter({ hue: 0.6 }),
      "RangeError",
      "new transforms.ColorJitter: hue must be at least 0 and at most 0.5, got 0.6.",
    ],
    [
      "jitter of five channels",
      () => new t.ColorJitter({ hue: 0.1 })(torch.ones([5, 2, 2])),
      "RangeError",
      "transforms.ColorJitter: expected images of 1 or 3 channels, got 5.",
    ],
    [
      "normalizing pixels",
      () => new t.Normalize([0.5], [0.5])(image),
      "TypeError",
      'transforms.Normalize: expected floating numbers, got uint8; put new transforms.ToDtype("float32", { scale: true }) before it.',
    ],
    [
      "a deviation of zero",
      () => new t.Normalize([0.5], [0]),
      "RangeError",
      "new transforms.Normalize: std must not be 0, got [0].",
    ],
    [
      "two means for three channels",
      () => new t.Normalize([0.5, 0.5], [1])(image.to("float32")),
      "RangeError",
      "transforms.Normalize: [0.5, 0.5] are for 2 channels, the image has 3.",
    ],
    [
      "no transforms",
      () => new t.Compose([]),
      "TypeError",
      "new transforms.Compose: expected a list of at least one transform or function, got [].",
    ],
    [
      "a misspelt option",
      () => new t.RandomCrop(2, { pad: 3 } as never),
      "TypeError",
      'new transforms.RandomCrop: unknown option "pad"; it takes padding, padIfNeeded, fill, paddingMode.',
    ],
  ]);
});

describe("draws without tensors", () => {
  it("are libtorch's, over the point where its generator makes new words", () => {
    torch.manualSeed(5);
    const expected = Array.from({ length: 700 }, () => torch.rand([1]).item());
    const after = torch.rand([]).item();
    torch.manualSeed(5);
    expect(withDraws((draws) => Array.from({ length: 700 }, () => draws.uniform()))).toEqual(expected);
    expect(torch.rand([]).item()).toBe(after);
  });

  it("of integers, ranges and orders are randint's, uniform_'s and randperm's", () => {
    torch.manualSeed(6);
    const expected = [
      torch.randint(0, 1000, [1]).item(),
      torch.empty([1]).uniform_(-3, 5).item(),
      ...(torch.randperm(7).tolist() as number[]),
    ];
    torch.manualSeed(6);
    const drawn = withDraws((draws) => [draws.integer(1000), draws.uniform(-3, 5), ...draws.permutation(7)]);
    expect(drawn).toEqual(expected);
  });

  it("give the state back as they took it where nothing is drawn", () => {
    const state = native.getRngState("cpu");
    expect(new Draws(Uint8Array.from(state)).state()).toEqual(state);
  });
});
