// What differs between Linux and macOS, on a Mac of recordings: nothing here asks the machine that runs the test.
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { sessionEnvironment } from "../../../kernel/session/process.ts";
import { parseConnection } from "../../../kernel/protocol/connection.ts";
import { usage } from "../../../kernel/shell/usage.ts";
import { machineMemory } from "../../../lib/lab/core/memory_pressure.ts";
import { computer, mountTypeOf } from "../../../lib/lab/core/system_info.ts";
import { availableBytes, availableOfVmStat } from "../../../lib/platform/available_memory.ts";
import {
  jupyterDataFolder,
  longestSocketPath,
  programName,
  socketFolder,
  userDataFolder,
} from "../../../lib/platform/folders.ts";
import { beganAt, processParents, processUsages } from "../../../lib/platform/processes.ts";
import { type System, thisSystem } from "../../../lib/platform/system.ts";
import { processorOfMac } from "../../../lib/torch/engine/instruction_sets.ts";
import {
  PMSET_BATT_DESKTOP,
  PMSET_THERM_INTEL,
  PMSET_THERM_SLOWED,
  VM_STAT,
  recordedMac,
} from "./recorded_mac.ts";

const mac = recordedMac();
const linux: System = { ...thisSystem, name: "linux" };
const MIB = 2 ** 20;

describe("memory of a Mac", () => {
  it("is available where pages are free or can be taken back, not where they are free alone", () => {
    expect(availableBytes(mac)).toBe((129_780 + 273_368 + 7_622) * 16_384);
  });

  it.each(["", "vm_stat: failed", VM_STAT.replace("Pages inactive", "Pages idle")])(
    "is not known from %j",
    (text) => {
      expect(availableOfVmStat(text)).toBeNull();
    },
  );

  it("comes with swap and pressure", () => {
    expect(machineMemory(mac)).toEqual({
      availableBytes: (129_780 + 273_368 + 7_622) * 16_384,
      swapBytes: 2743.5 * MIB,
      pressure: "normal",
    });
  });

  it("is unknown where no program answers", () => {
    const silent = { ...mac, answerOf: () => null };
    expect(machineMemory(silent)).toEqual({ availableBytes: null, swapBytes: null, pressure: null });
  });

  it("is what JupyterLab is told of the host", async () => {
    const told = await usage([412, 5120], mac);
    expect(told).toMatchObject({
      kernel_memory: (48_720 + 9_216) * 1024,
      kernel_cpu: 1.5,
      host_virtual_memory: { available: (129_780 + 273_368 + 7_622) * 16_384 },
    });
  });
});

describe("a Mac's power and heat", () => {
  it("are read from pmset", () => {
    expect(computer(mac)).toMatchObject({
      platform: "darwin",
      architecture: "arm64",
      osRelease: "25.5.0",
      rosetta: false,
      powerAdapter: true,
      lowPowerMode: false,
      thermalState: "nominal",
    });
  });

  it.each<[string, Record<string, string | null>, Partial<ReturnType<typeof computer>>]>([
    ["no battery", { "/usr/bin/pmset -g batt": PMSET_BATT_DESKTOP }, { powerAdapter: true }],
    ["an Intel processor", { "/usr/bin/pmset -g therm": PMSET_THERM_INTEL }, { thermalState: "nominal" }],
    ["heat", { "/usr/bin/pmset -g therm": PMSET_THERM_SLOWED }, { thermalState: "speed limit 28%" }],
    ["Rosetta", { "/usr/sbin/sysctl -in sysctl.proc_translated": "1\n" }, { rosetta: true }],
    ["Intel's own processor", { "/usr/sbin/sysctl -in sysctl.proc_translated": "" }, { rosetta: false }],
    [
      "no pmset",
      { "/usr/bin/pmset -g": null, "/usr/bin/pmset -g batt": null, "/usr/bin/pmset -g therm": null },
      { powerAdapter: null, lowPowerMode: null, thermalState: null },
    ],
  ])("of one with %s", (_, answers, expected) => {
    expect(computer(recordedMac(answers))).toMatchObject(expected);
  });

  it("come with the features of its processor", () => {
    expect(processorOfMac(mac).vectorFlags).toEqual([
      "FEAT_BF16",
      "FEAT_DotProd",
      "FEAT_FHM",
      "FEAT_FP16",
      "FEAT_I8MM",
      "FEAT_SME",
      "FEAT_SME2",
    ]);
  });
});

