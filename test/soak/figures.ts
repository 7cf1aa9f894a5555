// What the processes of a soaked kernel hold in the course of the cells, and whether it is flat.
//
// MPSLAB_SOAK_SNAPSHOTS=1000,3000 keeps heap snapshots after so many cells, in output/: a leak is what is in the later one
// and not in the earlier. Their making takes native memory, which the figures after it show.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { figuresOf, findProcesses, type ProcessFigures, type ProcessName } from "./processes.ts";
import { grouped } from "../../lib/grouped.ts";
import { type Judgement, judge, type Sample, type Trend, trendOf } from "./flatness.ts";
import type { SoakedKernel } from "./soaked_kernel.ts";

/** One process at one moment. A session that was killed has a successor with another `pid`. */
export interface Row {
  readonly cells: number;
  readonly hours: number;
  readonly name: ProcessName;
  readonly pid: number;
  readonly figures: ProcessFigures;
}

/**
 * What is judged, with how much it may grow in a thousand cells. V8 keeps some 140 bytes, the scope of its names, for each
 * script that declares a variable in REPL mode, also for `let x = 1` again and again in Node alone. Descriptors rise once
 * in a session's life: by four with the first chart, whose worker has an event loop, by three with the first snapshot, and by
 * one with the first `%sh`.
 */
export const LIMITS = {
  heap: { name: "V8 heap", unit: "MB", limit: { kernel: 0.1, session: 0.2, language: 0.1 } },
  anonymous: { name: "anonymous memory", unit: "MB", limit: 1 },
  descriptors: { name: "descriptors", unit: "", limit: 0.05 },
} as const;

export interface Verdict {
  readonly name: string;
  readonly trend: Trend | null;
  readonly limit: number;
  readonly judgement: Judgement;
}

const SNAPSHOTS = (process.env["MPSLAB_SOAK_SNAPSHOTS"] ?? "").split(",");

/** @param done the schedule's cells so far */
export async function takeFigures(soaked: SoakedKernel, hours: number, done: number): Promise<Row[]> {
  const rows: Row[] = [];
  // The probe looks for it.
  const marker = path.join(soaked.folder, "snapshots");
  if (SNAPSHOTS.includes(String(done))) {
    mkdirSync("output", { recursive: true });
    writeFileSync(marker, path.resolve("output"));
  }
  for (const [name, pid] of Object.entries(findProcesses(soaked.pid)) as [
    ProcessName,
    number | undefined,
  ][]) {
    if (pid === undefined) continue;
    const figures = await figuresOf(pid, soaked.folder, soaked.isProbed && name !== "language");
    rows.push({ cells: soaked.cells, hours, name, pid, figures });
  }
  rmSync(marker, { force: true });
  return rows;
}

/** What a kernel remembers of a session's cells, up to a bound, it forgets with the session. */
const YOUNG_CELLS = 500;

/** Of the sessions those that lived long; of the kernel the moments in which its session is young. */
export function verdictsOf(rows: readonly Row[]): Verdict[] {
  const processes = {
    kernel: [besideYoungSessions(rows)],
    session: longLived(rows.filter(({ name }) => name === "session")),
    language: longLived(rows.filter(({ name }) => name === "language")),
  };
  return (Object.keys(processes) as ProcessName[]).flatMap((name) => {
    return (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).flatMap((key) => {
      const samples = processes[name].map((life) =>
        life.flatMap(({ cells, figures }): Sample[] => {
          const value = figures[key];
          return value === null ? [] : [{ cells, value }];
        }),
      );
      if (samples.every(({ length }) => length === 0)) return [];
      const { name: what, unit, limit: limits } = LIMITS[key];
      const limit = typeof limits === "number" ? limits : limits[name];
      const trend = trendOf(samples);
      const called = `${name}: ${what}${unit === "" ? "" : `, ${unit}`} per 1,000 cells`;
      return [{ name: called, trend, limit, judgement: judge(trend, limit) }];
    });
  });
}

/** So few would give no line. */
const LEAST_SESSIONS = 4;

/** The kernel's rows; all of them where few sessions lived. */
function besideYoungSessions(rows: readonly Row[]): readonly Row[] {
  const begins = new Map<number, number>();
  const ages = new Map<number, number>();
  for (const { name, pid, cells } of rows) {
    if (name !== "session") continue;
    if (!begins.has(pid)) begins.set(pid, cells);
    ages.set(cells, cells - begins.get(pid)!);
  }
  const kernel = rows.filter(({ name }) => name === "kernel");
  return begins.size < LEAST_SESSIONS
    ? kernel
    : kernel.filter(({ cells }) => (ages.get(cells) ?? Infinity) <= YOUNG_CELLS);
}

/** A process that is killed soon shows how caches fill, and nothing else: the longest-lived, and others of half its life. */
function longLived(rows: readonly Row[]): Row[][] {
  const lives = [...grouped(rows.map((row) => [row.pid, row] as const)).values()];
  const longest = Math.max(0, ...lives.map(({ length }) => length));
  return lives.filter(({ length }) => length > 0 && length >= longest / 2);
}
