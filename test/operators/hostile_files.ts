// Files of some kilobytes that say that they hold, or unpack to, far more: one or several for each reader.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import { readNotebook } from "../../kernel/cli/notebook/file.ts";
import { data, lab, torch } from "../../lib/index.ts";

export interface HostileFile {
  readonly name: string;
  readonly content: () => Uint8Array | string;
  readonly read: (file: string) => unknown;
}

const MEGABYTE = 2 ** 20;
const repeated = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length));
const lengthOf = (bytes: number): Buffer => {
  const field = Buffer.alloc(8);
  field.writeBigUInt64LE(BigInt(bytes));
  return field;
};

/** A PNG of 8 bits grey that says a size and holds so many bytes of pixels. */
function png(width: number, height: number, pixelBytes: number): Buffer {
  const chunk = (type: string, content: Uint8Array): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(content.length);
    const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.alloc(pixelBytes), { level: 9 });
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A zip archive of stored records, as torch.save writes it. */
function zip(records: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(records)) {
    const fields = Buffer.alloc(26);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name), content]);
    const central = Buffer.alloc(18);
    central.writeUInt32LE(offset, 14);
    directory.push(
      Buffer.concat([
        Buffer.from("PK\x01\x02\x14\x00", "latin1"),
        fields,
        central.subarray(4),
        Buffer.from(name),
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

const pickle = (body: Buffer): Buffer =>
  zip({ "a/data.pkl": body, "a/version": Buffer.from("3\n"), "a/byteorder": Buffer.from("little") });
/** A tuple of the last value twice, so often: 2 ** levels values, if each is made anew. */
const doubled = (levels: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x80, 2, 0x4b, 1, 0x71, 0]),
    ...Array.from({ length: levels }, (_, at) => Buffer.from([0x68, at, 0x86, 0x71, at + 1])),
    Buffer.from("."),
  ]);
const loadTorch = (file: string) => torch.load(file);

