// Measures what simulating Metal costs beside the plain CPU, whose kernels it runs: one operator without queueing, a
// training step with it, and how soon a large product is launched.
import path from "node:path";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { root } from "./environment.ts";
import { geometricMean, runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const program = path.join(root, "dist/test/bench/programs/simulated_metal.js");
const run = (environment: NodeJS.ProcessEnv) => () =>
  runProgram(process.execPath, ["--expose-gc", program], { ...SESSION_ENVIRONMENT, ...environment });

const OPERATORS = ["add, us", "relu, us", "mm 16x16, us", "sum, us", "view, us"];

export async function simulatedMetal(): Promise<string> {
  const results = await takeTurns(
    [
      { name: "simulated", trial: run({ MPSLAB_METAL: "simulated 16GB" }) },
      { name: "unqueued", trial: run({ MPSLAB_METAL: "simulated 16GB unqueued" }) },
      { name: "CPU", trial: run({ MPSLAB_DEVICE: "cpu" }) },
    ],
    3,
  );
  const overheads = OPERATORS.map((figure) => ratio(results, figure, "unqueued", "CPU")!);
  const queued = results.get("simulated")!;
  const launched = queued.get("product of 1024x1024 launched, ms")!.median;
  const finished = queued.get("product of 1024x1024 finished, ms")!.median;
  return [
    markdownTable(results, "one call"),
    "",
    verdict("operator without queueing beside the CPU's, geometric mean", geometricMean(overheads), 3),
    verdict("training step beside the CPU's", ratio(results, "training step, ms", "simulated", "CPU"), 1.2),
    verdict("launch of a product, of its finished time", launched / finished, 0.1),
  ].join("\n");
}
