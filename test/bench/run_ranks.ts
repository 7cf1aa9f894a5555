// Runs a program on several ranks at once.
import { freePort, NO_NAME_SERVICE } from "../lib/torch/distributed/ranks.ts";
import { type Figures, runProgram } from "./rounds.ts";

/** Runs the program on each rank, as torchrun does; of each figure the largest. */
export async function runRanks(
  count: number,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Figures> {
  const port = await freePort();
  const ranks = await Promise.all(
    Array.from({ length: count }, (_, rank) =>
      runProgram(command, args, {
        ...env,
        ...NO_NAME_SERVICE,
        RANK: String(rank),
        WORLD_SIZE: String(count),
        MASTER_ADDR: "127.0.0.1",
        MASTER_PORT: String(port),
      }),
    ),
  );
  return Object.fromEntries(
    Object.keys(ranks[0]!).map((name) => [name, Math.max(...ranks.map((figures) => figures[name]!))]),
  );
}
