// One operator on small tensors: this addon from JavaScript beside PyTorch from Python.
import path from "node:path";
import { OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { geometricMean, runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

export async function operators(): Promise<string> {
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            [path.join(root, "dist/test/bench/programs/operators.js")],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () => runProgram(peerPython, [path.join(root, "test/bench/programs/operators.py")], OPENMP),
      },
    ],
    7,
  );
  const ratios = [...results.get("mpslab")!.keys()].map((figure) =>
    ratio(results, figure, "mpslab", "PyTorch")!,
  );
  return `${markdownTable(results, "ns per call")}\n\n${verdict("geometric mean of the ratios", geometricMean(ratios), 1)}`;
}
