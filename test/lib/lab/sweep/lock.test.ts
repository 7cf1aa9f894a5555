// Tests two processes on one journal: which is refused, which takes over, and when a lock counts as abandoned.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";
import { lockFile } from "../../../../lib/lab/sweep/lock.ts";

const folder = mkdtempSync(path.join(tmpdir(), "lock-"));
/** Another process that lives as long as the test. */
let other: ChildProcess;
let file: string;
let lock: string;
let files = 0;

beforeAll(() => {
  other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
});
beforeEach(() => {
  file = path.join(folder, `${++files}.jsonl`);
  lock = `${file}.lock`;
});
afterAll(() => {
  other.kill();
  rmSync(folder, { recursive: true });
});

const sweep = () =>
  lab.sweep({
    warmupSteps: 1,
    windows: 1,
    windowMs: 1,
    show: false,
    journal: file,
    batch: [1],
    setup: () => () => {},
  });

/** Leaves a lock as another kernel does. By default that kernel lives. */
function lockedBy(change: { host?: string; pid?: number; began?: string | null } = {}): void {
  const { began } = JSON.parse(heldBy(other.pid!)) as { began: string | null };
  const since = "2026-11-22T04:00:00.000Z";
  writeFileSync(
    lock,
    JSON.stringify({ token: "a", host: hostname(), pid: other.pid, began, since, ...change }),
  );
}

/** Returns what a process writes of itself, read from that process. */
function heldBy(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return JSON.stringify({
    began: `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`,
  });
}

/** Elsewhere `ps` tells when a process began, in words that a test would have to take from the code that it tests. */
const linux = process.platform === "linux";

it.runIf(linux)(
  "a sweep whose journal another kernel writes is refused, and that one's lock and journal stay as they are",
  async () => {
    lockedBy();
    await expect(sweep()).rejects.toThrow(
      `${file} is being written by a sweep of another session (process ${other.pid} on ${hostname()}, since 2026-11-22T04:00:00.000Z): give this sweep another name, or wait for that one.`,
    );
    expect(existsSync(file)).toBe(false);
    expect(JSON.parse(readFileSync(lock, "utf8"))).toMatchObject({ token: "a" });
  },
);

it.runIf(linux)("a pid that was given to another process since is no holder", async () => {
  lockedBy({ began: "an earlier boot 1" });
  expect((await sweep()).points).toHaveLength(1);
});

it.runIf(linux)("a process that was killed holds nothing, and the sweep goes on", async () => {
  const killed = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  const { began } = JSON.parse(heldBy(killed.pid!)) as { began: string };
  lockedBy({ pid: killed.pid!, began });
  await expect(sweep()).rejects.toThrow(`process ${killed.pid} on`);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  expect((await sweep()).points).toHaveLength(1);
});

it("of another machine nobody can say whether it lives: the way out is told", async () => {
  lockedBy({ host: "studio" });
  await expect(sweep()).rejects.toThrow(
    `(process ${other.pid} on studio, since 2026-11-22T04:00:00.000Z): give this sweep another name, or wait for that one; if that one has ended, delete ${lock}.`,
  );
});

it("of another machine it counts though no process of that number lives here", async () => {
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  lockedBy({ host: "studio", pid: ended.pid! });
  await expect(sweep()).rejects.toThrow(`(process ${ended.pid} on studio, since `);
  lockedBy({ pid: ended.pid! });
  expect((await sweep()).points).toHaveLength(1);
});

it("a lock that does not say whose it is counts while it may still be written, and not after", async () => {
  writeFileSync(lock, "");
  await expect(sweep()).rejects.toThrow(`${file} is being written by a sweep of another session: `);
  utimesSync(lock, 0, 0);
  expect((await sweep()).points).toHaveLength(1);
});

it("is there while the sweep runs, and gone when it has ended or thrown, with nothing beside the journal", async () => {
  let held = false;
  const stop = Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
  const options = {
    warmupSteps: 1,
    windows: 1,
    windowMs: 1,
    show: false,
    journal: file,
    batch: [1],
  } as const;
  const setup = () => {
    held = existsSync(lock);
    throw stop;
  };
  await expect(lab.sweep({ ...options, setup })).rejects.toThrow(stop);
  expect(held).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith(`${files}.`))).toEqual([path.basename(file)]);
});

it("released late, after another has taken over, it leaves that one's lock", () => {
  const first = lockFile(file);
  const second = lockFile(file);
  first.release();
  expect(existsSync(lock)).toBe(true);
  second.release();
  expect(existsSync(lock)).toBe(false);
});
