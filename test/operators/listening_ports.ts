// Which ports the processes of a program listen at, as Linux lists them. They are known by a variable of the environment
// that each inherits, so that one whose parent has ended is found too.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** `127.0.0.1:4711`, of processes with this variable. */
export function listeningAt(variable: string, value: string): string[] {
  const owned = new Set(processesWith(`${variable}=${value}`).flatMap(socketsOf));
  const tables = ["tcp", "tcp6", "udp", "udp6"].flatMap((table) =>
    rowsOf(table)
      .filter(({ state, inode }) => owned.has(inode) && state === (table.startsWith("tcp") ? "0A" : "07"))
      .map(({ address }) => `${table.startsWith("udp") ? "udp " : ""}${address}`),
  );
  return tables.toSorted();
}

/** Whether only this machine reaches it: `127.0.0.1:4711`, `[::1]:4711`. */
export const isLocal = (address: string): boolean =>
  /^(?:udp )?(?:127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:127\.0\.0\.1\]):/.test(address);

function processesWith(assignment: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(assignment);
    } catch {
      return false; // It has ended, or is another user's.
    }
  });
}

function socketsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

interface Row {
  readonly address: string;
  readonly state: string;
  readonly inode: string;
}

function rowsOf(table: string): Row[] {
  const [, ...lines] = readFileSync(`/proc/self/net/${table}`, "latin1").trim().split("\n");
  return lines.map((line) => {
    const [, local = "", , state = "", , , , , , inode = ""] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    return { address: `${readAddress(address)}:${Number.parseInt(port, 16)}`, state, inode };
  });
}

/** Words of 32 bits, each with its lowest byte first. */
function readAddress(hex: string): string {
  const bytes = hex.match(/.{8}/g)!.flatMap((word) => [...Buffer.from(word, "hex").reverse()]);
  if (bytes.length === 4) return bytes.join(".");
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (mapped) return `[::ffff:${bytes.slice(12).join(".")}]`;
  if (bytes.every((byte, at) => byte === (at === 15 ? 1 : 0))) return "[::1]";
  return `[${Buffer.from(bytes).toString("hex").match(/.{4}/g)!.join(":")}]`;
}
