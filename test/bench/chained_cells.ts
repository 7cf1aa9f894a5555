// A long notebook: thousands of cells, each of which uses what the one before it declared. What a cell costs at the end
// of it, beside what it cost at the beginning.
import { startKernel, type PeerKernel } from "./peer_kernels.ts";
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

export async function chainedCells(kernel: PeerKernel): Promise<Figures> {
  const running = await startKernel(kernel);
  try {
    const taken: number[] = [];
    for (let i = 0; i < CHAINED_CELLS; i++) {
      const start = performance.now();
      const { reply } = await running.client.execute(CELL[kernel.language](i));
      taken.push(performance.now() - start);
      if (reply["status"] !== "ok") throw new Error(`${kernel.name}: ${String(reply["evalue"])}`);
    }
    const first = summarize(taken.slice(0, COMPARED)).median;
    const last = summarize(taken.slice(-COMPARED)).median;
    return {
      [`cell among the first ${COMPARED} of ${CHAINED_CELLS}, ms`]: first,
      [`cell among the last ${COMPARED}, ms`]: last,
      [GROWTH]: last / first,
    };
  } finally {
    await running.stop();
  }
}

export const GROWTH = "last to first";
