// DistributedDataParallel over NCCL on one GPU and on two, beside PyTorch's.
import path from "node:path";
import { cuda } from "mpslab";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { peerPython, root } from "./environment.ts";
import { type Results, takeTurns } from "./rounds.ts";
import { runRanks } from "./run_ranks.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const ROUNDS = 5;
const MODELS = ["ResNet-18", "nanoGPT"].flatMap((model) =>
  ["float32", "bfloat16"].map((dtype) => `${model}, ${dtype}`),
);

const stepsOn = (gpus: number): Promise<Results> =>
  takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runRanks(
            gpus,
            process.execPath,
            [path.join(root, "dist/test/bench/programs/data_parallel_gpu.js")],
            SESSION_ENVIRONMENT,
          ),
      },
      {
        name: "PyTorch",
        trial: () =>
          runRanks(gpus, peerPython, [path.join(root, "test/bench/programs/data_parallel_gpu.py")], {}),
      },
    ],
    ROUNDS,
  );

/** A step of one GPU over a step of two, each with a batch of its own: 1 where the second one costs no time. */
const efficiency = (one: Results, two: Results, name: string, figure: string): number =>
  one.get(name)!.get(figure)!.median / two.get(name)!.get(figure)!.median;

export async function dataParallelGpu(): Promise<string> {
  if (cuda.deviceCount() < 2) return "Not measured: this machine has fewer than two NVIDIA GPUs.";
  const [one, two] = [await stepsOn(1), await stepsOn(2)];
  return [
    markdownTable(one, "one training step on one GPU"),
    "",
    markdownTable(two, "one training step on each of two GPUs"),
    "",
    ...MODELS.map((model) =>
      verdict(`${model} on two GPUs, against PyTorch`, ratio(two, `${model}, ms`, "mpslab", "PyTorch"), 1),
    ),
    "",
    "Efficiency, the step of one GPU over that of two; ours has to be at least 0.9 of PyTorch's:",
    "",
    ...MODELS.map((model) => {
      const [ours, theirs] = ["mpslab", "PyTorch"].map((name) => efficiency(one, two, name, `${model}, ms`));
      const share = ours! / theirs!;
      return `- ${model}: ${ours!.toFixed(3)}, PyTorch ${theirs!.toFixed(3)}: ${share.toFixed(3)} of it, ${share >= 0.9 ? "met" : "missed"}`;
    }),
  ].join("\n");
}
