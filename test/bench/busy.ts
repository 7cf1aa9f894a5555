// Measures how long an editor waits while a cell runs: completion and inspection beside a loop that never awaits, one
// that awaits, and with nothing running. Peers that answer only after the cell have no figure there.
import { setTimeout as delay } from "node:timers/promises";
import { kernels as peers, measureKernel, type PeerKernel } from "./peer_kernels.ts";
import { summarize, takeTurns, type Figures } from "./rounds.ts";
import { TWO_CORES } from "./machine.ts";
import { markdownTable, verdict } from "./table.ts";

const QUESTIONS = 50;
const ANSWER_WITHIN_MS = 2_000;

const CELLS = {
  typescript: {
    setup:
      "const losses = [0.5, 0.25]; function area(width: number, height: number): number { return width * height }",
    loop: 'console.log("begun"); for (const end = Date.now() + 600_000; Date.now() < end; ) {}',
    awaiting: 'console.log("begun"); await new Promise((resolve) => setTimeout(resolve, 600_000));',
    completion: "losses.ma",
    inspection: "area",
  },
  python: {
    setup: "losses = [0.5, 0.25]\ndef area(width: float, height: float) -> float:\n    return width * height",
    loop: 'import time\nprint("begun", flush=True)\nend = time.time() + 600\nwhile time.time() < end: pass',
    awaiting: 'import asyncio\nprint("begun", flush=True)\nawait asyncio.sleep(600)',
    completion: "losses.ap",
    inspection: "area",
  },
} as const;

/** The states of the kernel: nothing runs, a loop runs that never awaits, a cell runs that awaits. */
const STATES = ["nothing", "a loop", "an await"] as const;
const TRIAL_MS = 30_000;

async function trial(kernel: PeerKernel): Promise<Figures> {
  const all: Record<string, number> = {};
  for (const state of STATES) Object.assign(all, await beside(kernel, state));
  return all;
}

const beside = (kernel: PeerKernel, state: (typeof STATES)[number]): Promise<Figures> =>
  measureKernel(kernel, TRIAL_MS, async ({ client }, found) => {
    const cells = CELLS[kernel.language];
    await client.execute(cells.setup);
    if (state !== "nothing") {
      const begun = client.nextPublished(({ content }) => String(content["text"]).includes("begun"));
      void client.execute(state === "a loop" ? cells.loop : cells.awaiting);
      await begun;
    }
    for (const [type, code] of [
      ["complete_request", cells.completion],
      ["inspect_request", cells.inspection],
    ] as const) {
      const taken: number[] = [];
      for (let i = -5; i < QUESTIONS; i++) {
        const start = performance.now();
        const answer = client.request(type, { code, cursor_pos: code.length, detail_level: 0 });
        if ((await Promise.race([answer, delay(ANSWER_WITHIN_MS, null)])) === null) return;
        if (i >= 0) taken.push(performance.now() - start);
      }
      const what = `${type.replace("_request", "")} beside ${state}`;
      found[`${what}, median ms`] = summarize(taken).median;
      found[`${what}, p95 ms`] = taken.toSorted((a, b) => a - b)[Math.ceil(taken.length * 0.95) - 1]!;
    }
  });

export async function busy(): Promise<string> {
  const results = await takeTurns(
    peers.map((kernel) => ({ name: kernel.name, trial: () => trial(kernel) })),
    3,
  );
  const verdicts = ["complete", "inspect"].flatMap((type) =>
    ["a loop", "an await"].map((state) => {
      const p95 = results.get("mpslab")?.get(`${type} beside ${state}, p95 ms`)?.median;
      return verdict(
        `${type} beside ${state}, p95 in units of 20 ms`,
        p95 === undefined ? null : p95 / 20,
        1,
        TWO_CORES,
      );
    }),
  );
  return [
    markdownTable(
      results,
      `${QUESTIONS} questions; no figure: no answer within ${ANSWER_WITHIN_MS / 1000} s`,
    ),
    "",
    ...verdicts,
  ].join("\n");
}
