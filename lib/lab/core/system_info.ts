// Reads what a run's speed depends on besides its code: processor, translation by Rosetta, power, heat, load, mounts.
// It uses the system's files and tools; what a system does not report is null.
import { realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type System, thisSystem } from "../../platform/system.ts";

export interface Computer {
  readonly platform: string;
  /** The architecture of this process: x64 under Rosetta on an Apple processor. */
  readonly architecture: string;
  /** False where there is no translation. */
  readonly rosetta: boolean | null;
  readonly osRelease: string;
  readonly processor: string | null;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly powerAdapter: boolean | null;
  readonly lowPowerMode: boolean | null;
  /** `nominal`, or the measure that the system takes against heat. */
  readonly thermalState: string | null;
  /** The mean number of runnable processes in the last minute divided by the number of cores; 1 is fully busy. */
  readonly loadPerCore: number | null;
}

/** Above it there is more work than cores. */
export const FULL_LOAD_PER_CORE = 1;

export function computer(system: System = thisSystem): Computer {
  const mac = system.name === "darwin";
  const cores = os.availableParallelism();
  return {
    platform: system.name,
    architecture: system.architecture,
    rosetta: mac ? translated(system.answerOf("/usr/sbin/sysctl", ["-in", "sysctl.proc_translated"])) : false,
    osRelease: system.release,
    processor: os.cpus()[0]?.model ?? null,
    cores,
    memoryBytes: os.totalmem(),
    ...(mac ? powerOfMac(system) : powerOfLinux(system)),
    loadPerCore: system.name === "win32" ? null : Math.round((os.loadavg()[0]! / cores) * 100) / 100,
  };
}

type Power = Pick<Computer, "powerAdapter" | "lowPowerMode" | "thermalState">;

function powerOfMac(system: System): Power {
  const pmset = (...words: string[]) => system.answerOf("/usr/bin/pmset", ["-g", ...words]);
  return {
    powerAdapter: adapterOfPmset(pmset("batt")),
    lowPowerMode: lowPowerOfPmset(pmset()),
    thermalState: thermalOfPmset(pmset("therm")),
  };
}

/** The processor's own word for a process that Rosetta translates; an empty answer is an Intel Mac. */
export function translated(answer: string | null): boolean | null {
  return answer === null ? null : answer.trim() === "1";
}

/** `Now drawing from 'AC Power'` -> true */
export function adapterOfPmset(text: string | null): boolean | null {
  const source = /drawing from '([^']+)'/.exec(text ?? "")?.[1];
  return source === undefined ? null : source === "AC Power";
}

/** ` lowpowermode 1` -> true; newer systems call it `powermode`, where 2 is high power. */
export function lowPowerOfPmset(text: string | null): boolean | null {
  const mode = /^\s*(?:lowpowermode|powermode)\s+(\d)/m.exec(text ?? "")?.[1];
  return mode === undefined ? null : mode === "1";
}

/** `CPU_Speed_Limit = 80` -> `speed limit 80%` */
export function thermalOfPmset(text: string | null): string | null {
  if (text === null) return null;
  const limit = /CPU_Speed_Limit\s*=\s*(\d+)/.exec(text)?.[1];
  if (limit !== undefined) return limit === "100" ? "nominal" : `speed limit ${limit}%`;
  return /No thermal warning level has been recorded/.test(text) ? "nominal" : null;
}

function powerOfLinux(system: System): Power {
  const textOf = (file: string) => system.textOf(file)?.trim() ?? null;
  const children = (folder: string) => system.namesIn(folder).map((name) => path.join(folder, name));
  const supplies = children("/sys/class/power_supply").map((folder) => ({
    type: textOf(`${folder}/type`),
    online: textOf(`${folder}/online`),
  }));
  const mains = supplies.filter(({ type, online }) => type === "Mains" && online !== null);
  const profile = textOf("/sys/firmware/acpi/platform_profile");
  const zones = children("/sys/class/thermal")
    .filter((folder) => path.basename(folder).startsWith("thermal_zone"))
    .map((folder) => ({
      milliDegrees: Number(textOf(`${folder}/temp`) ?? Number.NaN),
      trips: passiveTrips(children(folder), textOf),
    }));
  return {
    powerAdapter: mains.length === 0 ? null : mains.some(({ online }) => online === "1"),
    lowPowerMode: profile === null ? null : profile === "low-power",
    thermalState: thermalOfZones(zones),
  };
}

export interface ThermalZone {
  readonly milliDegrees: number;
  /** Temperatures above which the system slows its processor. */
  readonly trips: readonly number[];
}

/** Reads the zones that report a throttling temperature; one zone above its own decides. */
export function thermalOfZones(zones: readonly ThermalZone[]): string | null {
  const told = zones.filter(({ milliDegrees, trips }) => Number.isFinite(milliDegrees) && trips.length > 0);
  if (told.length === 0) return null;
  const hot = told.find(({ milliDegrees, trips }) => milliDegrees >= Math.min(...trips));
  return hot === undefined ? "nominal" : `slowed at ${Math.round(hot.milliDegrees / 1000)} °C`;
}

function passiveTrips(files: readonly string[], textOf: (file: string) => string | null): number[] {
  return files
    .filter((file) => /trip_point_\d+_type$/.test(file) && textOf(file) === "passive")
    .map((file) => Number(textOf(file.replace(/_type$/, "_temp")) ?? Number.NaN))
    .filter((degrees) => Number.isFinite(degrees) && degrees > 0);
}

/** The file system of a path: `ext4`, `nfs4`, `apfs`; null if the system does not report it. */
export function mountTypeOf(file: string, system: System = thisSystem): string | null {
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    return null;
  }
  const table = system.name === "darwin" ? system.answerOf("/sbin/mount", []) : system.textOf("/proc/mounts");
  return mountTypeIn(table, real);
}

/** `server:/x /data nfs4 rw 0 0` as Linux writes it, `/dev/disk1 on /data (apfs, local)` as macOS does. */
export function mountTypeIn(table: string | null, file: string): string | null {
  const mounts = (table ?? "").split("\n").flatMap((line) => {
    const found = /^.+? on (.+) \((\w+)/.exec(line) ?? /^\S+ (\S+) (\S+) /.exec(line);
    return found ? [{ folder: found[1]!.replaceAll("\\040", " "), type: found[2]! }] : [];
  });
  const over = mounts.filter(
    ({ folder }) => file === folder || file.startsWith(folder.endsWith("/") ? folder : `${folder}/`),
  );
  // If two mounts share a folder, the later one hides the earlier.
  return (
    over.reduce<{ folder: string; type: string } | null>(
      (best, mount) => (best === null || mount.folder.length >= best.folder.length ? mount : best),
      null,
    )?.type ?? null
  );
}
