// Runs a soak: the schedule's cells and faults in a real kernel, compared with the model after each fault. Prints nothing.
import type { SoakCell } from "./cells.ts";
import { pausedDebugger } from "./faults/debugger.ts";
import { fullDisk } from "./faults/disk.ts";
import { kill } from "./faults/kill.ts";
import { reload } from "./faults/reload.ts";
import { slow } from "./faults/slow.ts";
import { stop } from "./faults/stop.ts";
import { type Row, takeFigures } from "./figures.ts";
import type { SoakOptions } from "./options.ts";
import { type FaultKind, type Gap, schedule } from "./schedule.ts";
import { type Scale, SoakedKernel } from "./soaked_kernel.ts";
import { startKernel } from "./start_kernel.ts";
import { within } from "./violation.ts";

/** Returns the milliseconds from the end of the disturbance to the first cell that ran again. */
type Fault = (soaked: SoakedKernel, random: () => number) => Promise<number>;

const FAULTS_BY_KIND: Readonly<Record<FaultKind, Fault>> = {
  kill,
  stop,
  disk: fullDisk,
  reload,
  slow,
  debugger: pausedDebugger,
};

export interface SoakResult {
  readonly options: SoakOptions;
  readonly hours: number;
  readonly cells: number;
  readonly libtorch: string;
  readonly disk: string;
  readonly rows: readonly Row[];
  /** Recovery times in milliseconds, one a fault. */
  readonly recoveries: ReadonlyMap<FaultKind, readonly number[]>;
  /** Null if every promise held. */
  readonly violation: string | null;
}

export interface SoakSettings {
  readonly scale: Scale;
  readonly gap?: Gap;
  /** Cells between two looks at the processes. */
  readonly figuresEvery: number;
  readonly told: (line: string) => void;
  /** Ends it before the next cell, with the results so far. */
  readonly signal?: AbortSignal;
}

/** After so many cells an editor asks: a completion, a hover. */
const EDITOR_EVERY = 10;
/** It finds what hangs. */
const FAULT_MS = 600_000;
const HOUR_MS = 3_600_000;

export async function soak(options: SoakOptions, settings: SoakSettings): Promise<SoakResult> {
  const begunMs = performance.now();
  const hours = () => (performance.now() - begunMs) / HOUR_MS;
  const rows: Row[] = [];
  const recoveries = new Map(options.faults.map((kind) => [kind, [] as number[]]));
  let at = "the start";
  let violation: string | null = null;
  let libtorch = "";
  const soaked = new SoakedKernel(await startKernel(), settings.scale);
  try {
    await soaked.prepare();
    libtorch = (await soaked.run("console.log(torch.version);")).stdout.trim();
    let done = 0;
    rows.push(...(await takeFigures(soaked, hours(), done)));
    for (const step of schedule(options.seed, options.kinds, options.faults, settings.gap)) {
      const isDone = done >= (options.cells ?? Infinity) || hours() >= (options.hours ?? Infinity);
      if (isDone || settings.signal?.aborted === true) break;
      if (step.type === "fault") {
        at = `the fault ${step.kind}`;
        const fault = FAULTS_BY_KIND[step.kind](soaked, step.random);
        const recoveryMs = await within(FAULT_MS, at, fault);
        recoveries.get(step.kind)!.push(recoveryMs);
        at = `what must hold after the fault ${step.kind}`;
        await soaked.compare();
        settings.told(`${soaked.cells} cells: ${step.kind}, ${recoveryMs.toFixed(0)} ms`);
        continue;
      }
      at = `a cell of the kind ${step.cell.kind}`;
      await runCell(soaked, step.cell);
      if (++done % EDITOR_EVERY === 0) await askEditor(soaked);
      if (done % settings.figuresEvery === 0) rows.push(...(await takeFigures(soaked, hours(), done)));
    }
    at = "the end";
    await soaked.compare();
    rows.push(...(await takeFigures(soaked, hours(), done)));
    await soaked.stop();
  } catch (error) {
    violation = explained(error as Error, at, options.seed, soaked);
  } finally {
    soaked.close();
  }
  const { cells, disk } = soaked;
  return { options, hours: hours(), cells, libtorch, disk: disk.how, rows, recoveries, violation };
}

async function runCell(soaked: SoakedKernel, { code, status, assigns }: SoakCell): Promise<void> {
  await soaked.run(code, status);
  soaked.variables.assigned(assigns);
}

async function askEditor({ client }: SoakedKernel): Promise<void> {
  const completion = client.request("complete_request", { code: "model.pa", cursor_pos: 8 });
  await within(FAULT_MS, "A completion", completion);
  const help = client.request("inspect_request", { code: "model", cursor_pos: 3, detail_level: 0 });
  await within(FAULT_MS, "A tooltip", help);
}

/** What one needs to repeat it. */
function explained(error: Error, at: string, seed: number, soaked: SoakedKernel): string {
  return [
    `${error.name === "Violation" ? error.message : error.stack}`,
    `It was found at ${at}, after ${soaked.cells} cells; --seed ${seed} repeats it.`,
    "The last messages:",
    ...soaked.lastMessages().map((line) => `  ${line}`),
    "The kernel's log:",
    ...soaked.log
      .trimEnd()
      .split("\n")
      .slice(-20)
      .map((line) => `  ${line}`),
  ].join("\n");
}
