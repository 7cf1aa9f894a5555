// Which tensors are shown as images, and what their pictures hold, pixel by pixel.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decode } from "fast-png";
import { installOutputSink, type MimeBundle, outputSink } from "../../../../../lib/display.ts";
import { torch, type Tensor } from "../../../../../lib/index.ts";
import { tensorHtml } from "../../../../../lib/torch/tensor/view/html.ts";
import { refuses } from "../misuse.ts";

const shown: MimeBundle[] = [];
const before = outputSink();
beforeEach(() => installOutputSink({ ...before, display: (data) => void shown.push(data) }));
afterEach(() => {
  installOutputSink(before);
  shown.length = 0;
});

const isImage = (x: Tensor) => (tensorHtml(x) ?? "").includes("<img ");
const bytes = (shape: number[]) => torch.randint(0, 256, shape, { dtype: "uint8" });

describe("a tensor is shown as images", () => {
  it.each<[string, () => Tensor, boolean]>([
    ["bytes [C, H, W]", () => bytes([3, 8, 8]), true],
    ["bytes [N, C, H, W]", () => bytes([2, 1, 28, 28]), true],
    ["bytes [H, W]", () => bytes([16, 16]), true],
    ["floats in [0, 1]", () => torch.rand([3, 8, 8]), true],
    ["with an alpha channel", () => torch.rand([4, 8, 8]), true],
    ["float16", () => torch.rand([3, 8, 8]).half(), true],
    ["floats beyond 1", () => torch.rand([3, 8, 8]).mul(2), false],
    ["floats below 0", () => torch.rand([3, 8, 8]).sub(0.5), false],
    ["whole numbers of 64 bits", () => torch.zeros([3, 8, 8], { dtype: "int64" }), false],
    ["two channels", () => torch.rand([2, 8, 8]), false],
    ["a small matrix", () => torch.rand([8, 8]), false],
    ["a thin one", () => torch.rand([3, 100, 4]), false],
    ["five dimensions", () => torch.rand([1, 1, 3, 8, 8]), false],
  ])("%s: %3$s", (_, make, expected) => {
    expect(isImage(make())).toBe(expected);
  });
});

/** The picture that was shown, as rows of pixels. */
function picture() {
  const png = decode(Buffer.from(shown[0]!["image/png"] as string, "base64"));
  const pixel = (x: number, y: number) => [
    ...png.data.slice((y * png.width + x) * 4, (y * png.width + x) * 4 + 4),
  ];
  return { width: png.width, height: png.height, pixel, text: shown[0]!["text/plain"] };
}

describe("torch.showImages", () => {
  it("draws colours from floats, clipped to [0, 1]", () => {
    torch.showImages(torch.tensor([[[0, 1]], [[0.5, 2]], [[NaN, -1]]]), { scale: 1 });
    const { width, height, pixel, text } = picture();
    expect([width, height, text]).toEqual([2, 1, "1 image"]);
    expect([pixel(0, 0), pixel(1, 0)]).toEqual([
      [0, 128, 0, 255],
      [255, 255, 0, 255],
    ]);
  });

  it("draws greys from one channel, and whole numbers to 255", () => {
    torch.showImages(
      torch.tensor([
        [0, 51],
        [255, 300],
      ]),
      { scale: 1 },
    );
    const { pixel } = picture();
    expect([pixel(0, 0)[0], pixel(1, 0)[2], pixel(0, 1)[1], pixel(1, 1)[0]]).toEqual([0, 51, 255, 255]);
  });

  it("stretches values to the whole range when asked to", () => {
    torch.showImages(
      torch.tensor([
        [-3, -1],
        [0, 1],
      ]),
      { scale: 1, normalize: true },
    );
    const { pixel } = picture();
    expect([pixel(0, 0)[0], pixel(1, 0)[0], pixel(1, 1)[0]]).toEqual([0, 128, 255]);
  });

  it("puts a list of images into a grid with transparent gaps, enlarged", () => {
    torch.showImages(
      [0, 1, 2].map((grey) => torch.full([2, 3], grey / 2)),
      { columns: 2, padding: 1, scale: 2 },
    );
    const { width, height, pixel, text } = picture();
    expect([width, height, text]).toEqual([2 * 6 + 1, 2 * 4 + 1, "3 images"]);
    expect([pixel(0, 0), pixel(6, 0), pixel(7, 0), pixel(0, 5), pixel(7, 5)]).toEqual([
      [0, 0, 0, 255],
      [0, 0, 0, 0],
      [128, 128, 128, 255],
      [255, 255, 255, 255],
      [0, 0, 0, 0],
    ]);
  });

  it("keeps an alpha channel", () => {
    torch.showImages(torch.full([4, 1, 1], 0.2), { scale: 1 });
    expect(picture().pixel(0, 0)).toEqual([51, 51, 51, 51]);
  });

  it("shows the first of many, and says so", () => {
    torch.showImages(bytes([100, 1, 8, 8]));
    expect(picture().text).toBe("the first 64 of 100 images");
  });

  it("takes every n-th pixel of what is larger than a screen", () => {
    torch.showImages(torch.zeros([1, 3000, 3000], { dtype: "uint8" }));
    expect([picture().width, picture().height]).toEqual([1000, 1000]);
  });

  refuses([
    [
      "what is no tensor",
      () => torch.showImages([1] as never),
      "TypeError",
      "torch.showImages: images are a Tensor or an array of Tensors, got 1.",
    ],
    ["no image", () => torch.showImages([]), "RangeError", "torch.showImages: the list holds no image."],
    [
      "a shape of no image",
      () => torch.showImages(torch.zeros([2, 5, 5])),
      "RangeError",
      "torch.showImages: a tensor of shape [2, 5, 5] is no image: it takes [H, W], [C, H, W] or [N, C, H, W] with 1, 3 or 4 channels.",
    ],
    [
      "an image without pixels",
      () => torch.showImages(torch.zeros([3, 0, 5])),
      "RangeError",
      "torch.showImages: a tensor of shape [3, 0, 5] holds no pixels.",
    ],
    [
      "an unknown option",
      () => torch.showImages(torch.zeros([3, 5, 5]), { zoom: 2 } as never),
      "TypeError",
      'torch.showImages: unknown option "zoom"; it takes columns, padding, scale, normalize, displayId.',
    ],
    [
      "a picture beyond all screens",
      () => torch.showImages(torch.zeros([100, 100]), { scale: 1000 }),
      "RangeError",
      "torch.showImages: 100000 by 100000 pixels are too many for a picture; choose a smaller scale than 1000.",
    ],
  ]);
});
