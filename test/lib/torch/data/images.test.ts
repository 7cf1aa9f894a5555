// Image files into tensors: pixels as Pillow reads them, folders of classes as torchvision reads them, and files that
// are no images.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data, type Tensor } from "../../../../lib/index.ts";
import { readFixture } from "../fixtures.ts";
import { refuses } from "../tensor/misuse.ts";

interface Packed {
  readonly shape: readonly number[];
  readonly zlib: string;
}

const fixture = readFixture<{ decoded: Record<string, Record<"RGB" | "L" | "RGBA", Packed>> }>("images.json");
const folder = path.join(import.meta.dirname, "../../../fixtures/images");
const at = (name: string) => path.join(folder, name);

function expectPixels(image: Tensor, { shape, zlib }: Packed, tolerance = 0): void {
  expect([image.dtype, image.shape]).toEqual(["uint8", shape]);
  const expected = inflateSync(Buffer.from(zlib, "base64"));
  const differences = Array.from(image.data() as Uint8Array, (value, i) => Math.abs(value - expected[i]!));
  expect(Math.max(...differences)).toBeLessThanOrEqual(tolerance);
}

describe("an image file", () => {
  for (const [name, expected] of Object.entries(fixture.decoded)) {
    it(`${name} has Pillow's pixels, as RGB and as gray`, () => {
      expectPixels(data.readImage(at(name), "rgb"), expected.RGB);
      // libjpeg-turbo keeps gray as it is in the file; Pillow, from RGB, rounds: as here.
      expectPixels(data.readImage(at(name), "gray"), expected.L);
      expectPixels(data.readImage(at(name), "rgb_alpha"), expected.RGBA);
    });
  }

  it("is read as it is unless a mode is given, from bytes or from a file", () => {
    const channels = ["rgb.png", "rgba.png", "gray.png", "gray_alpha.png", "rgb.jpg", "gray.jpg"].map(
      (name) => data.decodeImage(readFileSync(at(name))).shape[0],
    );
    expect(channels).toEqual([3, 4, 1, 2, 3, 1]);
    expect(data.readImage(at("rgba.png"), "gray_alpha").shape).toEqual([2, 20, 26]);
  });

  const png = readFileSync(at("rgb.png"));
  const jpeg = readFileSync(at("rgb.jpg"));
  const huge = Buffer.from(png);
  huge.writeUInt32BE(4_000_000_000, 16);
  const flipped = Buffer.from(png);
  flipped[80]! ^= 0xff;
  refuses([
    [
      "text for an image",
      () => data.decodeImage(Buffer.from("GIF89a....")),
      "TypeError",
      "data.decodeImage: the image cannot be read: it is neither a PNG nor a JPEG nor a WebP (it begins with 47 49 46 38); convert it to one of these.",
    ],
    [
      "an empty file",
      () => data.decodeImage(new Uint8Array()),
      "TypeError",
      "data.decodeImage: the image cannot be read: it is neither a PNG nor a JPEG nor a WebP (it is empty); convert it to one of these.",
    ],
    [
      "half a PNG",
      () => data.decodeImage(png.subarray(0, png.length / 2)),
      "RangeError",
      "data.decodeImage: the image cannot be read: it is a PNG that is cut off or damaged (...",
    ],
    [
      "a PNG with a wrong byte",
      () => data.decodeImage(flipped),
      "RangeError",
      "data.decodeImage: the image cannot be read: it is a PNG that is cut off or damaged (...",
    ],
    [
      "a PNG that claims more pixels than memory holds",
      () => data.decodeImage(huge),
      "RangeError",
      "data.decodeImage: the image cannot be read: it is a PNG of 4000000000 x 20 pixels; at most 178956970 are read.",
    ],
    [
      "half a JPEG",
      () => data.decodeImage(jpeg.subarray(0, jpeg.length / 2)),
      "RangeError",
      "data.decodeImage: the image cannot be read: it is a JPEG that is cut off or damaged.",
    ],
    [
      "a JPEG of four inks",
      () => data.readImage(at("cmyk.jpg")),
      "TypeError",
      `data.readImage: ${at("cmyk.jpg")} cannot be read: it is a JPEG of four inks (CMYK), which is not read; save it as RGB.`,
    ],
    [
      "a path for bytes",
      () => data.decodeImage("cat.png" as never),
      "TypeError",
      'data.decodeImage: the file must be its bytes, a Uint8Array or Buffer, got "cat.png".',
    ],
    [
      "an unknown mode",
      () => data.readImage(at("rgb.png"), "bgr" as never),
      "TypeError",
      'data.readImage: mode must be one of "unchanged", "gray", "gray_alpha", "rgb", "rgb_alpha", got "bgr".',
    ],
    [
      "a file that is not there",
      () => data.readImage("/none.png"),
      "Error",
      "data.readImage: there is no file /none.png.",
    ],
  ]);

  it("is read after one that could not be", () => {
    expect(() => data.decodeImage(jpeg.subarray(0, 300))).toThrow("cut off or damaged");
    expectPixels(data.decodeImage(jpeg, "rgb"), fixture.decoded["rgb.jpg"]!.RGB);
  });
});

