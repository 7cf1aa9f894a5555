// Small files that unpack to more than memory holds: refused by what their headers say, before anything is unpacked.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { data } from "../../../../lib/index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bombs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ZEROS = Buffer.alloc(64 * 2 ** 20);

function idxHeader(...sizes: readonly number[]): Buffer {
  const header = Buffer.alloc(4 + 4 * sizes.length);
  header[2] = 0x08;
  header[3] = sizes.length;
  for (const [i, size] of sizes.entries()) header.writeUInt32BE(size, 4 + 4 * i);
  return header;
}

function readPacked(...pieces: readonly Buffer[]) {
  const file = path.join(folder, "packed.gz");
  writeFileSync(file, gzipSync(Buffer.concat(pieces)));
  return data.readIdx(file);
}

describe("an IDX file of some kilobytes", () => {
  it("that says that it holds more than memory is not unpacked", () => {
    expect(() => readPacked(idxHeader(2 ** 31, 2 ** 10), ZEROS)).toThrow(
      /is not unpacked: shape \[2147483648, 1024\] of uint8 takes 2199023255564 bytes, more than [\d.]+ GiB, which is half of the memory that is free; if that is meant, set MPSLAB_MAX_BYTES\.$/,
    );
  });

  it("that unpacks to more than it says is not unpacked further", () => {
    expect(() => readPacked(idxHeader(3), ZEROS)).toThrow(
      /is too long: shape \[3\] of uint8 takes 11 bytes, the file has more\.$/,
    );
  });
});

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE((crc32 as (bytes: Buffer) => number)(named));
  return Buffer.concat([length, named, check]);
}

/** Gray pixels of 8 bits. */
function png(width: number, height: number, pixels: Buffer, ...others: readonly Buffer[]): Buffer {
  return pngOf(pngHeader(width, height), ...others, chunk("IDAT", deflateSync(pixels)));
}

function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return chunk("IHDR", header);
}

const pngOf = (...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks, chunk("IEND", Buffer.alloc(0))]);

describe("a PNG", () => {
  const pixels = Buffer.from([0, 1, 2, 0, 3, 4]);

  it("of 2 x 2 pixels whose data unpacks to 64 MiB is refused", () => {
    expect(() => data.decodeImage(png(2, 2, ZEROS))).toThrow(
      "data.decodeImage: the image cannot be read: it is a PNG of 2 x 2 pixels that unpacks to more than they take.",
    );
  });

  it("with a text that unpacks to 64 MiB is read without it", () => {
    const text = Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(ZEROS)]);
    expect(data.decodeImage(png(2, 2, pixels, chunk("zTXt", text))).tolist()).toEqual([
      [
        [1, 2],
        [3, 4],
      ],
    ]);
  });

  it.each<[string, readonly Buffer[]]>([
    ["whose header stands behind another chunk", [chunk("tEXt", Buffer.from("a\0b")), pngHeader(2, 2)]],
    ["with a second, larger header", [pngHeader(2, 2), pngHeader(2 ** 15, 2 ** 15)]],
    ["without a header", []],
    ["whose header is too short", [chunk("IHDR", Buffer.alloc(4))]],
  ])("%s is refused", (_, headers) => {
    expect(() => data.decodeImage(pngOf(...headers, chunk("IDAT", deflateSync(ZEROS))))).toThrow(
      "data.decodeImage: the image cannot be read: it is a PNG that does not begin with its one header.",
    );
  });

  it("that is what it says is read", () => {
    expect(data.decodeImage(png(2, 2, pixels)).shape).toEqual([1, 2, 2]);
  });
});

it("a JPEG of more pixels than memory holds is refused by its header", () => {
  const jpeg = Buffer.from("ffd8ffc0000b08ffffffff01011100ffd9", "hex");
  expect(() => data.decodeImage(jpeg)).toThrow(
    "data.decodeImage: the image cannot be read: it is a JPEG of 65535 x 65535 pixels; at most 178956970 are read.",
  );
});

it("an image that takes more than MPSLAB_MAX_BYTES is refused by its header", () => {
  process.env["MPSLAB_MAX_BYTES"] = "1024";
  try {
    const jpeg = Buffer.from("ffd8ffc0000b080064006401011100ffd9", "hex");
    expect(() => data.decodeImage(jpeg)).toThrow(
      "it is a JPEG of 100 x 100 pixels, which take 39.1 KiB, more than 1 KiB, which is MPSLAB_MAX_BYTES; " +
        "if that is meant, set MPSLAB_MAX_BYTES.",
    );
  } finally {
    delete process.env["MPSLAB_MAX_BYTES"];
  }
});
