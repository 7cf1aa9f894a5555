// Fifty epochs with flushes: memory must not grow by a byte, and the flushes must cost next to nothing.
import path from "node:path";
import { root } from "./environment.ts";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { runProgram, takeTurns } from "./rounds.ts";
import { markdownTable, verdict } from "./table.ts";

export async function flush(): Promise<string> {
  const results = await takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(
            process.execPath,
            ["--expose-gc", path.join(root, "dist/test/bench/programs/flush.js")],
            SESSION_ENVIRONMENT,
          ),
      },
    ],
    5,
  );
  const median = (figure: string) => results.get("mpslab")!.get(figure)!.median;
  const growth =
    median("allocated after the last flush, bytes") - median("allocated after the second flush, bytes");
  return [
    markdownTable(results, "50 epochs of 200 ms"),
    "",
    verdict("growth from the second flush to the last, bytes", growth, 0),
    verdict("flushes, % of the epochs", median("flush, % of the epochs"), 5),
  ].join("\n");
}
