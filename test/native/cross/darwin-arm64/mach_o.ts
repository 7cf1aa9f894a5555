// Reads Mach-O files of 64 bits, as macOS's compilers and PyTorch's wheel make them: what they are made for, what they load, their symbols.
import { closeSync, openSync, readSync } from "node:fs";

export interface MachO {
  readonly processor: "arm64" | "x86_64" | "another";
  readonly kind: "object" | "dylib" | "bundle" | "another";
  /** `@rpath/libc10.dylib`, by which others load it; null for what is no dylib. */
  readonly installName: string | null;
  /** `14.0`; null where the file does not say for which macOS it was made. */
  readonly oldestMacos: string | null;
  readonly dylibs: readonly string[];
  readonly rpaths: readonly string[];
  readonly symbols: readonly MachOSymbol[];
  /** The word at an address of the file's sections. */
  wordAt(address: bigint): bigint;
}

export interface MachOSymbol {
  readonly name: string;
  readonly defined: boolean;
  /** Seen by other files when this one is loaded. */
  readonly exported: boolean;
  /** Of an undefined one, the library that it is taken from; null where any will do, and in objects. */
  readonly from: string | null;
  readonly address: bigint;
  /** Whether it lies in a section, so that `wordAt` can read it. */
  readonly inSection: boolean;
}

const MAGIC = 0xfeedfacf;
const PROCESSORS: Readonly<Record<number, MachO["processor"]>> = {
  0x0100000c: "arm64",
  0x01000007: "x86_64",
};
const KINDS: Readonly<Record<number, MachO["kind"]>> = { 1: "object", 6: "dylib", 8: "bundle" };
/** Numbers of load commands; the highest bit only says that a loader must know them. */
const SYMBOL_TABLE = 0x02;
const LOAD_DYLIB = 0x0c;
const OWN_NAME = 0x0d;
const LOAD_WEAK_DYLIB = 0x18;
const SEGMENT = 0x19;
const RPATH = 0x1c;
const REEXPORT_DYLIB = 0x1f;
const BUILD_VERSION = 0x32;

const SYMBOL_BYTES = 16;
const DEBUGGING = 0xe0;
const EXTERNAL = 0x01;
const PRIVATE = 0x10;
const TYPE = 0x0e;
const IN_SECTION = 0x0e;
/** Numbers of libraries beyond it are words of their own: the file itself, any library, the program. */
const MOST_LIBRARIES = 0xfd;

/** @throws Error for a file that is no Mach-O of 64 bits */
export function readMachO(file: string): MachO {
  const descriptor = openSync(file, "r");
  try {
    return parse(file, (offset, bytes) => {
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, offset));
    });
  } finally {
    closeSync(descriptor);
  }
}

type Read = (offset: number, bytes: number) => Buffer;

interface Section {
  readonly address: bigint;
  readonly bytes: Buffer;
}

function parse(file: string, read: Read): MachO {
  const header = read(0, 32);
  if (header.length < 32 || header.readUInt32LE(0) !== MAGIC)
    throw new Error(`${file} is no Mach-O file of 64 bits.`);
  const commands = read(32, header.readUInt32LE(20));
  let installName: string | null = null;
  let oldestMacos: string | null = null;
  const dylibs: string[] = [];
  const rpaths: string[] = [];
  const sections: (() => Section)[] = [];
  let symbolTable: { readonly table: Buffer; readonly names: Buffer } | null = null;
  for (let at = 0, left = header.readUInt32LE(16); left > 0; left--) {
    const command = commands.subarray(at, at + commands.readUInt32LE(at + 4));
    const word = (offset: number) => command.readUInt32LE(offset);
    const name = () => textAt(command, word(8));
    switch (word(0) & 0x7fffffff) {
      case SEGMENT:
        for (let i = 0; i < word(64); i++) {
          const entry = command.subarray(72 + 80 * i);
          const offset = entry.readUInt32LE(48);
          sections.push(() => ({
            address: entry.readBigUInt64LE(32),
            bytes: read(offset, Number(entry.readBigUInt64LE(40))),
          }));
        }
        break;
      case SYMBOL_TABLE:
        symbolTable = {
          table: read(word(8), SYMBOL_BYTES * word(12)),
          names: read(word(16), word(20)),
        };
        break;
      case LOAD_DYLIB:
      case LOAD_WEAK_DYLIB:
      case REEXPORT_DYLIB:
        dylibs.push(name());
        break;
      case OWN_NAME:
        installName = name();
        break;
      case RPATH:
        rpaths.push(name());
        break;
      case BUILD_VERSION:
        oldestMacos = `${word(12) >>> 16}.${(word(12) >>> 8) & 0xff}`;
        break;
      default:
    }
    at += command.length;
  }
  // Sections are read while the file is open; those of libraries of 400 MB are of no use here.
  const loaded = header.readUInt32LE(12) === 1 ? sections.map((section) => section()) : [];
  return {
    processor: PROCESSORS[header.readUInt32LE(4)] ?? "another",
    kind: KINDS[header.readUInt32LE(12)] ?? "another",
    installName,
    oldestMacos,
    dylibs,
    rpaths,
    symbols: symbolTable === null ? [] : readSymbols(symbolTable.table, symbolTable.names, dylibs),
    wordAt(address) {
      const section = loaded.find(
        (one) => address >= one.address && address + 8n <= one.address + BigInt(one.bytes.length),
      );
      if (section === undefined) throw new RangeError(`${file} has no word at address ${address}.`);
      return section.bytes.readBigUInt64LE(Number(address - section.address));
    },
  };
}

function readSymbols(table: Buffer, names: Buffer, dylibs: readonly string[]): MachOSymbol[] {
  const symbols: MachOSymbol[] = [];
  for (let at = 0; at < table.length; at += SYMBOL_BYTES) {
    const flags = table.readUInt8(at + 4);
    if ((flags & DEBUGGING) !== 0 || (flags & (EXTERNAL | PRIVATE)) === 0) continue;
    const defined = (flags & TYPE) !== 0;
    const library = table.readUInt16LE(at + 6) >>> 8;
    symbols.push({
      name: textAt(names, table.readUInt32LE(at)),
      defined,
      exported: defined && (flags & PRIVATE) === 0,
      from: defined || library === 0 || library > MOST_LIBRARIES ? null : (dylibs[library - 1] ?? null),
      address: table.readBigUInt64LE(at + 8),
      inSection: (flags & TYPE) === IN_SECTION,
    });
  }
  return symbols;
}

function textAt(bytes: Buffer, start: number): string {
  return bytes.toString("utf8", start, bytes.indexOf(0, start));
}
