// Measures what forgetting to dispose costs: the same loop with `tidy` around each step and without.
import path from "node:path";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { root } from "./environment.ts";
import { runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const program = path.join(root, "dist/test/bench/programs/disposal.js");
const run = (how: string) => () => runProgram(process.execPath, [program, how], SESSION_ENVIRONMENT);

export async function disposal(): Promise<string> {
  const results = await takeTurns(
    [
      { name: "undisposed", trial: run("undisposed") },
      { name: "disposed", trial: run("disposed") },
    ],
    3,
  );
  return [
    markdownTable(results, "100,000 steps"),
    "",
    verdict("peak memory", ratio(results, "peak resident memory, MB", "undisposed", "disposed"), 1.2),
  ].join("\n");
}
