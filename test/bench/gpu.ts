// An NVIDIA GPU: this addon from JavaScript beside PyTorch from Python, on the same libtorch.
import path from "node:path";
import { cuda } from "mpslab";
import { peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { geometricMean, runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

export async function gpu(): Promise<string> {
  if (!cuda.isAvailable()) return "Not measured: this machine has no NVIDIA GPU that libtorch can use.";
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            [path.join(root, "dist/test/bench/programs/gpu.js")],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () => runProgram(peerPython, [path.join(root, "test/bench/programs/gpu.py")]),
      },
    ],
    5,
  );
  const of = (figure: string) => ratio(results, figure, "mpslab", "PyTorch");
  const launches = [...results.get("mpslab")!.keys()].filter((figure) => figure.startsWith("launch"));
  return [
    markdownTable(results, "one NVIDIA GPU"),
    "",
    verdict(
      "launching, geometric mean of the ratios",
      geometricMean(launches.map((figure) => of(figure)!)),
      1,
    ),
    verdict("ViT-tiny training step", of("ViT-tiny training step, ms"), 1),
    verdict("allocated after the flush", of("allocated after the flush, MB"), 1),
  ].join("\n");
}
