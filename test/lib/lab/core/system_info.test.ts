// Tests how the systems' own reports about power, heat and mounts are parsed.
import { describe, expect, it } from "vitest";
import {
  adapterOfPmset,
  computer,
  lowPowerOfPmset,
  mountTypeIn,
  thermalOfPmset,
  thermalOfZones,
  translated,
} from "../../../../lib/lab/core/system_info.ts";
import { torchBuildOf } from "../../../../lib/records/logbook/origin.ts";

describe("on a Mac", () => {
  it.each([
    ["1\n", true],
    ["0\n", false],
    ["", false],
    [null, null],
  ])("Rosetta from %j is %j", (answer, found) => expect(translated(answer)).toBe(found));

  it.each([
    ["Now drawing from 'AC Power'\n -InternalBattery-0 100%; charged", true],
    ["Now drawing from 'Battery Power'\n -InternalBattery-0 80%; discharging", false],
    [null, null],
  ])("power adapter from %j is %j", (text, found) => expect(adapterOfPmset(text)).toBe(found));

  it.each([
    ["Currently in use:\n lowpowermode         1\n sleep 1", true],
    ["Currently in use:\n powermode            0", false],
    ["Currently in use:\n powermode            2", false],
    ["Currently in use:\n sleep 1", null],
    [null, null],
  ])("Low Power Mode from %j is %j", (text, found) => expect(lowPowerOfPmset(text)).toBe(found));

  it.each([
    ["CPU_Scheduler_Limit = 100\nCPU_Speed_Limit = 80", "speed limit 80%"],
    ["CPU_Speed_Limit = 100", "nominal"],
    ["Note: No thermal warning level has been recorded", "nominal"],
    ["something else", null],
    [null, null],
  ])("heat from %j is %j", (text, found) => expect(thermalOfPmset(text)).toBe(found));
});

describe("on Linux", () => {
  it("a zone beyond its passive trip is slowed; zones without one tell nothing", () => {
    expect(thermalOfZones([{ milliDegrees: 64_000, trips: [95_000] }])).toBe("nominal");
    expect(thermalOfZones([{ milliDegrees: 96_400, trips: [95_000, 110_000] }])).toBe("slowed at 96 °C");
    expect(thermalOfZones([{ milliDegrees: 64_000, trips: [] }])).toBeNull();
    expect(thermalOfZones([{ milliDegrees: Number.NaN, trips: [95_000] }])).toBeNull();
  });
});

describe("mounts", () => {
  const linux =
    "/dev/sda1 / ext4 rw 0 0\nserver:/x /data nfs4 rw 0 0\ntmpfs /data/my\\040cache tmpfs rw 0 0\nnone /twice ext4 rw 0 0\nover /twice xfs rw 0 0\n";
  it.each([
    ["/home/ann", "ext4"],
    ["/data/train", "nfs4"],
    ["/data", "nfs4"],
    ["/database", "ext4"],
    ["/data/my cache/x", "tmpfs"],
    // The later of two mounts hides the earlier one.
    ["/twice/x", "xfs"],
  ])("%s lies on %s", (file, type) => expect(mountTypeIn(linux, file)).toBe(type));

  it("macOS writes them otherwise", () => {
    const mac = "/dev/disk3s1s1 on / (apfs, sealed, local)\n//ann@nas/x on /Volumes/my nas (smbfs, nodev)";
    expect(mountTypeIn(mac, "/Volumes/my nas/cache")).toBe("smbfs");
    expect(mountTypeIn(mac, "/Users")).toBe("apfs");
  });

  it("a table that is not there tells nothing", () => expect(mountTypeIn(null, "/x")).toBeNull());
});

it.each([
  ["2.15.0", "stable"],
  ["2.15.0+cpu", "stable"],
  ["2.15.0+cu128", "stable"],
  ["2.16.0.dev20261101", "nightly"],
  ["2.16.0a0+git1f0c22", "nightly"],
])("libtorch %s is %s", (version, build) => expect(torchBuildOf(version)).toBe(build));

it("this machine says at least what it is", () => {
  expect(computer()).toMatchObject({ platform: process.platform, architecture: process.arch });
  expect(computer().cores).toBeGreaterThan(0);
});
