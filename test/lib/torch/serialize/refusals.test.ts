// Tests refusals: files that lie, wherever they lie, and calls that make no sense. Nothing of such a file is loaded.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { serialize, torch } from "../../../../lib/index.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-safetensors-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);

describe("a file that lies is refused", () => {
  const entry = (shape: unknown, offsets: unknown, dtype: unknown = "F32") => ({
    dtype,
    shape,
    data_offsets: offsets,
  });
  const file = at("lies.safetensors");

  function write(header: unknown, dataBytes: number, length?: bigint): void {
    const text = typeof header === "string" ? header : JSON.stringify(header);
    const bytes = Buffer.alloc(8 + Buffer.byteLength(text) + dataBytes);
    bytes.writeBigUInt64LE(length ?? BigInt(Buffer.byteLength(text)), 0);
    bytes.write(text, 8);
    writeFileSync(file, bytes);
  }

  it.each<[name: string, header: unknown, dataBytes: number, reason: string]>([
    [
      "a gap between tensors",
      { a: entry([1], [0, 4]), b: entry([1], [8, 12]) },
      12,
      "no tensor holds its bytes from 4 to 8",
    ],
    ["a gap before the first", { a: entry([1], [4, 8]) }, 8, "no tensor holds its bytes from 0 to 4"],
    ["bytes after the last", { a: entry([1], [0, 4]) }, 8, "no tensor holds its last 4 bytes"],
    [
      "an overlap",
      { a: entry([2], [0, 8]), b: entry([1], [4, 8]) },
      8,
      '"b" begins at byte 4, inside of the tensor before it, which ends at 8',
    ],
    [
      "two tensors of the same bytes",
      { a: entry([1], [0, 4]), b: entry([1], [0, 4]) },
      4,
      '"b" begins at byte 0, inside of the tensor before it, which ends at 4',
    ],
    [
      "tensors of 100 GB",
      { a: entry([25e9], [0, 100e9]) },
      4,
      "its tensors need 100000000000 bytes, but only 4 follow the header: it is cut off",
    ],
    [
      "a shape whose product overflows",
      { a: entry([2 ** 40, 2 ** 40], [0, 0]) },
      0,
      '"a" has no valid shape: [1099511627776,1099511627776] is larger than any file',
    ],
    [
      "an overflow that a zero would hide",
      { a: entry([2 ** 40, 2 ** 40, 0], [0, 0]) },
      0,
      '"a" has no valid shape: [1099511627776,1099511627776,0] is larger than any file',
    ],
    ["a negative size", { a: entry([-1], [0, 4]) }, 4, '"a" has no valid shape: [-1]'],
    ["a size that is no number", { a: entry(["1"], [0, 4]) }, 4, '"a" has no valid shape: ["1"]'],
    ["a size that is no whole number", { a: entry([0.5], [0, 2]) }, 2, '"a" has no valid shape: [0.5]'],
    ["negative offsets", { a: entry([1], [-4, 0]) }, 4, '"a" has no valid data_offsets: [-4,0]'],
    [
      "offsets in the wrong order",
      { a: entry([1], [4, 0]) },
      4,
      '"a" lies from byte 4 to 0, but float32 [1] takes 4 bytes',
    ],
    ["three offsets", { a: entry([1], [0, 4, 8]) }, 4, '"a" has no valid data_offsets: [0,4,8]'],
    [
      "a shape that its bytes do not fit",
      { a: entry([3], [0, 4]) },
      4,
      '"a" lies from byte 0 to 4, but float32 [3] takes 12 bytes',
    ],
    [
      "a dtype that does not exist",
      { a: entry([1], [0, 4], "F31") },
      4,
      '"a" is of dtype "F31", which this library does not have',
    ],
    [
      "a dtype that is no string",
      { a: entry([1], [0, 4], 7) },
      4,
      '"a" is of dtype 7, which this library does not have',
    ],
    ["an entry that is no object", { a: 1 }, 0, 'its entry "a" is no object'],
    [
      "metadata that are no strings",
      { __metadata__: { epoch: 3 } },
      0,
      "its __metadata__ is no object of strings",
    ],
    ["a header that is a list", "[]", 0, "its header is no JSON object"],
    ["space before the header's brace", " {}", 0, "its header is no JSON object"],
    [
      "the same tensor twice",
      '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
      8,
      'its header has the key "a" twice',
    ],
    [
      "the same tensor twice, spelt differently",
      '{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\\u0061" :{}}',
      0,
      'its header has the key "a" twice',
    ],
    [
      "a field twice",
      '{"a":{"dtype":"F32","dtype":"F64","shape":[1],"data_offsets":[0,8]}}',
      8,
      'its header has the key "dtype" twice',
    ],
  ])("for %s", (_name, header, dataBytes, reason) => {
    write(header, dataBytes);
    expect(() => serialize.loadSafetensors(file)).toThrow(
      new serialize.SafetensorsError(`${file} cannot be loaded: ${reason}.`),
    );
  });

  it.each<[string, string | Buffer, RegExp]>([
    ["an empty file", "", /it has 0 bytes, and its header's length alone takes 8\.$/],
    ["a file of three bytes", "abc", /it has 3 bytes, and its header's length alone takes 8\.$/],
    ["a header that is no JSON", Buffer.from("\x04\0\0\0\0\0\0\0{no}"), /its header is no JSON \(.*\)\.$/],
    [
      "a header that is no UTF-8",
      Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0xff, 0x22, 0x7d]),
      /its header is no JSON \(.*\)\.$/,
    ],
  ])("for %s", (_name, bytes, reason) => {
    writeFileSync(file, bytes);
    expect(() => serialize.loadSafetensors(file)).toThrow(reason);
  });

  it.each([
    ["beyond the file", 1000n, "its header is said to have 1000 bytes, but only 6 follow: it is cut off"],
    [
      "of 100 GB",
      107_374_182_400n,
      "its header is said to have 107374182400 bytes; at most 100,000,000 are allowed",
    ],
    [
      "of 2^64 - 1",
      2n ** 64n - 1n,
      "its header is said to have 18446744073709551615 bytes; at most 100,000,000 are allowed",
    ],
  ])("for a header's length %s", (_name, length, reason) => {
    write("{}", 4, length);
    expect(() => serialize.loadSafetensors(file)).toThrow(`${file} cannot be loaded: ${reason}.`);
  });

  it("for a bool that is neither true nor false", () => {
    write({ flags: entry([2], [0, 2], "BOOL") }, 0);
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([1, 2])]));
    expect(() => serialize.loadSafetensors(file)).toThrow(
      '"flags" is bool, but holds bytes other than 0 and 1.',
    );
  });

  it("wherever it is cut off", () => {
    serialize.saveSafetensors({ a: torch.ones([2]), b: torch.zeros([3], { dtype: "int64" }) }, file);
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(file, whole.subarray(0, length));
      expect(() => serialize.loadSafetensors(file)).toThrow(serialize.SafetensorsError);
    }
  });
});

