// The package of an addon that was compiled for another machine, as `npm run pack -- --platform` makes it: what npm reads
// of it, and what it holds.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");
const name = process.env["MPSLAB_LINK_TARGET"]!;
const [platform, arch] = name.split("-");
const scratch = mkdtempSync(path.join(tmpdir(), "mpslab-package-"));
const folder = path.join(scratch, "package");
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
    const header = Buffer.alloc(20);
    const file = openSync(addon, "r");
    readSync(file, header, 0, header.length, 0);
    closeSync(file);
    if (platform === "darwin") {
      // Mach-O of 64 bits; the processor is arm64.
      expect([header.readUInt32LE(0), header.readUInt32LE(4)]).toEqual([0xfeedfacf, 0x0100000c]);
    } else {
      // ELF; the processor is AArch64.
      expect([header.toString("latin1", 0, 4), header.readUInt16LE(18)]).toEqual(["\x7fELF", 183]);
    }
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
