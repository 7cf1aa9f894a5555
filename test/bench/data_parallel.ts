// Data parallel on two processes of this machine: the time of a step beside PyTorch's DistributedDataParallel.
import path from "node:path";
import { freePort } from "../lib/torch/distributed/ranks.ts";
import { OPENMP, peerPython, root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { type Figures, runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const RANKS = 2;

/** Runs the program on each rank, as torchrun does; of each figure the largest. */
async function runRanks(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Figures> {
  const port = await freePort();
  const ranks = await Promise.all(
    Array.from({ length: RANKS }, (_, rank) =>
      runProgram(command, args, {
        ...env,
        OMP_NUM_THREADS: "1",
        RANK: String(rank),
        WORLD_SIZE: String(RANKS),
        MASTER_ADDR: "127.0.0.1",
        MASTER_PORT: String(port),
      }),
    ),
  );
  return Object.fromEntries(
    Object.keys(ranks[0]!).map((name) => [name, Math.max(...ranks.map((figures) => figures[name]!))]),
  );
}

export async function dataParallel(): Promise<string> {
  const program = (name: string): string => path.join(root, "test/bench/programs", name);
  const compiled = path.join(root, "dist/test/bench/programs/data_parallel.js");
  const results = await takeTurns(
    [
      { name: "mpslab", trial: () => runRanks(process.execPath, [compiled], SESSION_ENVIRONMENT) },
      { name: "PyTorch", trial: () => runRanks(peerPython, [program("data_parallel.py")], OPENMP) },
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
