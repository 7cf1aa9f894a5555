// How much memory a kernel with all its processes takes: what is theirs only, and each page of a file once, however
// many of them map it. (Resident sizes would count Node's own 40 MB twice; proportional ones depend on what else runs.)
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/**
 * In units of 1,000,000 bytes; reads /proc, as Linux has it.
 *
 * @param counted which processes of the tree count; all of them
 */
export function footprintMegabytes(pid: number, counted: (pid: number) => boolean = () => true): number {
  let privateKib = 0;
  /** KiB of each mapping of a file; of several processes the one that has touched most. */
  const shared = new Map<string, number>();
  for (const mapping of processTree(pid).filter(counted).flatMap(mappingsOf)) {
    const { file, residentKib, anonymousKib } = mapping;
    privateKib += anonymousKib;
    shared.set(file, Math.max(shared.get(file) ?? 0, residentKib - anonymousKib));
  }
  const sharedKib = [...shared.values()].reduce((sum, kib) => sum + kib, 0);
  return ((privateKib + sharedKib) * 1024) / 1e6;
}

/** Whether a process runs the same program as another: of a kernel's children the session, not the type checker. */
export function runsSameProgram(pid: number, other: number): boolean {
  return readlinkSync(`/proc/${pid}/exe`) === readlinkSync(`/proc/${other}/exe`);
}

/** Whether the process, or one below it, has a file of that name mapped. */
export function mapsFile(pid: number, name: RegExp): boolean {
  return processTree(pid).some((one) => name.test(readFileSync(`/proc/${one}/maps`, "utf8")));
}

function processTree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

interface Mapping {
  /** Device, inode, offset and permissions. */
  readonly file: string;
  readonly residentKib: number;
  /** Pages that are no file's, or no longer. */
  readonly anonymousKib: number;
}

function mappingsOf(pid: number): Mapping[] {
  const text = readFileSync(`/proc/${pid}/smaps`, "utf8");
  // 7f24ac000000-7f24ac01c000 r--p 00000000 08:01 1053   /usr/lib/libc.so.6
  return text.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).map((entry) => {
    const [, permissions, offset, device, inode] = entry.split(/\s+/, 5);
    const kib = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(entry)?.[1] ?? 0);
    return {
      file: `${device} ${inode} ${offset} ${permissions}`,
      residentKib: kib("Rss"),
      anonymousKib: kib("Anonymous"),
    };
  });
}