describe("misuse", () => {
  const x = torch.ones([1]);
  const any = (value: unknown) => value as never;

  it.each<[name: string, call: () => unknown, error: Error]>([
    [
      "a tensor alone",
      () => serialize.saveSafetensors(any(x), at("m")),
      new TypeError("saveSafetensors: expected an object of tensors by name, got a Tensor."),
    ],
    [
      "nothing",
      () => serialize.saveSafetensors(any(null), at("m")),
      new TypeError("saveSafetensors: expected an object of tensors by name, got null."),
    ],
    [
      "a number among tensors",
      () => serialize.saveSafetensors(any({ a: 1 }), at("m")),
      new TypeError('saveSafetensors: "a" must be a tensor, got 1.'),
    ],
    [
      "no file",
      () => serialize.saveSafetensors({}, any(undefined)),
      new TypeError("saveSafetensors: the file must be a path, got undefined."),
    ],
    [
      "metadata with a number",
      () => serialize.saveSafetensors({}, at("m"), any({ metadata: { epoch: 1 } })),
      new TypeError('saveSafetensors: metadata holds strings alone, but "epoch" is 1.'),
    ],
    [
      "the name that the format keeps",
      () => serialize.saveSafetensors({ __metadata__: x }, at("m")),
      new RangeError(
        'saveSafetensors: no tensor can be called "__metadata__": the format keeps that name for itself.',
      ),
    ],
    [
      "complex128",
      () => serialize.saveSafetensors({ z: torch.zeros([1], { dtype: "complex128" }) }, at("m")),
      new TypeError(
        'saveSafetensors: "z" is complex128, which the format does not have; save torch.viewAsReal() of it.',
      ),
    ],
    [
      "a sparse tensor",
      () => serialize.saveSafetensors({ s: x.toSparse() }, at("m")),
      new TypeError('saveSafetensors: "s" is sparse_coo; save .toDense() of it.'),
    ],
    [
      "an empty path",
      () => serialize.loadSafetensors(""),
      new TypeError('loadSafetensors: the file must be a path, got "".'),
    ],
  ])("%s", (_name, call, error) => {
    expect(call).toThrow(error);
  });

  it.each([
    [
      "an option that does not exist",
      () => serialize.loadSafetensors(at("m"), any({ devise: "cpu" })),
      "devise",
    ],
    ["a device that does not exist", () => serialize.loadSafetensors(at("m"), any({ device: "gpu" })), "gpu"],
    [
      "a file that does not exist",
      () => serialize.loadSafetensors(at("nowhere")),
      "loadSafetensors: there is no file",
    ],
  ])("%s", (_name, call, words) => {
    expect(call).toThrow(words);
  });
});
