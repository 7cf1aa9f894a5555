// Measures what flushes cost, by the length of an epoch: fifty epochs of 200 ms, in which memory must not grow by a
// byte; and shorter and longer ones, with a leak and without, whose verdict must be right whatever it costs.
import path from "node:path";
import { root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { type Figures, runProgram, takeTurns } from "./rounds.ts";
import { TWO_CORES } from "./machine.ts";
import { markdownTable, verdict } from "./table.ts";

const PROGRAM = path.join(root, "dist/test/bench/programs/flush.js");

/** Milliseconds an epoch, and how many of them. */
const LOOPS = [
  [5, 10],
  [5, 30],
  [50, 10],
  [50, 30],
  [500, 10],
  [5_000, 10],
] as const;

const run = (...args: readonly number[]): Promise<Figures> =>
  runProgram(process.execPath, ["--expose-gc", PROGRAM, ...args.map(String)], SESSION_ENVIRONMENT);

async function eachLoop(keptMebibytes: number): Promise<Figures> {
  const found: Record<string, number> = {};
  for (const [epochMs, epochs] of LOOPS) {
    const figures = await run(epochMs, epochs, keptMebibytes);
    for (const figure of [
      "flushes, ms of the loop",
      "flushes, % of the epochs",
      "full collections",
      "right verdicts",
    ])
      found[`${epochs} epochs of ${epochMs} ms: ${figure}`] = figures[figure]!;
  }
  return found;
}

export async function flush(): Promise<string> {
  const steady = await takeTurns([{ name: "mpslab", trial: () => run(200, 50) }], 5);
  const median = (figure: string) => steady.get("mpslab")!.get(figure)!.median;
  const growth =
    median("allocated after the last flush, bytes") - median("allocated after the second flush, bytes");
  const byLength = await takeTurns(
    [
      { name: "keeps nothing", trial: () => eachLoop(0) },
      { name: "keeps 1 MiB an epoch", trial: () => eachLoop(1) },
    ],
    3,
  );
  const wrong = [...byLength.values()].flatMap((figures) =>
    [...figures].filter(([name, { min }]) => name.endsWith("right verdicts") && min < 1),
  );
  return [
    markdownTable(steady, "50 epochs of 200 ms"),
    "",
    verdict("growth from the second flush to the last, bytes", growth, 0),
    verdict("flushes, % of the epochs", median("flushes, % of the epochs"), 5, TWO_CORES),
    "",
    markdownTable(byLength, "by the length of an epoch"),
    "",
    verdict("wrong verdicts", wrong.length, 0),
  ].join("\n");
}