describe("a folder of images", () => {
  const root = mkdtempSync(path.join(tmpdir(), "mpslab-images-"));
  const put = (name: string, from: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), readFileSync(at(from)));
  };
  beforeAll(() => {
    put("dog/b.png", "rgb.png");
    put("dog/a.PNG", "gray.png");
    put("dog/puppies/1.jpg", "rgb.jpg");
    put("cat/9.jpeg", "progressive.jpg");
    writeFileSync(path.join(root, "cat/notes.txt"), "no image");
    writeFileSync(path.join(root, "readme.txt"), "no class");
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it("has a class for each of its folders, and their images in order, as RGB", () => {
    const images = data.imageFolder(root);
    expect(images.classes).toEqual(["cat", "dog"]);
    expect(images.classToIdx).toEqual({ cat: 0, dog: 1 });
    expect(images.samples.map(([file, target]) => [path.relative(root, file), target])).toEqual([
      ["cat/9.jpeg", 0],
      ["dog/a.PNG", 1],
      ["dog/b.png", 1],
      ["dog/puppies/1.jpg", 1],
    ]);
    expect([images.length, images.targets]).toEqual([4, [0, 1, 1, 1]]);
    const [image, target] = images.get(1);
    expect([image.dtype, image.shape, target]).toEqual(["uint8", [3, 20, 26], 1]);
  });

  it("goes through transforms into batches", () => {
    const { CenterCrop, Compose, ToDtype } = data.transforms;
    const transform = new Compose([new CenterCrop(16), new ToDtype("float32", { scale: true })]);
    const images = data.imageFolder(root, { transform, targetTransform: (target) => target + 10 });
    const [[batch, targets]] = [...new data.DataLoader(images, { batchSize: 4 })] as [[Tensor, Tensor]];
    expect([batch.shape, batch.dtype, targets.tolist()]).toEqual([
      [4, 3, 16, 16],
      "float32",
      [10, 11, 11, 11],
    ]);
  });

  it("takes other files where isValidFile says so, and empty classes where allowEmpty does", () => {
    const pngs = data.imageFolder(root, { isValidFile: (file) => file.endsWith(".png"), allowEmpty: true });
    expect(pngs.samples.map(([file]) => path.basename(file))).toEqual(["b.png"]);
  });

  refuses([
    [
      "a folder that is not there",
      () => data.imageFolder("/none"),
      "Error",
      "data.imageFolder: there is no folder /none.",
    ],
    [
      "a folder without folders",
      () => data.imageFolder(path.join(root, "cat")),
      "RangeError",
      `data.imageFolder: ${path.join(root, "cat")} has no folders; give each class one, as ${path.join(root, "cat", "cat", "1.png")}.`,
    ],
    [
      "a class without images",
      () => data.imageFolder(root, { isValidFile: (file) => file.endsWith(".jpeg") }),
      "RangeError",
      `data.imageFolder: there is no image in dog of ${root} (.jpg, .jpeg, .png, .webp); allowEmpty: true lets a class be empty.`,
    ],
    [
      "no function for a transform",
      () => data.imageFolder(root, { transform: 3 as never }),
      "TypeError",
      "data.imageFolder: transform must be a function, got 3.",
    ],
    [
      "an index beyond its end",
      () => data.imageFolder(root).get(4),
      "RangeError",
      "ImageFolder.get: index 4 is outside a dataset of 4 items.",
    ],
  ]);
});
