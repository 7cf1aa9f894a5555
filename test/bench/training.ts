// The tour's training, one epoch of MNIST with an MLP: time of a step, of an epoch, and peak memory beside PyTorch.
import path from "node:path";
import { mnistFolder, OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

export async function training(): Promise<string> {
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            [path.join(root, "dist/test/bench/programs/training.js")],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () =>
          runProgram(peerPython, [path.join(root, "test/bench/programs/training.py"), mnistFolder], OPENMP),
      },
    ],
    5,
  );
  return [
    markdownTable(results, "one epoch"),
    "",
    verdict("training step", ratio(results, "training step, ms", "mpslab", "PyTorch"), 0.75),
    verdict("peak memory", ratio(results, "peak resident memory, MB", "mpslab", "PyTorch"), 1),
  ].join("\n");
}
