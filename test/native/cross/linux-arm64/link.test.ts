// Would Linux on arm64 load the addon? `npm run test:linux-arm64-link` compiles it there, and these tests read what came out
// beside PyTorch's libraries for that machine. Nothing of it runs here.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CrossBuild } from "../../../../native/setup/cross/build.mjs";

const root = path.resolve(import.meta.dirname, "../../../..");
const build = JSON.parse(
  readFileSync(path.join(root, "build/cross/linux-arm64/build.json"), "utf8"),
) as CrossBuild;

/** binutils read the files of every processor. */
const readelf = (...words: readonly string[]): string =>
  execFileSync("readelf", ["--wide", ...words], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    env: { ...process.env, LC_ALL: "C" },
  });

interface DynamicSymbol {
  readonly name: string;
  /** `GLIBC_2.34`, where it is asked for by version. */
  readonly version: string | undefined;
  readonly defined: boolean;
}

function dynamicSymbols(file: string): DynamicSymbol[] {
  // Num: Value Size Type Bind Vis Ndx Name@Version (2)
  const line = /^ +\d+: \w+ +\S+ \w+ +(\w+) +\w+ +(\w+) ([^\s@]+)(?:@+(\S+))?/gm;
  return [...readelf("--dyn-syms", file).matchAll(line)]
    .filter(([, binding]) => binding !== "LOCAL")
    .map(([, , section, name, version]) => ({ name: name!, version, defined: section !== "UND" }));
}

const addon = dynamicSymbols(build.addon);
const wanted = addon.filter(({ defined }) => !defined);
const given = (library: string) =>
  new Set(
    dynamicSymbols(path.join(build.torch, "lib", library))
      .filter(({ defined }) => defined)
      .map(({ name }) => name),
  );
const torch = new Set([...given("libc10.so"), ...given("libtorch_cpu.so")]);

/** Mangled names in a namespace of libtorch: the first of a nested name, after qualifiers and `typeinfo for`. */
const OF_TORCH = /^_ZT?[ISV]?N?[KO]?(?:2at|3c10|5torch|6caffe2)/;

describe("the addon for Linux on arm64", () => {
  it("is a shared object for AArch64", () => {
    const header = readelf("--file-header", build.addon);
    expect(header).toMatch(/Machine: +AArch64/);
    expect(header).toMatch(/Type: +DYN/);
  });

  it("wants no symbol of libtorch that PyTorch's wheel for that machine does not give", () => {
    const ofTorch = wanted.filter(({ name }) => OF_TORCH.test(name)).map(({ name }) => name);
    expect(ofTorch.length).toBeGreaterThan(100);
    expect(ofTorch.filter((name) => !torch.has(name))).toEqual([]);
  });

  it("wants no function of Node-API that its headers do not list", () => {
    const { symbols } = createRequire(import.meta.url)("node-api-headers") as {
      symbols: Record<string, { js_native_api_symbols: string[]; node_api_symbols: string[] }>;
    };
    const listed = new Set(
      Object.values(symbols).flatMap((version) => [
        ...version.js_native_api_symbols,
        ...version.node_api_symbols,
      ]),
    );
    const functions = wanted.map(({ name }) => name).filter((name) => /^(?:napi|node_api)_/.test(name));
    expect(functions.length).toBeGreaterThan(50);
    expect(functions.filter((name) => !listed.has(name))).toEqual([]);
  });

  it("asks for no newer glibc than the addon for x64", () => {
    const minors = addon.flatMap(({ version }) => /^GLIBC_2\.(\d+)/.exec(version ?? "")?.[1] ?? []);
    expect(minors.length).toBeGreaterThan(0);
    expect(Math.max(...minors.map(Number))).toBeLessThanOrEqual(34);
  });

  it("uses the C++ library of GCC, as PyTorch for Linux does", () => {
    const names = wanted.map(({ name }) => name);
    expect(names.some((name) => name.includes("NSt7__cxx11"))).toBe(true);
    expect(names.filter((name) => name.includes("St3__1"))).toEqual([]);
  });

  it("exports the two functions that Node looks for, and no other of ours", () => {
    const ofLinker = new Set(["__bss_start", "_edata", "_end"]);
    const exported = addon.filter(({ defined }) => defined).map(({ name }) => name);
    // Headers of C++ share their templates with other libraries.
    const plain = exported.filter((name) => !name.startsWith("_Z") && !ofLinker.has(name));
    expect(plain.toSorted()).toEqual(["napi_register_module_v1", "node_api_module_get_api_version_v1"]);
    expect(exported.filter((name) => name.includes("6mpslab"))).toEqual([]);
  });

  it("loads PyTorch's libraries by their names, from beside itself", () => {
    const dynamic = readelf("--dynamic", build.addon);
    expect([...dynamic.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name)).toEqual(
      expect.arrayContaining(["libtorch_cpu.so", "libc10.so", "libc.so.6"]),
    );
    expect(/\((?:RUNPATH|RPATH)\).*\[(.+)\]/.exec(dynamic)?.[1]).toBe("$ORIGIN/torch/lib");
  });
});
