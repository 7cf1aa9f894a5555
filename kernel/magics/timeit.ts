// `%timeit`: measures how long an expression takes, from many repetitions.
import { counted } from "../../lib/words.ts";
import { DEFAULT_TIMEIT_RUNS } from "../../lib/magics/grammars.ts";
import type { SessionHandler } from "./handler.ts";
import type { DeviceInterface } from "./session_side.ts";

/** Each run takes at least this long, so that the clock's resolution and the loop's own call do not matter. */
const SHORTEST_RUN_MS = 200;

export const timeit: SessionHandler<"timeit"> = async ({ options }, session, code = () => undefined) => {
  const { formatTime } = await session.units();
  const first = code();
  const isAsync = first instanceof Promise;
  if (isAsync) await session.awaiting(first);
  // This comes after the first call, which may load the library.
  const accelerator = await session.accelerator();
  const measure = (loops: number): Promise<number> =>
    isAsync
      ? timeAsync(code, loops, session.awaiting, accelerator)
      : Promise.resolve(timeSync(code, loops, accelerator));

  const loops = options["-n"] ?? (await enoughLoops(measure));
  const runs = options["-r"] ?? DEFAULT_TIMEIT_RUNS;
  const perLoopMs: number[] = [];
  for (let run = 0; run < runs; run++) perLoopMs.push((await measure(loops)) / loops);
  const { best, mean, spread } = summarize(perLoopMs);
  session.print(
    `${formatTime(mean)} ± ${formatTime(spread)} a loop, best ${formatTime(best)} ` +
      `(mean ± standard deviation of ${counted(runs, "run")}, ${counted(loops, "loop")} each)\n`,
  );
};

/** 1, 2, 5, 10, 20, ... until a run is long enough. */
export async function enoughLoops(measure: (loops: number) => Promise<number>): Promise<number> {
  for (let magnitude = 1; ; magnitude *= 10) {
    for (const digit of [1, 2, 5]) {
      if ((await measure(digit * magnitude)) >= SHORTEST_RUN_MS) return digit * magnitude;
    }
  }
}

export function summarize(values: readonly number[]): { best: number; mean: number; spread: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { best: Math.min(...values), mean, spread: Math.sqrt(squares / values.length) };
}

/** Keeps results: the compiler may remove a loop whose result is unused. */
const kept: { result: unknown } = { result: undefined };

function timeSync(code: () => unknown, loops: number, accelerator: DeviceInterface | null): number {
  accelerator?.synchronize();
  const startMs = performance.now();
  for (let loop = 0; loop < loops; loop++) kept.result = code();
  accelerator?.synchronize();
  const elapsedMs = performance.now() - startMs;
  kept.result = undefined;
  return elapsedMs;
}

async function timeAsync(
  code: () => unknown,
  loops: number,
  awaiting: (value: unknown) => Promise<unknown>,
  accelerator: DeviceInterface | null,
): Promise<number> {
  accelerator?.synchronize();
  const startMs = performance.now();
  for (let loop = 0; loop < loops; loop++) await awaiting(code());
  accelerator?.synchronize();
  return performance.now() - startMs;
}
