// A DataLoader over MNIST with augmentation beside PyTorch's with torchvision: the same transforms, batches and workers.
import path from "node:path";
import { mnistFolder, OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

export async function loader(): Promise<string> {
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            [path.join(root, "dist/test/bench/programs/loader.js")],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () =>
          runProgram(peerPython, [path.join(root, "test/bench/programs/loader.py"), mnistFolder], OPENMP),
      },
    ],
    5,
  );
  const ratios = [0, 1, 2].flatMap(
    (workers) => ratio(results, `pass of 10,000 images, ${workers} workers, ms`, "mpslab", "PyTorch") ?? [],
  );
  return [
    markdownTable(results, "MNIST with augmentation"),
    "",
    verdict("largest ratio with the same workers", Math.max(...ratios), 0.5),
  ].join("\n");
}
