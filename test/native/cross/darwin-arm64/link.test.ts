// Would a Mac load the addon? `npm run test:macos-link` compiles it for macOS, and these tests read what came out beside
// PyTorch's libraries for Macs. Whether the addon works there is not asked here: nothing of it runs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CrossBuild } from "../../../../native/setup/cross/build.mjs";
import { OLDEST_MACOS, OLDEST_MACOS_WITH_MPS } from "../../../../native/setup/platform.mjs";
import { type MachO, readMachO } from "./mach_o.ts";
import {
  type SymbolSources,
  missing,
  symbolSources,
  typesComparedByAddress,
  wantedBy,
} from "./symbol_sources.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const folder = path.join(root, "build/cross/darwin-arm64");
const build = JSON.parse(readFileSync(path.join(folder, "build.json"), "utf8")) as CrossBuild;
const library = (name: string) => path.join(build.torch, "lib", name);

let addon: MachO;
let objects: readonly MachO[];
let sources: SymbolSources;
let scratch: string;
beforeAll(() => {
  addon = readMachO(build.addon);
  objects = build.objects.map(readMachO);
  sources = symbolSources(build.torch, path.join(path.dirname(build.zig), "lib/libc/darwin"));
  scratch = mkdtempSync(path.join(tmpdir(), "mpslab-mach-o-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Compiles a few lines of C++ as the addon is compiled, and reads the object. */
function compiled(text: string, target: string | null = null): MachO {
  const [source, object] = ["source.cc", "object.o"].map((name) => path.join(scratch, name)) as [
    string,
    string,
  ];
  writeFileSync(source, text);
  const [program, ...words] = target === null ? [build.compiler] : [build.zig, "c++", `--target=${target}`];
  const cache = path.join(folder, "zig");
  const { status, stderr } = spawnSync(program as string, [...words, "-c", source, "-o", object], {
    encoding: "utf8",
    env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache },
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return readMachO(object);
}

describe("the addon for macOS", () => {
  it("is for arm64, like each of its objects", () => {
    expect(addon.processor).toBe("arm64");
    expect(new Set(objects.map(({ processor, kind }) => `${processor} ${kind}`))).toEqual(
      new Set(["arm64 object"]),
    );
  });

  it("wants no symbol that neither PyTorch's wheel nor Node nor macOS gives", () => {
    expect(missing(wantedBy(objects), sources)).toEqual([]);
  });

  it("takes symbols from each of them", () => {
    const wanted = [...wantedBy(objects)];
    const taken = Object.entries(sources).map(([name, given]) => [
      name,
      wanted.some((symbol) => given.has(symbol)),
    ]);
    expect(Object.fromEntries(taken)).toEqual({
      libc10: true,
      libtorch_cpu: true,
      "Node-API": true,
      macOS: true,
    });
  });

  it("exports the two functions that Node looks for, and nothing else", () => {
    const ofLinker = new Set(["__mh_dylib_header", "___dso_handle"]);
    const names = addon.symbols.filter(({ exported }) => exported).map(({ name }) => name);
    expect(names.filter((name) => !ofLinker.has(name)).toSorted()).toEqual([
      "_napi_register_module_v1",
      "_node_api_module_get_api_version_v1",
    ]);
  });

  it("names PyTorch's libraries as they name themselves, and says where they are", () => {
    const names = ["libc10.dylib", "libtorch_cpu.dylib"].map((name) => readMachO(library(name)).installName);
    expect(names).toEqual(["@rpath/libc10.dylib", "@rpath/libtorch_cpu.dylib"]);
    expect(addon.dylibs.toSorted()).toEqual(["/usr/lib/libSystem.B.dylib", ...names]);
    expect(addon.rpaths).toEqual(["@loader_path/torch/lib"]);
  });

  it("runs on the oldest macOS that the wheel's name and libraries say", () => {
    const ofLibraries = ["libc10.dylib", "libtorch_cpu.dylib"].map(
      (name) => readMachO(library(name)).oldestMacos,
    );
    expect([addon.oldestMacos, ...ofLibraries]).toEqual(Array.from({ length: 3 }, () => `${OLDEST_MACOS}.0`));
  });

  it("and the library says of mps alone that it needs a newer one, as we do", () => {
    const file = readFileSync(library("libtorch_cpu.dylib"));
    const words = "The MPS backend is supported on macOS ";
    const start = file.indexOf(words) + words.length;
    expect(file.toString("latin1", start, start + 5)).toBe(`${OLDEST_MACOS_WITH_MPS}.0+`);
  });

  it("compares libtorch's types by name, so that its exceptions are caught", () => {
    // No catch and no dynamic_cast of ours names these. Those of c10d are in functions of ProcessGroup that StagedGroup
    // inherits, and that nobody calls.
    expect(typesComparedByAddress(objects)).toEqual([
      "__ZTIN2at15ObserverContextE",
      "__ZTIN3c1013intrusive_ptrIN4c10d12ProcessGroupENS_6detail34intrusive_target_default_null_typeIS2_EEEE",
      "__ZTIN3c1013intrusive_ptrIN4c10d4WorkENS_6detail34intrusive_target_default_null_typeIS2_EEEE",
      "__ZTIN3c1013intrusive_ptrIN4c10d8ReduceOpENS_6detail34intrusive_target_default_null_typeIS2_EEEE",
      "__ZTIN3c104impl16VirtualGuardImplE",
      "__ZTIN3c106ivalue13ComplexHolderE",
    ]);
  });
});

describe("these tests see", () => {
  it("a symbol that nobody gives", () => {
    const object = compiled("int nobody(); int ask() { return nobody(); }\n");
    expect(missing(wantedBy([object]), sources)).toEqual(["__Z6nobodyv"]);
    expect(missing(wantedBy([object, compiled("int nobody() { return 1; }\n")]), sources)).toEqual([]);
  });

  it("a function of libtorch with other arguments than the header's", () => {
    const object = compiled(
      "namespace c10 { void GetAllocator(int); } void ask() { c10::GetAllocator(1); }\n",
    );
    expect(missing(wantedBy([object]), sources)).toEqual(["__ZN3c1012GetAllocatorEi"]);
  });

  it("a function of Linux that macOS lacks", () => {
    const object = compiled(
      'extern "C" int malloc_trim(unsigned long); int ask() { return malloc_trim(0); }\n',
    );
    expect(missing(wantedBy([object]), sources)).toEqual(["_malloc_trim"]);
  });

  it("another processor", () => {
    expect(compiled("int answer() { return 1; }\n", "x86_64-macos.14.0").processor).toBe("x86_64");
  });

  it("a newer macOS", () => {
    expect(compiled("int answer() { return 1; }\n", "aarch64-macos.26.0").oldestMacos).toBe("26.0");
  });

  it("a file for Linux", () => {
    expect(() => compiled("int answer() { return 1; }\n", "aarch64-linux-gnu")).toThrow(
      /object\.o is no Mach-O file of 64 bits\.$/,
    );
  });

  it("a type of libtorch that is compared by its address", () => {
    const inHeader = "namespace c10 { struct Error { virtual ~Error() {} }; }\n";
    const ofItsOwn = "namespace c10 { struct Error { virtual ~Error(); }; Error::~Error() {} }\n";
    expect(typesComparedByAddress([compiled(`${inHeader}void ask() { throw c10::Error(); }\n`)])).toEqual([]);
    expect(typesComparedByAddress([compiled(ofItsOwn)])).toEqual(["__ZTIN3c105ErrorE"]);
  });
});
