// Checks the dependencies of native/: which folders each folder of C++ may include from, and what the TypeScript and
// JavaScript that build the addon may import. An include names its file from native/, so the path shows the folder.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findCycles } from "./cycles.ts";
import { filesOf, readSource, root } from "./sources.ts";

/** The folders that the files of a folder may include from, besides their own. Lower folders come first. */
const MAY_INCLUDE: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  vocabulary: [],
  memory: ["errors"],
  addon: ["errors", "memory", "vocabulary"],
  tensor: ["addon", "vocabulary"],
  device: ["addon", "memory", "tensor", "vocabulary"],
  random: ["addon", "device", "tensor", "vocabulary"],
  "simulated_metal/shading": [],
  "simulated_metal/queue": ["addon"],
  "simulated_metal/memory": ["memory", "simulated_metal/queue"],
  "simulated_metal/profile": ["simulated_metal/memory", "simulated_metal/queue"],
  "simulated_metal/kernels": [
    "addon",
    "memory",
    "simulated_metal/memory",
    "simulated_metal/profile",
    "simulated_metal/queue",
  ],
  "simulated_metal/threadgroups": [
    "device",
    "simulated_metal/profile",
    "simulated_metal/queue",
    "simulated_metal/shading",
  ],
  simulated_metal: [
    "addon",
    "device",
    "simulated_metal/kernels",
    "simulated_metal/memory",
    "simulated_metal/profile",
    "simulated_metal/queue",
  ],
  "call/refusals": ["vocabulary"],
  call: [
    "addon",
    "call/refusals",
    "device",
    "errors",
    "memory",
    "random",
    "simulated_metal",
    "tensor",
    "vocabulary",
  ],
  autograd: ["addon", "memory", "tensor", "vocabulary"],
  capture: [
    "addon",
    "call",
    "device",
    "distributed",
    "memory",
    "random",
    "simulated_metal",
    "tensor",
    "vocabulary",
  ],
  shadow: ["addon", "capture", "memory", "tensor", "vocabulary"],
  distributed: ["addon", "device", "tensor", "vocabulary"],
  // module.cc, the entry point: it calls every folder's exports.h, and sets libtorch up.
  "": [
    "addon",
    "autograd",
    "call",
    "capture",
    "device",
    "distributed",
    "errors",
    "memory",
    "random",
    "shadow",
    "simulated_metal",
    "tensor",
  ],
};

/** Headers that stand in for macOS's where there is none, and for gloo's. Only <...> includes find them. */
const STAND_INS = ["setup/cross/apple_headers/", "distributed/gloo_headers/", "autograd/functorch_headers/"];

/** Lists what the files of a folder may import from native/, besides their own folder. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "native/codegen": [],
  "native/setup": [],
  "native/setup/cross": ["native/setup"],
  native: ["native/setup", "native/setup/cross", "packages/pack", "test/runner"],
};

const folderOf = (file: string) => path.posix.dirname(file).replace(/^\.$/, "");

interface Includes {
  /** From native/. */
  readonly file: string;
  readonly targets: readonly string[];
}

/** Reads `#include "..."`. The headers of shading/ are compiled with the user's kernels, which see that folder only. */
function includesOf(file: string, text: string): Includes {
  const folder = folderOf(file);
  const base = folder === "simulated_metal/shading" ? folder : "";
  const targets = [...text.matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)].map(([, target]) =>
    path.posix.join(base, target ?? ""),
  );
  return { file, targets };
}

const headersAndSources = filesOf("native")
  .filter((file) => /\.(h|cc|mm)$/.test(file))
  .map((file) => file.slice("native/".length))
  .filter((file) => !STAND_INS.some((folder) => file.startsWith(folder)));
const includes = headersAndSources.map((file) =>
  includesOf(file, readFileSync(path.join(root, "native", file), "utf8")),
);

function upwardIncludes({ file, targets }: Includes): string[] {
  const folder = folderOf(file);
  const allowed = MAY_INCLUDE[folder] ?? [];
  return targets.filter((target) => folderOf(target) !== folder && !allowed.includes(folderOf(target)));
}

describe("includes", () => {
  it("of every file of native/ go to lower folders", () => {
    const upward = includes.flatMap((one) => upwardIncludes(one).map((target) => `${one.file} -> ${target}`));
    expect(upward).toEqual([]);
  });

  it("of every folder have a line in the table", () => {
    const folders = new Set(includes.map(({ file }) => folderOf(file)));
    expect([...folders].filter((folder) => !(folder in MAY_INCLUDE))).toEqual([]);
  });

  it("name files by their path from native/", () => {
    const known = new Set(headersAndSources);
    expect(includes.flatMap(({ targets }) => targets).filter((target) => !known.has(target))).toEqual([]);
  });

  it("form no cycle of files", () => {
    expect(findCycles(new Map(includes.map(({ file, targets }) => [file, targets])))).toEqual([]);
  });

  it("may form no cycle of folders", () => {
    expect(findCycles(new Map(Object.entries(MAY_INCLUDE)))).toEqual([]);
  });

  it("use every line of the table", () => {
    const used = new Set(
      includes.flatMap(({ file, targets }) =>
        targets.map((target) => `${folderOf(file)} -> ${folderOf(target)}`),
      ),
    );
    const unused = Object.entries(MAY_INCLUDE).flatMap(([folder, allowed]) =>
      allowed.map((other) => `${folder} -> ${other}`).filter((arrow) => !used.has(arrow)),
    );
    expect(unused).toEqual([]);
  });

  it("are found, and refused where they go upward", () => {
    const text = '#include <napi.h>\n#include "call/schema.h"\n#  include "memory/allocator.h"\n// "x.h"\n';
    const read = includesOf("memory/allocator.cc", text);
    expect(read.targets).toEqual(["call/schema.h", "memory/allocator.h"]);
    expect(upwardIncludes(read)).toEqual(["call/schema.h"]);
  });
});

describe("imports", () => {
  const scripts = filesOf("native").filter((file) => /\.(ts|mjs)$/.test(file));

  it("of TypeScript and JavaScript stay in native/", () => {
    const outside = scripts.flatMap((file) => {
      const folder = folderOf(file);
      const allowed = new Set([folder, ...(MAY_IMPORT[folder] ?? [])]);
      const ours = readSource(file)
        .imports.map(({ target }) => target)
        .filter((target) => /\.(ts|mjs)$/.test(target));
      return ours.filter((target) => !allowed.has(folderOf(target))).map((target) => `${file} -> ${target}`);
    });
    expect(outside).toEqual([]);
  });

  it("of every folder have a line in the table", () => {
    expect(scripts.map(folderOf).filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });
});

describe("sources", () => {
  it("are all in CMakeLists.txt", () => {
    const list = readFileSync(path.join(root, "native", "CMakeLists.txt"), "utf8");
    const named = new Set(list.match(/[\w/]+\.(?:cc|mm)\b/g));
    const sources = new Set(headersAndSources.filter((file) => /\.(cc|mm)$/.test(file)));
    expect([...named].toSorted()).toEqual([...sources].toSorted());
  });
});
