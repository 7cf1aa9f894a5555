// One operator: this addon from JavaScript beside PyTorch from Python, on small tensors and by size.
import path from "node:path";
import { OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { geometricMean, runProgram, takeTurns, type Results } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const programs = path.join(root, "test/bench/programs");
const ours = (program: string, ...args: string[]) =>
  runProgram(
    process.execPath,
    [path.join(root, `dist/test/bench/programs/${program}.js`), ...args],
    SESSION_ENVIRONMENT,
  );
const theirs = (program: string) => runProgram(peerPython, [path.join(programs, `${program}.py`)], OPENMP);

/** The geometric mean of a contestant's ratios to PyTorch, and whether it is at most its target. */
function meanVerdict(results: Results, contestant: string, what: string, atMost: number): string {
  const figures = [...results.get(contestant)!.keys()];
  const ratios = figures.map((figure) => ratio(results, figure, contestant, "PyTorch")!);
  return verdict(`geometric mean of the ${ratios.length} ratios, ${what}`, geometricMean(ratios), atMost);
}

async function smallTensors(): Promise<string> {
  const results = await takeTurns(
    [
      { name: "mpslab", trial: () => ours("operators") },
      { name: "PyTorch", trial: () => theirs("operators") },
    ],
    7,
  );
  const mean = meanVerdict(results, "mpslab", "results left to the collector", 1);
  return `${markdownTable(results, "ns per call")}\n\n${mean}`;
}

/** Python's reference counts free a result at once, so a fair twin of its loop disposes; what a loop that does not pays is beside it. */
async function bySize(): Promise<string> {
  const results = await takeTurns(
    [
      { name: "mpslab", trial: () => ours("operators_by_size", "disposed") },
      { name: "PyTorch", trial: () => theirs("operators_by_size") },
      { name: "mpslab, collected", trial: () => ours("operators_by_size") },
    ],
    5,
  );
  return [
    markdownTable(results, "ns per call"),
    "",
    meanVerdict(results, "mpslab", "results disposed", 0.9),
    meanVerdict(results, "mpslab, collected", "results left to the collector", 0.9),
  ].join("\n");
}

export async function operators(): Promise<string> {
  const small = await smallTensors();
  return `${small}\n\n## 25 operators by number of elements\n\n${await bySize()}`;
}
