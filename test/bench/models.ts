// Training steps of an MLP, a CNN, an LSTM, a transformer block and a small vision transformer beside PyTorch: forward,
// backward, Adam. The MLP in jax-js too.
import { existsSync } from "node:fs";
import path from "node:path";
import { jaxJs, OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { type Figures, geometricMean, runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

function runJaxJs(): Promise<Figures> {
  return runProgram(process.execPath, [path.join(root, "test/bench/programs/models_jax.mjs"), jaxJs]);
}

export async function models(): Promise<string> {
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            [path.join(root, "dist/test/bench/programs/models.js")],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () => runProgram(peerPython, [path.join(root, "test/bench/programs/models.py")], OPENMP),
      },
      ...(existsSync(jaxJs) ? [{ name: "jax-js", trial: runJaxJs }] : []),
    ],
    5,
  );
  const ratios = ["MLP", "CNN", "LSTM", "transformer block", "ViT-tiny"].flatMap(
    (model) => ratio(results, `${model} step, ms`, "mpslab", "PyTorch") ?? [],
  );
  return [
    markdownTable(results, "training steps"),
    "",
    verdict("largest ratio of a training step", Math.max(...ratios), 0.9),
    verdict("geometric mean of the training steps", geometricMean(ratios), 0.75),
  ].join("\n");
}
