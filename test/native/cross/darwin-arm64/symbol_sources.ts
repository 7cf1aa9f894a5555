// Says who gives a symbol that the addon leaves undefined: PyTorch's libraries, Node, or macOS. What nobody gives would end the load on a Mac.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { type MachO, readMachO } from "./mach_o.ts";

/** Every Mac's C++ library has them, but neither do PyTorch's libraries use them nor does zig's list name them. */
const OF_CPLUSPLUS_LIBRARY = [
  // operator delete(void*, size_t)
  "__ZdlPvm",
  // istream >> long long
  "__ZNSt3__113basic_istreamIcNS_11char_traitsIcEEErsERx",
];
/** zig's headers of the C++ library are newer than a Mac's and call this function; Apple's have it inline. */
const OF_ZIGS_HEADERS = ["__ZNSt3__113__hash_memoryEPKvm"];
/** The linker makes it for each file. */
const OF_LINKER = ["___dso_handle"];

export type SymbolSources = Readonly<Record<string, ReadonlySet<string>>>;

/** @param macos where zig keeps `libSystem.tbd`, the list of what macOS's own library exports */
export function symbolSources(torch: string, macos: string): SymbolSources {
  const library = (name: string) => readMachO(path.join(torch, "lib", `lib${name}.dylib`));
  const [c10, torchCpu, torchPython] = ["c10", "torch_cpu", "torch_python"].map(library) as [
    MachO,
    MachO,
    MachO,
  ];
  return {
    libc10: new Set(exportsOf(c10)),
    libtorch_cpu: new Set(exportsOf(torchCpu)),
    "Node-API": new Set(nodeApi().map((name) => `_${name}`)),
    macOS: new Set([
      ...exportsOfSystem(path.join(macos, "libSystem.tbd")),
      // PyTorch's libraries run on a Mac, so what they take from the system's libraries is there.
      ...[c10, torchCpu, torchPython].flatMap(takenFromSystem),
      ...OF_CPLUSPLUS_LIBRARY,
      ...OF_ZIGS_HEADERS,
      ...OF_LINKER,
    ]),
  };
}

const exportsOf = ({ symbols }: MachO): string[] =>
  symbols.filter(({ exported }) => exported).map(({ name }) => name);

const takenFromSystem = ({ symbols }: MachO): string[] =>
  symbols.filter(({ from }) => /^\/(usr\/lib|System)\//.test(from ?? "")).map(({ name }) => name);

/** Every version's names and the experimental ones: the addon uses Node-API's experimental version. */
function nodeApi(): string[] {
  const { symbols } = createRequire(import.meta.url)("node-api-headers") as {
    symbols: Record<string, Record<string, string[]>>;
  };
  return Object.values(symbols).flatMap((version) => Object.values(version).flat());
}

interface LibraryText {
  readonly exports?: readonly {
    readonly targets: readonly string[];
    readonly symbols?: readonly string[];
    readonly "weak-symbols"?: readonly string[];
  }[];
}

/** What libSystem and the libraries behind it export to programs on arm64. */
function exportsOfSystem(file: string): string[] {
  const documents = parseAllDocuments(readFileSync(file, "utf8"), { logLevel: "silent" });
  return documents
    .flatMap((document) => (document.toJS() as LibraryText).exports ?? [])
    .filter(({ targets }) => targets.includes("arm64e-macos"))
    .flatMap(({ symbols = [], "weak-symbols": weak = [] }) => [...symbols, ...weak]);
}

/** Undefined symbols of files that are linked together. */
export function wantedBy(objects: readonly MachO[]): Set<string> {
  const defined = new Set(
    objects.flatMap(({ symbols }) => symbols.filter((symbol) => symbol.defined).map(({ name }) => name)),
  );
  return new Set(
    objects
      .flatMap(({ symbols }) => symbols.filter((symbol) => !symbol.defined).map(({ name }) => name))
      .filter((name) => !defined.has(name)),
  );
}

/** Symbols that none gives. */
export function missing(wanted: ReadonlySet<string>, sources: SymbolSources): string[] {
  const given = Object.values(sources);
  return [...wanted].filter((name) => !given.some((names) => names.has(name))).toSorted();
}

const TYPE_OF_TORCH = /^__ZTIN?(3c10|2at|5torch)/;
/** The highest bit of the address of a type's name: another copy of the type counts as the same. */
const BY_NAME = 1n << 63n;

/**
 * libtorch's types of which these files have copies of their own that macOS would compare by their address: an exception
 * or a `dynamic_cast` across the border of the two would then not match.
 */
export function typesComparedByAddress(objects: readonly MachO[]): string[] {
  const found = objects.flatMap((object) =>
    object.symbols
      .filter(({ name, inSection }) => inSection && TYPE_OF_TORCH.test(name))
      .filter(({ address }) => (object.wordAt(address + 8n) & BY_NAME) === 0n)
      .map(({ name }) => name),
  );
  return [...new Set(found)].toSorted();
}
