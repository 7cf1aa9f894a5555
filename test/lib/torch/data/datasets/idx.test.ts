// IDX files: every element type, gzip, MNIST itself, and files that are not what they say.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";

const folder = mkdtempSync(join(tmpdir(), "mpslab-idx-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An IDX file: type byte, sizes, values big-endian. */
function idx(type: number, sizes: readonly number[], values: string): Buffer {
  const header = Buffer.alloc(4 + 4 * sizes.length);
  header[2] = type;
  header[3] = sizes.length;
  for (const [i, size] of sizes.entries()) header.writeUInt32BE(size, 4 + 4 * i);
  return Buffer.concat([header, Buffer.from(values, "hex")]);
}

function file(name: string, content: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("readIdx", () => {
  const types: [string, number, string, unknown[]][] = [
    ["uint8", 0x08, "00ff", [0, 255]],
    ["int8", 0x09, "01ff", [1, -1]],
    ["int16", 0x0b, "0102fffe", [258, -2]],
    ["int32", 0x0c, "00010000fffffffe", [65536, -2]],
    ["float32", 0x0d, "3f800000c0200000", [1, -2.5]],
    ["float64", 0x0e, "3ff0000000000000c004000000000000", [1, -2.5]],
  ];
  for (const [dtype, type, values, expected] of types) {
    it(`reads ${dtype}, big-endian`, () => {
      const tensor = data.readIdx(file(`${dtype}.idx`, idx(type, [2, 1], values)));
      expect(tensor.dtype).toBe(dtype);
      expect(tensor.tolist()).toEqual(expected.map((value) => [value]));
    });
  }

  it("reads gzipped files", () => {
    const path = file("values.idx.gz", gzipSync(idx(0x0b, [3], "000100020003")));
    expect(data.readIdx(path).tolist()).toEqual([1, 2, 3]);
  });

  it("reads a file without values, and one without dimensions", () => {
    expect(data.readIdx(file("empty.idx", idx(0x08, [0, 4], ""))).shape).toEqual([0, 4]);
    expect(data.readIdx(file("scalar.idx", idx(0x08, [], "07"))).item()).toBe(7);
  });

  const read = (name: string, content: Buffer) => () => data.readIdx(file(name, content));
  const at = (name: string) => join(folder, name);
  refuses([
    [
      "a path that is none",
      () => data.readIdx(5 as never),
      "TypeError",
      "readIdx: the path must be a string, got 5.",
    ],
    [
      "a missing file",
      () => data.readIdx(at("nothing")),
      "Error",
      `readIdx: there is no file ${at("nothing")}.`,
    ],
    ["a folder", () => data.readIdx(folder), "Error", `readIdx: ${folder} is a folder, not a file.`],
    [
      "an empty file",
      read("none", Buffer.alloc(0)),
      "RangeError",
      `readIdx: ${at("none")} has 0 bytes, an IDX file at least 4.`,
    ],
    [
      "a text file",
      read("text", Buffer.from("hello world")),
      "TypeError",
      `readIdx: ${at("text")} is not an IDX file: its magic number is 0x68656c6c, expected 0x0000 and a type of 08, 09, 0b, 0c, 0d or 0e.`,
    ],
    [
      "an unknown type",
      read("type", idx(0x0a, [1], "00")),
      "TypeError",
      `readIdx: ${at("type")} is not an IDX file: its magic number is 0x00000a01, expected 0x0000 and a type of 08, 09, 0b, 0c, 0d or 0e.`,
    ],
    [
      "a truncated header",
      read("header", idx(0x08, [1, 2], "").subarray(0, 8)),
      "RangeError",
      `readIdx: ${at("header")} is truncated: its header takes 12 bytes, the file has 8.`,
    ],
    [
      "truncated values",
      read("short", idx(0x0c, [2, 3], "00000001")),
      "RangeError",
      `readIdx: ${at("short")} is truncated: shape [2, 3] of int32 takes 36 bytes, the file has 16.`,
    ],
    [
      "trailing bytes",
      read("long", idx(0x08, [1], "0102")),
      "RangeError",
      `readIdx: ${at("long")} is too long: shape [1] of uint8 takes 9 bytes, the file has 10.`,
    ],
    [
      "sizes beyond any memory",
      read("huge", idx(0x0e, [0xffffffff, 0xffffffff, 0xffffffff], "")),
      "RangeError",
      `readIdx: ${at("huge")} is truncated: shape [4294967295, 4294967295, 4294967295] of float64 takes ...`,
    ],
    [
      "a broken gzip file",
      read("broken.gz", gzipSync(idx(0x08, [4], "01020304")).subarray(0, 20)),
      "Error",
      `readIdx: ${at("broken.gz")} is not a whole gzip file (unexpected end of file).`,
    ],
  ]);
});

describe("mnist", () => {
  it("has 60,000 images to train with and 10,000 to test, with labels", () => {
    const train = data.mnist();
    expect([train.images.shape, train.images.dtype]).toEqual([[60_000, 28, 28], "uint8"]);
    expect([train.labels.shape, train.labels.dtype]).toEqual([[60_000], "int64"]);
    expect(train.labels.narrow(0, 0, 10).tolist()).toEqual([5, 0, 4, 1, 9, 2, 1, 3, 1, 4]);
    const test = data.mnist({ train: false });
    expect(test.images.shape).toEqual([10_000, 28, 28]);
    expect(test.labels.bincount().tolist()).toEqual([980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    expect(train.images.float().mean().item() / 255).toBeCloseTo(0.1307, 4);
  });

  it("reads another folder, gzipped files too", () => {
    file("t10k-images-idx3-ubyte.gz", gzipSync(idx(0x08, [1, 1, 2], "0102")));
    file("t10k-labels-idx1-ubyte", idx(0x08, [1], "07"));
    const { images, labels } = data.mnist({ root: folder, train: false });
    expect(images.tolist()).toEqual([[[1, 2]]]);
    expect(labels.tolist()).toEqual([7]);
  });

  const other = mkdtempSync(join(tmpdir(), "mpslab-mnist-"));
  afterAll(() => rmSync(other, { recursive: true }));
  writeFileSync(join(other, "train-images-idx3-ubyte"), idx(0x08, [2, 1, 1], "0102"));
  writeFileSync(join(other, "train-labels-idx1-ubyte"), idx(0x08, [1], "07"));
  refuses([
    [
      "a folder without the files",
      () => data.mnist({ root: "/nowhere" }),
      "Error",
      "readIdx: there is no folder /nowhere.",
    ],
    [
      "images and labels that differ in number",
      () => data.mnist({ root: other }),
      "RangeError",
      `mnist: ${other} has 2 images and 1 labels.`,
    ],
    [
      "an unknown option",
      () => data.mnist({ split: "test" } as never),
      "TypeError",
      'mnist: unknown option "split"; it takes root, train.',
    ],
    [
      "a part that is no boolean",
      () => data.mnist({ train: "test" as never }),
      "TypeError",
      'mnist: train must be true or false, got "test".',
    ],
    [
      "a root that is no path",
      () => data.mnist({ root: 5 as never }),
      "TypeError",
      "mnist: root must be a folder's path, got 5.",
    ],
  ]);
});
