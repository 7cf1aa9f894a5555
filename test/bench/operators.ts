// One operator: this addon from JavaScript beside PyTorch from Python, on small tensors and by size.
import path from "node:path";
import { OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { geometricMean, runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

/** Runs a program and its twin in Python in turn. `atMost` is the target for the geometric mean of the ratios. */
async function besidePyTorch(program: string, rounds: number, atMost: number): Promise<string> {
  const programs = path.join(root, "test/bench/programs");
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            [path.join(root, `dist/test/bench/programs/${program}.js`)],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () => runProgram(peerPython, [path.join(programs, `${program}.py`)], OPENMP),
      },
    ],
    rounds,
  );
  const ratios = [...results.get("mpslab")!.keys()].map((figure) =>
    ratio(results, figure, "mpslab", "PyTorch")!,
  );
  const mean = verdict(`geometric mean of the ${ratios.length} ratios`, geometricMean(ratios), atMost);
  return `${markdownTable(results, "ns per call")}\n\n${mean}`;
}

export async function operators(): Promise<string> {
  const small = await besidePyTorch("operators", 7, 1);
  const bySize = await besidePyTorch("operators_by_size", 5, 0.9);
  return `${small}\n\n## 25 operators by number of elements\n\n${bySize}`;
}
