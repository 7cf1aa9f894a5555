// 1,000 interrupts at random moments of every place that a cell may be in: none may hang, kill the session or lose state.
import {
  packageFiles,
  preparation,
  randomMoments,
  type RandomReport,
} from "../kernel/runtime/interrupt/interrupted_places.ts";
import { Notebook } from "../kernel/session/notebook.ts";

const SEEDS = [1, 2, 3, 4, 5];
const INTERRUPTS_PER_SEED = 200;

export async function interrupts(): Promise<string> {
  const lines = ["| seed | interrupts | seconds | wrong ends | lost state | deaths |", "|-|-|-|-|-|-|"];
  const failures: string[] = [];
  for (const seed of SEEDS) {
    const begun = performance.now();
    const report = await soak(seed);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const { wrongEnds, lostState, deaths } = report;
    lines.push(
      `| ${seed} | ${report.interrupts} | ${seconds} | ${wrongEnds.length} | ${lostState.length} | ${deaths.length} |`,
    );
    failures.push(...wrongEnds, ...lostState, ...deaths);
  }
  return [...lines, "", ...failures].join("\n");
}

async function soak(seed: number): Promise<RandomReport> {
  const notebook = new Notebook(packageFiles, { interruptDeadlineMs: 60_000 });
  try {
    await notebook.run(preparation);
    return await randomMoments(notebook, { seed, interrupts: INTERRUPTS_PER_SEED });
  } finally {
    await notebook.close();
  }
}
