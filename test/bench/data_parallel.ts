// Data parallel on two processes of this machine: the time of a step beside PyTorch's DistributedDataParallel.
import path from "node:path";
import { OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { takeTurns } from "./rounds.ts";
import { runRanks } from "./run_ranks.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const RANKS = 2;
const ONE_THREAD = { OMP_NUM_THREADS: "1" };

export async function dataParallel(): Promise<string> {
  const program = (name: string): string => path.join(root, "test/bench/programs", name);
  const compiled = path.join(root, "dist/test/bench/programs/data_parallel.js");
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () => runRanks(RANKS, process.execPath, [compiled], { ...SESSION_ENVIRONMENT, ...ONE_THREAD }),
      },
      {
        name: "PyTorch",
        trial: () => runRanks(RANKS, peerPython, [program("data_parallel.py")], { ...OPENMP, ...ONE_THREAD }),
      },
    ],
    5,
  );
  const beside = (figure: string): number | null => ratio(results, figure, "mpslab", "PyTorch");
  return [
    markdownTable(results, `${RANKS} ranks over gloo, one thread each`),
    "",
    verdict("step of a wide model on 2 ranks", beside("step of a wide model, ms"), 1),
    verdict("step of a deep model on 2 ranks", beside("step of a deep model, ms"), 1),
  ].join("\n");
}
