// Measures what recording allocations costs a training step, by the processor time of its thread, and how long a file of a
// million events takes to write.
import path from "node:path";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { root } from "./environment.ts";
import { runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, verdict } from "./table.ts";

export async function memorySnapshot(): Promise<string> {
  const program = path.join(root, "dist/test/bench/programs/memory_snapshot.js");
  const trial = () => runProgram(process.execPath, ["--expose-gc", program], SESSION_ENVIRONMENT);
  const results = await takeTurns([{ name: "mpslab", trial }], 3);
  const median = (figure: string) => results.get("mpslab")!.get(figure)!.median;
  return [
    markdownTable(results, "steps of two networks, a million events"),
    "",
    verdict("recording, % of a step of the MLP on MNIST", median("recording, % of the MLP's step"), 10),
    verdict("recording, % of a step of 4-64-64-2", median("recording, % of the small network's step"), 10),
    verdict("a file of a million events, s", median("a file of a million events, s"), 5),
  ].join("\n");
}
