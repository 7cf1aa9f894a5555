// A long notebook: thousands of cells, each of which uses what the one before it declared. What a cell costs at the end
// of it, beside what it cost at the beginning.
import { measureKernel, type PeerKernel } from "./peer_kernels.ts";
import { summarize, type Figures } from "./rounds.ts";

export const CHAINED_CELLS = 2_000;
const COMPARED = 100;

const CELL = {
  typescript: (i: number) =>
    i === 0
      ? "const v0 = { value: 0, list: [1] };"
      : `const v${i} = { value: v${i - 1}.value + 1, list: [...v${i - 1}.list.slice(-3), ${i}] };`,
  python: (i: number) =>
    i === 0
      ? "v0 = {'value': 0, 'list': [1]}"
      : `v${i} = {'value': v${i - 1}['value'] + 1, 'list': [*v${i - 1}['list'][-3:], ${i}]}`,
} as const;

/** It takes 10 to 40 s. */
const TRIAL_MS = 240_000;

export const chainedCells = (kernel: PeerKernel): Promise<Figures> =>
  measureKernel(kernel, TRIAL_MS, async ({ client }, found) => {
    const taken: number[] = [];
    for (let i = 0; i < CHAINED_CELLS; i++) {
      const start = performance.now();
      const { reply } = await client.execute(CELL[kernel.language](i));
      taken.push(performance.now() - start);
      if (reply["status"] !== "ok") throw new Error(`${kernel.name}: ${String(reply["evalue"])}`);
    }
    const first = summarize(taken.slice(0, COMPARED)).median;
    const last = summarize(taken.slice(-COMPARED)).median;
    found[`cell among the first ${COMPARED} of ${CHAINED_CELLS}, ms`] = first;
    found[`cell among the last ${COMPARED}, ms`] = last;
    found[GROWTH] = last / first;
  });

export const GROWTH = "last to first";