export const hostileFiles: readonly HostileFile[] = [
  {
    name: "readCsv: gzip of 300 MB of rows",
    content: () => gzipSync(repeated("1,2,3\n", 300 * MEGABYTE), { level: 9 }),
    read: (file) => data.readCsv(file),
  },
  {
    name: "readCsv: gzip of one line of 40 million fields",
    content: () => gzipSync(repeated(",", 40_000_000), { level: 9 }),
    read: (file) => data.readCsv(file),
  },
  {
    name: "readCsv: gzip of a second line of 40 million fields",
    content: () => gzipSync(`a,b\n${repeated(",", 40_000_000)}\n`, { level: 9 }),
    read: (file) => data.readCsv(file),
  },
  {
    name: "readCsv: gzip of 50,000 columns in ten lines",
    content: () => gzipSync(`${repeated("1,", 100_000)}1\n`.repeat(10), { level: 9 }),
    read: (file) => data.readCsv(file),
  },
  {
    name: "readCsv: a quote that is not closed",
    content: () => gzipSync(`a,b\n"${repeated("x", 40_000_000)}`, { level: 9 }),
    read: (file) => data.readCsv(file),
  },
  {
    name: "readIdx: says 2 ** 40 values",
    content: () => Buffer.from([0, 0, 8, 2, 0, 16, 0, 0, 0, 16, 0, 0]),
    read: (file) => data.readIdx(file),
  },
  {
    name: "readIdx: gzip of 1 GB that says ten values",
    content: () =>
      gzipSync(Buffer.concat([Buffer.from([0, 0, 8, 1, 0, 0, 0, 10]), Buffer.alloc(1024 * MEGABYTE)])),
    read: (file) => data.readIdx(file),
  },
  {
    name: "readImage: PNG that says 100,000 x 100,000",
    content: () => png(100_000, 100_000, 1_000),
    read: (file) => data.readImage(file),
  },
  {
    name: "readImage: PNG of 2 x 2 with 400 MB of pixels",
    content: () => png(2, 2, 400 * MEGABYTE),
    read: (file) => data.readImage(file),
  },
  {
    name: "readImage: JPEG that says 65,535 x 65,535",
    content: () =>
      Buffer.from("ffd8ffc0001108ffffffff03012200021101031101ffda000c03010002110311003f00ffd9", "hex"),
    read: (file) => data.readImage(file),
  },
  {
    name: "readImage: WebP that says 16,384 x 16,384",
    content: () =>
      Buffer.concat([
        Buffer.from("RIFF\x40\0\0\0WEBPVP8L\x30\0\0\0", "latin1"),
        Buffer.from([0x2f, 0xff, 0xff, 0xff, 0x0f]),
        Buffer.alloc(64),
      ]),
    read: (file) => data.readImage(file),
  },
  { name: "torch.load: tuples doubled 30 times", content: () => pickle(doubled(30)), read: loadTorch },
  {
    name: "torch.load: a text that says 2 ** 40 bytes",
    content: () =>
      pickle(Buffer.concat([Buffer.from([0x80, 4, 0x8d]), lengthOf(2 ** 40), Buffer.from("x.")])),
    read: loadTorch,
  },
  {
    name: "torch.load: a million empty lists",
    content: () =>
      pickle(Buffer.concat([Buffer.from([0x80, 2]), Buffer.alloc(1_000_000, 0x5d), Buffer.from(".")])),
    read: loadTorch,
  },
  {
    name: "torch.load: twenty thousand records",
    content: () =>
      zip(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`a/data/${at}`, Buffer.from("x")]))),
    read: loadTorch,
  },
  {
    name: "safetensors: a header that says 2 ** 40 bytes",
    content: () => Buffer.concat([lengthOf(2 ** 40), Buffer.from("{}")]),
    read: (file) => torch.load(file),
  },
  {
    name: "safetensors: a tensor that says 2 ** 50 bytes",
    content: () => {
      const header = `{"a":{"dtype":"F32","shape":[${2 ** 48}],"data_offsets":[0,${2 ** 50}]}}`;
      return Buffer.concat([lengthOf(header.length), Buffer.from(header)]);
    },
    read: (file) => torch.load(file),
  },
  {
    name: "safetensors: a header of a million brackets",
    content: () => Buffer.concat([lengthOf(1_000_000), Buffer.from("[".repeat(1_000_000))]),
    read: (file) => torch.load(file),
  },
  {
    name: "a notebook of a million brackets",
    content: () =>
      `{"cells":${"[".repeat(500_000)}${"]".repeat(500_000)},"metadata":{},"nbformat":4,"nbformat_minor":5}`,
    read: readNotebook,
  },
  {
    name: "a notebook of 200,000 empty cells",
    content: () =>
      `{"cells":[${repeated('{"cell_type":"raw","id":"a","source":"","metadata":{}},', 11 * MEGABYTE)}{"cell_type":"raw","id":"b","source":"","metadata":{}}],"metadata":{},"nbformat":4,"nbformat_minor":5}`,
    read: readNotebook,
  },
  {
    name: "a logbook of a million brackets",
    content: () => `${"[".repeat(1_000_000)}\n`,
    read: (file) => {
      lab.logbook.use(file);
      return lab.logbook.read();
    },
  },
  {
    name: "a logbook of two million empty lines",
    content: () => "{}\n".repeat(2_000_000),
    read: (file) => {
      lab.logbook.use(file);
      return lab.logbook.read();
    },
  },
];

/** Writes the file, and returns its path and size. */
export function writeHostile(folder: string, at: number): { readonly file: string; readonly bytes: number } {
  const { name, content } = hostileFiles[at]!;
  const endings: Readonly<Record<string, string>> = { "torch.load": "pt", safetensors: "safetensors" };
  const ending = endings[name.split(":")[0]!] ?? (name.includes("notebook") ? "ipynb" : "bin");
  const file = path.join(folder, `${at}.${ending}`);
  const bytes = content();
  writeFileSync(file, bytes);
  return { file, bytes: bytes.length };
}
