// Files that say they are of torch.save and lie: archives, pickles and storages made by hand, and real ones with bytes
// changed at random. Nothing of them is loaded, and no code of theirs is run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { serialize, type Tensor } from "../../../../lib/index.ts";

const fixtures = path.join(import.meta.dirname, "../../../fixtures/torch_files");
const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-torch-lies-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An archive of records that are not compressed, with lies as `change` makes them. */
function archive(
  records: Readonly<Record<string, Buffer | string>>,
  change: {
    central?: (entry: Buffer, name: string) => void;
    local?: (header: Buffer, name: string) => void;
  } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, given] of Object.entries(records)) {
    const content = Buffer.from(given as string);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt32LE(crc32(content), 14);
    local.writeUInt32LE(content.length, 18);
    local.writeUInt32LE(content.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(crc32(content), 16);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    change.local?.(local, name);
    change.central?.(entry, name);
    parts.push(local, Buffer.from(name), content);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + content.length;
  }
  const bytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(records).length, 10);
  end.writeUInt32LE(bytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, bytes, end]);
}

/** Pickle instructions: text as a line or a short string. */
const global = (name: string) => `c${name.replace(" ", "\n")}\n`;
const text = (value: string) => Buffer.concat([Buffer.from([0x8c, value.length]), Buffer.from(value)]);
const pickle = (...parts: (string | Buffer)[]) =>
  Buffer.concat([
    Buffer.from([0x80, 2]),
    ...parts.map((part) => Buffer.from(part as string)),
    Buffer.from("."),
  ]);
const int = (value: number) => {
  const bytes = Buffer.alloc(5);
  bytes.write("J");
  bytes.writeInt32LE(value, 1);
  return bytes;
};
const storage = (count: number | Buffer, type = "torch FloatStorage") => [
  "(",
  text("storage"),
  global(type),
  text("0"),
  text("cpu"),
  typeof count === "number" ? int(count) : count,
  "tQ",
];
const tensor = (offset: number, size: number[], stride: number[], of = storage(4)) => [
  global("torch._utils _rebuild_tensor_v2"),
  "(",
  ...of,
  int(offset),
  ...["(", ...size.map(int), "t"],
  ...["(", ...stride.map(int), "t"],
  Buffer.from([0x89]),
  ...[global("collections OrderedDict"), ")R"],
  "tR",
];
const FLOATS = Buffer.from(Float32Array.of(1, 2, 3, 4).buffer);
const DATA = "a/data.pkl";
const withPickle = (...parts: (string | Buffer)[]) =>
  archive({ [DATA]: pickle(...parts), "a/data/0": FLOATS });

