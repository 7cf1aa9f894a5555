// The kernel beside ipykernel, tslab and Deno, through the same client: start, cells, much output, a long notebook,
// memory, and what an editor waits for while a cell runs.
import { setTimeout as delay } from "node:timers/promises";
import type { Execution } from "../helpers/kernel_client.ts";
import { busy } from "./busy.ts";
import { CHAINED_CELLS, chainedCells, GROWTH } from "./chained_cells.ts";
import { everydayCells } from "./everyday_cells.ts";
import { AFTER_FIRST_CELL, idleMemory, TWO_PROCESSES } from "./idle_memory.ts";
import { kernels as peers, measureKernel, type PeerKernel } from "./peer_kernels.ts";
import { summarize, takeTurns, type Figures } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const LINES = 20_000;
const PRINTED = `${LINES} printed lines, ms`;
const TRIVIAL = "trivial cell, ms";
const UNCHECKED = "trivial cell without type checks, ms";
const CELLS = {
  typescript: {
    trivial: "1 + 1",
    typed:
      "function area(shape: { width: number; height: number }): number { return shape.width * shape.height }\narea({ width: 2, height: 3 })",
    lines: `for (let i = 0; i < ${LINES}; i++) console.log("line " + i);`,
    completion: "Math.ma",
  },
  python: {
    trivial: "1 + 1",
    typed:
      "def area(shape: dict[str, float]) -> float:\n    return shape['width'] * shape['height']\narea({'width': 2, 'height': 3})",
    lines: `for i in range(${LINES}): print(f"line {i}")`,
    completion: "str.low",
  },
} as const;

/** It takes 5 to 15 s. */
const TRIAL_MS = 90_000;

const trial = (kernel: PeerKernel): Promise<Figures> =>
  measureKernel(kernel, TRIAL_MS, async ({ client, startMs }, found) => {
    const cells = CELLS[kernel.language];
    const millisecondsOf = async (work: () => Promise<unknown>, times: number): Promise<number> => {
      const taken: number[] = [];
      for (let i = 0; i < times; i++) {
        const start = performance.now();
        await work();
        taken.push(performance.now() - start);
      }
      return summarize(taken).median;
    };
    const complete = () =>
      client.request("complete_request", { code: cells.completion, cursor_pos: cells.completion.length });
    found["start to kernel_info, ms"] = startMs;
    await client.execute(cells.trivial);
    // The work that starting up leaves behind ends meanwhile.
    await delay(2000);
    await millisecondsOf(() => client.execute(cells.trivial), 20);
    await millisecondsOf(complete, 5);
    found[TRIVIAL] = await millisecondsOf(() => client.execute(cells.trivial), 50);
    found["cell with types, ms"] = await millisecondsOf(() => client.execute(cells.typed), 20);
    found["completion, ms"] = await millisecondsOf(complete, 20);
    Object.assign(found, await printedLines(() => client.execute(cells.lines)));
    if (kernel.uncheck === null) return;
    await client.execute(kernel.uncheck);
    await millisecondsOf(() => client.execute(cells.trivial), 20);
    found[UNCHECKED] = await millisecondsOf(() => client.execute(cells.trivial), 50);
  });

/** A kernel that loses its idle status under much output has no figure. */
async function printedLines(execute: () => Promise<Execution>): Promise<Figures> {
  const start = performance.now();
  const execution = await Promise.race([execute(), delay(20_000, null)]);
  if (execution === null) return {};
  return {
    [PRINTED]: performance.now() - start,
    "lines received before idle": execution.stdout.split("\n").length - 1,
  };
}

export async function kernels(): Promise<string> {
  const results = await takeTurns(
    peers.map((kernel) => ({ name: kernel.name, trial: () => trial(kernel) })),
    5,
  );
  // tslab stops answering on the way: it used 10 s of processor time in the first of four minutes, and none after.
  const answering = peers.filter(({ name }) => name !== "tslab");
  const chained = await takeTurns(
    answering.map((kernel) => ({ name: kernel.name, trial: () => chainedCells(kernel) })),
    1,
  );
  const memory = await takeTurns(
    peers.map((kernel) => ({ name: kernel.name, trial: () => idleMemory(kernel) })),
    3,
  );
  const ours = memory.get("mpslab")!;
  const start = (name: string) => results.get(name)!.get("start to kernel_info, ms")!.median;
  return [
    markdownTable(results, "one client"),
    "",
    markdownTable(chained, `${CHAINED_CELLS} cells, each using the one before`),
    "",
    markdownTable(memory, "idle memory, pages of files once, MB"),
    "",
    await busy(),
    "",
    await everydayCells(peers),
    "",
    verdict("start to the first reply, against Deno's", start("mpslab") / start("Deno"), 1),
    verdict(
      "trivial cell with types checked, against ipykernel",
      ratio(results, TRIVIAL, "mpslab", "ipykernel"),
      1,
    ),
    verdict(
      `a cell after ${CHAINED_CELLS} others, against the first ones`,
      chained.get("mpslab")!.get(GROWTH)!.median,
      1.5,
    ),
    verdict(
      "trivial cell after `%check off`, against Deno",
      ratio(results, UNCHECKED, "mpslab", "Deno"),
      1.5,
    ),
    verdict(`${LINES} printed lines, against ipykernel`, ratio(results, PRINTED, "mpslab", "ipykernel"), 1),
    verdict(
      "idle memory after a first cell, type checker included, MB",
      ours.get(AFTER_FIRST_CELL)!.median,
      150,
    ),
    verdict(
      "idle memory of kernel and session, the library imported, before the first tensor, MB",
      ours.get(TWO_PROCESSES)!.median,
      150,
    ),
  ].join("\n");
}
