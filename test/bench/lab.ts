// Measures what measuring costs and whether it is right: a sweep's throughput beside a hand-written synchronized loop's
// in the same process, its best batch beside an exhaustive grid's, and epochs with their flushes and live charts beside
// the same loop without.
import path from "node:path";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { root } from "./environment.ts";
import { runProgram, takeTurns } from "./rounds.ts";
import { TWO_CORES } from "./machine.ts";
import { markdownTable, verdict } from "./table.ts";

export async function lab(): Promise<string> {
  const program = path.join(root, "dist/test/bench/programs/lab.js");
  const trial = () => runProgram(process.execPath, ["--expose-gc", program], SESSION_ENVIRONMENT);
  const results = await takeTurns([{ name: "mpslab", trial }], 3);
  const median = (figure: string) => results.get("mpslab")!.get(figure)!.median;
  const apart = Math.abs(median("sweep / hand-written loop, samples/s") - 1);
  return [
    markdownTable(results, "the tour's MLP"),
    "",
    verdict("a sweep's throughput from a hand-written loop's, %", 100 * apart, 3),
    verdict(
      "best batch of the search from the grid's, %",
      100 * Math.abs(median("best batch of the search / of the grid") - 1),
      0,
    ),
    verdict(
      "ledger and flush, % of steps of 50 ms",
      median("epochs of 20 steps over a bare loop, % of steps of 50 ms"),
      1,
      TWO_CORES,
    ),
    verdict(
      "live charts, % of the loop",
      median("live charts of epochs of 2 steps, % of steps of 50 ms"),
      2,
      TWO_CORES,
    ),
    verdict("updates of a live chart, /s", median("updates of a live chart, /s"), 4),
  ].join("\n");
}
