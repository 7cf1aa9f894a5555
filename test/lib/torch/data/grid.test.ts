// Images side by side in one, and as PNG files, as torchvision.utils makes them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { data, torch, type Tensor } from "../../../../lib/index.ts";
import { readFixture } from "../fixtures.ts";

interface Packed {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly zlib: string;
}
const { grids } = readFixture<{ grids: { made: Record<string, Packed>; saved: Packed } }>("images.json");
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-grid-"));
afterAll(() => rmSync(folder, { recursive: true }));

const images = (count: number, channels: number): Tensor =>
  torch.linspace(-1, 2, count * channels * 4 * 5).reshape([count, channels, 4, 5]);

const MADE: Readonly<Record<string, () => Tensor>> = {
  "gray, three a row": () => data.makeGrid(images(7, 1), { nrow: 3 }),
  "a list, a light border of 1": () => data.makeGrid([...images(3, 3)], { padding: 1, padValue: 0.5 }),
  stretched: () => data.makeGrid(images(4, 3), { nrow: 2, normalize: true }),
  "stretched each": () => data.makeGrid(images(4, 3), { normalize: true, scaleEach: true }),
  "stretched from 0 to 1.5": () => data.makeGrid(images(2, 1), { normalize: true, valueRange: [0, 1.5] }),
  one: () => data.makeGrid(images(1, 3)),
};

const bytesOf = ({ zlib }: Packed): Uint8Array => Uint8Array.from(inflateSync(Buffer.from(zlib, "base64")));

describe("a grid", () => {
  it.each(Object.entries(grids.made))("of %s is torchvision's", (name, wanted) => {
    const grid = MADE[name]!();
    expect(grid.shape).toEqual(wanted.shape);
    const theirs = new Float32Array(bytesOf(wanted).buffer);
    const apart = Array.from(grid.data() as Float32Array, (value, at) => Math.abs(value - theirs[at]!));
    expect(Math.max(...apart)).toBeLessThan(1e-6);
  });

  it("is a picture of its own: the images stay as they are", () => {
    const one = images(1, 3);
    data.makeGrid(one).fill_(7);
    expect(one.max().item()).toBe(2);
  });
});

describe("an image on the disk", () => {
  it("is read back as torchvision's saveImage has written it", () => {
    const file = path.join(folder, "samples.png");
    data.saveImage(images(5, 1), file, { nrow: 2 });
    const read = data.readImage(file);
    expect(read.shape).toEqual(grids.saved.shape);
    expect(read.data()).toEqual(bytesOf(grids.saved));
  });

  it("is a PNG, and another name says so", () => {
    expect(() => data.saveImage(images(1, 1), path.join(folder, "samples.jpg"))).toThrow(
      /^data\.saveImage: images are written as PNG, to a name that ends in \.png, got ".*samples\.jpg"\.$/,
    );
  });

  it("has 1, 3 or 4 channels, and four dimensions at most", () => {
    expect(() => data.saveImage(torch.rand([2, 4, 4]), path.join(folder, "two.png"))).toThrow(
      "data.saveImage: expected images of 1, 3 or 4 channels, got 2.",
    );
    expect(() => data.makeGrid(torch.rand([1, 1, 1, 4, 4]))).toThrow(
      "data.makeGrid: expected [N, C, H, W], [C, H, W] or [H, W], got [1, 1, 1, 4, 4].",
    );
  });
});
