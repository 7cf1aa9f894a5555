// A Mac as recordings of real ones: what their programs printed, as people published it. Each says whose it is, as a
// repository and a file or an issue; prompts and marks of Markdown are left out. Only the lines of `ps` were written
// after its manual page. `recordedMac` answers as such a system.
import type { System } from "../../../lib/platform/system.ts";

/** Mac mini, M4, macOS 26.5, Darwin 25.5.0, 16 GB: mrinebold/msrHermes, docs/ENVIRONMENT_REPORT.md. */
export const VM_STAT = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                   129780.
Pages active:                                 281638.
Pages inactive:                               273368.
Pages speculative:                              7622.
Pages throttled:                                   0.
Pages wired down:                             136267.
Pages purgeable:                               21173.
"Translation faults":                      148621725.
Pages copy-on-write:                         9619662.
Pages zero filled:                          64923319.
Pages reactivated:                           4493009.
Pages purged:                                 491495.
File-backed pages:                            218388.
Anonymous pages:                              344240.
Pages stored in compressor:                   451881.
Pages occupied by compressor:                 184956.
Decompressions:                              2469747.
Compressions:                                3566239.
Pageins:                                     7075335.
Pageouts:                                      64195.
Swapins:                                           0.
Swapouts:                                          0.
`;

/** walles/px, issue 80. */
export const SWAP_USAGE = "total = 4096.00M  used = 2743.50M  free = 1352.50M  (encrypted)\n";

/** MacBook Pro on arm64: AppHouseKitchen/AlDente-Battery_Care_and_Monitoring, issue 603. */
export const PMSET = `System-wide power settings:
 SleepDisabled\t\t1
Currently in use:
 standby              1
 Sleep On Power Button 1
 hibernatefile        /var/vm/sleepimage
 powernap             1
 networkoversleep     0
 disksleep            10
 sleep                1 (sleep prevented by bluetoothd, com.bombich.ccchelper, com.bombich.ccchelper, powerd, sharingd, com.apphousekitchen.aldente-pro)
 hibernatemode        3
 ttyskeepawake        1
 displaysleep         10 (display sleep prevented by com.apphousekitchen.aldente-pro)
 tcpkeepalive         1
 lowpowermode         0
 womp                 1
`;

/** guarinogabriel/Mac-CLI, pull request 69. */
export const PMSET_BATT_CHARGING = `Now drawing from 'AC Power'
 -InternalBattery-0     84%; charging; 1:05 remaining present: true
`;

/** A Mac without a battery: liquidprompt/liquidprompt, pull request 317. */
export const PMSET_BATT_DESKTOP = "Now drawing from 'AC Power'\n";

/** MacBook Pro, M1 Pro, macOS 12.1: exelban/stats, issue 749. */
export const PMSET_THERM_APPLE = `Note: No thermal warning level has been recorded
Note: No performance warning level has been recorded
Note: No CPU power status has been recorded
`;

/** An Intel Mac: prometheus/node_exporter, issue 2031. */
export const PMSET_THERM_INTEL = `Note: No thermal warning level has been recorded
Note: No performance warning level has been recorded
2021-05-02 11:51:57 +0800 CPU Power notify
\tCPU_Scheduler_Limit \t= 100
\tCPU_Available_CPUs \t= 12
\tCPU_Speed_Limit \t= 100
`;

/** An Intel Mac that slows itself: yujitach/MenuMeters, issue 158. */
export const PMSET_THERM_SLOWED = `2020-06-26 12:30:37 +0200 CPU Power notify
\tCPU_Scheduler_Limit \t= 40
\tCPU_Available_CPUs \t= 8
\tCPU_Speed_Limit \t= 28
`;

/** M4 Pro, macOS 15.5: ArmDeveloperEcosystem/arm-learning-paths, the path that builds KleidiCV; the lines about vectors. */
export const SYSCTL_ARM = `hw.optional.arm.FEAT_FHM: 1
hw.optional.arm.FEAT_DotProd: 1
hw.optional.arm.FEAT_SPECRES: 0
hw.optional.arm.FEAT_BF16: 1
hw.optional.arm.FEAT_EBF16: 0
hw.optional.arm.FEAT_I8MM: 1
hw.optional.arm.FEAT_FP16: 1
hw.optional.arm.FEAT_SSBS: 0
hw.optional.arm.FEAT_SME: 1
hw.optional.arm.FEAT_SME2: 1
`;

/** gdha/rear-automated-testing, issue 78. */
export const MOUNT = `/dev/disk1s5 on / (apfs, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk1s1 on /System/Volumes/Data (apfs, NFS exported, local, journaled)
/dev/disk1s4 on /private/var/vm (apfs, local, journaled, nobrowse)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
`;

/** Dates as `strftime` writes %c, numbers to the right. */
export const PS_LSTART = "Mon Apr 27 20:41:26 2026    \n";
export const PS_PARENTS = "    1     0\n  412     1\n 5120   412\n";
export const PS_USAGE = " 48720   1.5\n  9216   0.0\n";

const ANSWERS: Readonly<Record<string, string>> = {
  "/usr/bin/vm_stat": VM_STAT,
  "/usr/sbin/sysctl -n vm.swapusage kern.memorystatus_vm_pressure_level": `${SWAP_USAGE}1\n`,
  "/usr/sbin/sysctl -in sysctl.proc_translated": "0\n",
  "/usr/sbin/sysctl hw.optional.arm": SYSCTL_ARM,
  "/usr/bin/pmset -g": PMSET,
  "/usr/bin/pmset -g batt": PMSET_BATT_CHARGING,
  "/usr/bin/pmset -g therm": PMSET_THERM_APPLE,
  "/sbin/mount": MOUNT,
  "/bin/ps -o lstart= -p 412": PS_LSTART,
  "/bin/ps -A -o pid=,ppid=": PS_PARENTS,
  "/bin/ps -o rss=,pcpu= -p 412,5120": PS_USAGE,
};

/** @param differs answers by command; null where the program fails */
export function recordedMac(differs: Readonly<Record<string, string | null>> = {}): System {
  const answerOf = (program: string, args: readonly string[]): string | null => {
    const command = [program, ...args].join(" ");
    return command in differs ? (differs[command] ?? null) : (ANSWERS[command] ?? null);
  };
  return {
    name: "darwin",
    architecture: "arm64",
    release: "25.5.0",
    answerOf,
    answerLater: async (program, args) => answerOf(program, args),
    // It has no /proc and no /sys.
    textOf: () => null,
    namesIn: () => [],
  };
}
