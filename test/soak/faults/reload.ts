// The page is closed in the middle of a cell and loaded again, as JupyterLab does it: the new page is another client, and
// `%outputs` shows it what the cell has put out, and what follows.
import { setTimeout as delay } from "node:timers/promises";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { holds } from "../violation.ts";

const LINES = 60;

export async function reload(soaked: SoakedKernel, random: () => number): Promise<number> {
  const pauseMs = Math.floor(random() * 20);
  const code =
    `for (let line = 0; line < ${LINES}; line++) { console.log("line", line); ` +
    `await new Promise((resolve) => setTimeout(resolve, ${pauseMs})); }`;
  const begun = soaked.client.nextPublished(({ content }) => String(content["text"]).startsWith("line 0"));
  void soaked.client.execute(code);
  await begun;
  await delay(random() * LINES * pauseMs);
  const closedMs = performance.now();
  await soaked.reload();
  soaked.acknowledged(code);
  // It came while the cell ran, or after it: the answer is the same but for its first line.
  const { stdout } = await soaked.run("%outputs");
  const lines = [...stdout.matchAll(/^line (\d+)$/gm)].map(([, line]) => Number(line));
  holds(
    lines.length === LINES && lines.every((line, index) => line === index),
    `%outputs after a reload shows the lines ${lines.join(" ")} of ${LINES}: ${stdout}`,
  );
  return await soaked.recovers(closedMs);
}