describe("a Mac's processes", () => {
  it("name their parents", () => {
    expect(processParents(mac)).toEqual([
      [1, 0],
      [412, 1],
      [5120, 412],
    ]);
  });

  it("began at a date, or have ended", () => {
    expect(beganAt(412, mac)).toBe("Mon Apr 27 20:41:26 2026");
    expect(beganAt(999, mac)).toBeNull();
  });

  it("use memory and time", async () => {
    expect(await processUsages([412, 5120], mac)).toEqual([
      { residentBytes: 48_720 * 1024, cpuPercent: 1.5 },
      { residentBytes: 9_216 * 1024, cpuPercent: 0 },
    ]);
  });

  it("of this machine are found by the same words", () => {
    const parent = processParents().find(([pid]) => pid === process.pid)?.[1];
    expect(parent).toBe(process.ppid);
    expect(beganAt(process.pid)).not.toBeNull();
  });

  it("began at the same date whatever the language and time zone of the one who asks", () => {
    // Two sessions compare it, to see whether a lock's owner still runs.
    const answers = ["Asia/Tokyo", "America/New_York"].map((zone) => {
      vi.stubEnv("LC_ALL", "de_DE.UTF-8");
      vi.stubEnv("TZ", zone);
      return beganAt(process.pid, { ...thisSystem, name: "darwin" });
    });
    vi.unstubAllEnvs();
    expect(answers[0]).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(answers[1]).toBe(answers[0]);
  });
});

it("a Mac's file systems are read from mount", () => {
  expect(mountTypeOf("/", mac)).toBe("apfs");
  expect(mountTypeOf("/dev", mac)).toBe("devfs");
});

describe("folders", () => {
  it.each([
    [{ JUPYTER_DATA_DIR: "/data" }, linux, "/data"],
    [{ XDG_DATA_HOME: "/xdg" }, linux, "/xdg/jupyter"],
    [{}, linux, path.join(homedir(), ".local/share/jupyter")],
    [{ XDG_DATA_HOME: "/xdg" }, mac, path.join(homedir(), "Library/Jupyter")],
  ] as const)("Jupyter's data with %j is in the third of %#", (environment, system, expected) => {
    expect(jupyterDataFolder(environment, system)).toBe(expected);
  });

  it("of a Mac's user data have a space in their name", () => {
    expect(userDataFolder({}, mac)).toBe(path.join(homedir(), "Library", "Application Support"));
  });

  it("hold programs without an ending", () => {
    expect(programName("node", mac)).toBe("node");
    expect(programName("node", { ...linux, name: "win32" })).toBe("node.exe");
  });
});

describe("Unix sockets", () => {
  const OF_USER = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T";
  const NAME = "mpslab-XXXXXX/kernel-5";

  it("have shorter paths on a Mac", () => {
    expect(longestSocketPath(mac)).toBe(103);
    expect(longestSocketPath(linux)).toBe(107);
  });

  it("lie in the user's folder for temporary files, unless its path is too long", () => {
    expect(socketFolder(NAME, OF_USER, mac)).toBe(OF_USER);
    const exactly = `/${"t".repeat(103 - NAME.length - 2)}`;
    expect(socketFolder(NAME, exactly, mac)).toBe(exactly);
    expect(socketFolder(NAME, `${exactly}t`, mac)).toBe("/tmp");
    expect(socketFolder(NAME, `${exactly}t`, linux)).toBe(`${exactly}t`);
    expect(socketFolder(NAME, "/tmp/ü".padEnd(79, "ü"), mac)).toBe("/tmp");
  });

  it("whose path Jupyter made too long are refused with the limit", () => {
    const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
    const connection = (ip: string) => JSON.stringify({ ...ports, transport: "ipc", ip, key: "" });
    const longest = `/tmp/${"k".repeat(96)}`;
    expect(parseConnection(connection(longest), "connection.json", mac).shell).toBe(`ipc://${longest}-1`);
    expect(() => parseConnection(connection(`${longest}k`), "connection.json", mac)).toThrow(
      `connection.json: ip must be a shorter path (a socket's has at most 103 bytes here), not "${longest}k". Let Jupyter write the file anew.`,
    );
  });
});

describe("the session's environment", () => {
  it("sets OpenMP and malloc as each system has them", () => {
    expect(sessionEnvironment(mac, {})).toEqual({ KMP_BLOCKTIME: "1" });
    expect(sessionEnvironment(linux, {})).toEqual({
      GOMP_SPINCOUNT: "4000",
      GLIBC_TUNABLES: expect.stringContaining("glibc.malloc.tcache_count=1000"),
    });
  });

  it("leaves OpenMP to a user who has said how its threads wait", () => {
    expect(sessionEnvironment(mac, { OMP_WAIT_POLICY: "passive" })).toEqual({});
    expect(sessionEnvironment(linux, { OMP_WAIT_POLICY: "passive" })).not.toHaveProperty("GOMP_SPINCOUNT");
  });
});