describe("a file that lies", () => {
  function loadBytes(bytes: Buffer): unknown {
    const file = path.join(folder, "lies.pt");
    writeFileSync(file, bytes);
    return serialize.loadTorch(file);
  }

  it("would be read if it told the truth", () => {
    const loaded = loadBytes(withPickle(...tensor(1, [3], [1]))) as Tensor;
    expect(loaded.tolist()).toEqual([2, 3, 4]);
  });

  const honest = withPickle(...tensor(0, [4], [1]));
  const records = { [DATA]: pickle(...tensor(0, [4], [1])), "a/data/0": FLOATS };
  const local = (change: (header: Buffer) => void) =>
    archive(records, { local: (header, name) => void (name === DATA || change(header)) });
  const central = (change: (entry: Buffer) => void) =>
    archive(records, { central: (entry, name) => void (name === DATA || change(entry)) });
  const huge = Buffer.from([0x8a, 6, 0, 0, 0, 0, 0, 1]);

  it.each<[what: string, bytes: Buffer, reason: string | RegExp]>([
    ["nothing in it", Buffer.alloc(0), "it is empty"],
    ["text in it", Buffer.from("hello"), "it is no file of torch.save, which begins with PK"],
    [
      "its end cut off",
      honest.subarray(0, honest.length - 30),
      "its zip directory is missing: it is cut off",
    ],
    ["its beginning cut off", honest.subarray(64), "it is no file of torch.save, which begins with PK"],
    [
      "a damaged storage",
      Buffer.from(honest.toString("latin1").replace("\x80\x40", "\x81\x40"), "latin1"),
      /record "a\/data\/0" is damaged: the checksum does not fit/,
    ],
    [
      "a compressed record",
      central((entry) => entry.writeUInt16LE(8, 10)),
      /record "a\/data\/0" is compressed/,
    ],
    [
      "a bomb of a record",
      central((entry) => entry.writeUInt32LE(4_000_000_000, 24)),
      /is compressed \(16 bytes for 4000000000\)/,
    ],
    [
      "an encrypted record",
      central((entry) => entry.writeUInt16LE(1, 8)),
      'its record "a/data/0" is encrypted',
    ],
    [
      "a record of 4 GB",
      central((entry) => [20, 24].forEach((field) => entry.writeUInt32LE(4_000_000_000, field))),
      /would lie from byte \d+ to \d+, but it has \d+: it is cut off/,
    ],
    [
      "a record of 64 bits without them",
      central((entry) => entry.writeUInt32LE(0xffffffff, 24)),
      "a record's size in 64 bits is missing",
    ],
    [
      "a record that begins elsewhere",
      central((entry) => entry.writeUInt32LE(7, 42)),
      'its record "a/data/0" does not begin where the directory says',
    ],
    [
      "two records of the same bytes",
      central((entry) => entry.writeUInt32LE(0, 42)),
      'its record "a/data/0" calls itself "a/data.pkl"',
    ],
    [
      "a record that runs into the directory",
      central((entry) => [20, 24].forEach((field) => entry.writeUInt32LE(40, field))),
      /its record "a\/data\/0" ends at byte \d+, inside of what begins at \d+/,
    ],
    [
      "a record with two names",
      local((header) => header.writeUInt16LE(4, 26)),
      'its record "a/data/0" calls itself "a/da"',
    ],
    [
      "a record outside of its folder",
      archive({ ...records, "a/../../etc/passwd": "x" }),
      'it has a record called "a/../../etc/passwd", which is no plain name',
    ],
    [
      "a record at the root of the disk",
      archive({ ...records, "/etc/passwd": "x" }),
      'it has a record called "/etc/passwd", which is no plain name',
    ],
    [
      "no pickle",
      archive({ "a/data/0": FLOATS }),
      "it has 0 records called data.pkl in a folder instead of one",
    ],
    [
      "two pickles",
      archive({ ...records, "b/data.pkl": "N." }),
      "it has 2 records called data.pkl in a folder instead of one",
    ],
    [
      "a program",
      archive({ ...records, "a/code/model.py": "def" }),
      "it is a TorchScript program, not tensors; save model.state_dict() in PyTorch instead",
    ],
    [
      "numbers in the other order",
      archive({ ...records, "a/byteorder": "big" }),
      "its numbers are in big-endian order",
    ],
    [
      "a call of os.system",
      withPickle(global("posix system"), text("touch /tmp/pwned"), "\x85R"),
      /it holds a posix\.system/,
    ],
    ["a call of eval", withPickle(global("builtins eval"), text("1"), "\x85R"), /it holds a builtins\.eval/],
    [
      "a name of Object's",
      withPickle(global("constructor constructor")),
      /it holds a constructor\.constructor/,
    ],
    ["a call of a string", withPickle(text("a"), ")R"), "it calls what is no function"],
    [
      "an instruction to find a class elsewhere",
      withPickle("i"),
      "it has the pickle instruction 0x69, which plain data does not need",
    ],
    [
      "an instruction that is none",
      withPickle("\x00"),
      "it has the pickle instruction 0x00, which plain data does not need",
    ],
    [
      "a pickle of protocol 9",
      archive({ [DATA]: Buffer.from([0x80, 9]) }),
      "its pickle is of protocol 9; up to 5 are read",
    ],
    [
      "a pickle without an end",
      archive({ [DATA]: Buffer.from([0x80, 2, 0x4e]) }),
      "its pickle ends after 3 bytes, amid a value: it is cut off",
    ],
    [
      "a text longer than its pickle",
      archive({ [DATA]: Buffer.from([0x80, 2, 0x58, 255, 255, 255, 127]) }),
      /its pickle ends after 7 bytes, amid a value/,
    ],
    ["a value taken from nothing", withPickle("0"), "its pickle takes a value where there is none"],
    ["a group that ends before it begins", withPickle("t"), "its pickle ends a group that it did not begin"],
    ["a value that was never made", withPickle("h\x05"), "its pickle takes value 5, which it has not made"],
    [
      "a table of a billion places",
      withPickle("Nr\xff\xff\xff\x7f".replaceAll("\xff", "\x7f")),
      /its pickle numbers a value \d+/,
    ],
    ["two values", withPickle("NN"), "its pickle leaves more than one value"],
    [
      "a storage that is not there",
      archive({ [DATA]: pickle(...tensor(0, [4], [1])) }),
      'it has no storage "0"',
    ],
    [
      "a storage of 100 GB",
      withPickle(...tensor(0, [4], [1], storage(huge))),
      'its storage "0" is said to hold 1099511627776 of float32, but has 16 bytes',
    ],
    [
      "a storage that holds less than it says",
      withPickle(...tensor(0, [4], [1], storage(5))),
      'its storage "0" is said to hold 5 of float32, but has 16 bytes',
    ],
    [
      "a tensor beyond its storage",
      withPickle(...tensor(0, [5], [1])),
      "it has a tensor [5] with strides [1] from element 0 of a storage of 4",
    ],
    [
      "a tensor that strides beyond it",
      withPickle(...tensor(0, [2, 2], [3, 1])),
      "it has a tensor [2, 2] with strides [3, 1] from element 0 of a storage of 4",
    ],
    [
      "a tensor before its storage",
      withPickle(...tensor(-1, [1], [1])),
      "it has a tensor that begins at element -1",
    ],
    ["a negative size", withPickle(...tensor(0, [-1], [1])), "it has a tensor whose shape is [-1]"],
    ["a negative stride", withPickle(...tensor(3, [2], [-1])), "it has a tensor whose strides is [-1]"],
    [
      "more sizes than strides",
      withPickle(...tensor(0, [1, 1], [1])),
      "it has a tensor with more sizes than strides, or fewer",
    ],
    [
      "a tensor over no storage",
      withPickle(
        global("torch._utils _rebuild_tensor_v2"),
        "(}K\x00(K\x01t(K\x01t\x89NtR".replaceAll("\x89", "N"),
      ),
      "it has a tensor over what is no storage",
    ],
    [
      "a tensor over nothing",
      withPickle(global("torch._utils _rebuild_tensor_v2"), "(NK\x00(K\x01t(K\x01tNNtR"),
      "it has a tensor over what is no storage",
    ],
    [
      "a tensor without arguments",
      withPickle(global("torch._utils _rebuild_tensor_v2"), ")R"),
      "it has a tensor over what is no storage",
    ],
    [
      "a truth value of 7",
      archive({
        [DATA]: pickle(...tensor(0, [1], [1], storage(1, "torch BoolStorage"))),
        "a/data/0": "\x07",
      }),
      'its storage "0" is bool, but holds bytes other than 0 and 1',
    ],
  ])("is refused for %s", (_, bytes, reason) => {
    let thrown: Error | undefined;
    try {
      loadBytes(bytes);
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.name).toBe("TorchFileError");
    expect(thrown?.message).toMatch(
      typeof reason === "string" ? `lies.pt cannot be loaded: ${reason}.` : reason,
    );
  });

  it("is refused or read, never more, whatever bytes of it are changed", () => {
    // A generator of its own, so that a failure can be repeated.
    let state = 12345;
    const random = (end: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * end);
    };
    const originals = ["state_dict.pt", "views.pt", "containers.pt"].map((name) =>
      readFileSync(path.join(fixtures, name)),
    );
    const kinds = new Set<string>();
    for (let round = 0; round < 600; round++) {
      const bytes = Buffer.from(originals[round % originals.length]!);
      for (let change = random(4); change >= 0; change--) bytes[random(bytes.length)] = random(256);
      const cut = random(10) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
      try {
        loadBytes(cut);
        kinds.add("read");
      } catch (error) {
        kinds.add((error as Error).name);
      }
    }
    expect([...kinds].toSorted()).toEqual(["TorchFileError", "read"]);
  });
});
