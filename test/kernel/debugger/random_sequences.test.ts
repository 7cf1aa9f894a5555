// Random sequences of debug requests, interrupts, restarts and cells, from a seeded generator: nothing hangs, and every cell
// gets its answer. MPSLAB_DEBUGGER_SEQUENCES=1000 makes as many; MPSLAB_DEBUGGER_SEED chooses others.
import { afterAll, beforeAll, expect, it } from "vitest";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import { HANG_MS } from "../../helpers/hang.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { chance, integer, pick, seed } from "../protocol/random.ts";

const SEQUENCES = Number(process.env["MPSLAB_DEBUGGER_SEQUENCES"] ?? 25);
const SEED = Number(process.env["MPSLAB_DEBUGGER_SEED"] ?? 28);

const CELLS = [
  `let a = 1;
for (let i = 0; i < 20; i++) {
  a += i;
}
a`,
  `function deep(n: number): number {
  if (n === 0) return 0;
  return 1 + deep(n - 1);
}
deep(5)`,
  `await new Promise((resolve) => setTimeout(resolve, 5));
let later = 2;
later`,
  `try {
  throw new Error("caught");
} catch (error) {
  console.log(String(error));
} finally {
  console.log("finally");
}`,
  `function fails() {
  throw new TypeError("fails");
}
fails();`,
  `let spins = 0;
while (spins < 1e7) {
  spins++;
}`,
  `debugger;
[1, 2].map((x) => x + 1)`,
  `setTimeout(() => console.log("timer"), 2);
let timed = 3;`,
] as const;

let kernel: KernelProcess;
let client: DebuggerClient;
let done: string[] = [];
let pending: Promise<unknown>[] = [];

beforeAll(async () => {
  kernel = await KernelProcess.start();
  client = new DebuggerClient(kernel.client);
});
afterAll(() => kernel.stop());

/** @throws Error with the sequence so far where the work does not end */
async function bounded<Result>(what: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs after: ${done.join(", ")}`)), HANG_MS / 2);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function randomFrame(): Promise<number | undefined> {
  const { body } = (await client.request("stackTrace", { threadId: 1 })) as {
    body?: { stackFrames?: { id: number }[] };
  };
  return pick(body?.stackFrames ?? [])?.id;
}

async function lookAround(): Promise<void> {
  const frameId = await randomFrame();
  const { body } = (await client.request("scopes", { frameId })) as { body?: { scopes?: object[] } };
  const scope = pick(body?.scopes ?? []);
  if (scope !== undefined) await client.request("variables", scope);
  await client.request("evaluate", {
    expression: pick(["1 + 1", "a", "nobody", "({ a: 1 })", "let = ="]),
    frameId,
  });
}

const ACTIONS: Readonly<Record<string, () => Promise<unknown> | void>> = {
  start: () => client.start(),
  disconnect: () => client.request("disconnect", {}),
  breakpoints: () => {
    const code = pick(CELLS);
    return client
      .setBreakpoints(code, ...Array.from({ length: integer(4) }, () => 1 + integer(6)))
      .catch(() => {}); // Refused before the debugger is started.
  },
  condition: () =>
    client
      .setBreakpoints(CELLS[0], { line: 3, hitCondition: pick(["2", "% 7"]), condition: "i > 1" })
      .catch(() => {}),
  errors: () => client.request("setExceptionBreakpoints", { filters: pick([[], ["all"], ["uncaught"]]) }),
  run: () => {
    pending.push(kernel.client.execute(pick(CELLS)));
  },
  look: () => lookAround(),
  list: () => client.request("inspectVariables"),
  step: () => client.request(pick(["next", "stepIn", "stepOut"]), { threadId: 1 }),
  continue: () => client.request("continue", { threadId: 1 }),
  pause: () => client.request("pause", { threadId: 1 }),
  interrupt: () => kernel.client.request("interrupt_request", {}, "control"),
  wait: () => new Promise((resolve) => setTimeout(resolve, integer(30))),
  crash: async () => {
    if (!chance(0.1)) return;
    const { pid } = await sessionOf();
    if (pid !== null) process.kill(pid, "SIGKILL");
  },
  restart: async () => {
    if (!chance(0.03)) return;
    const answered = Promise.allSettled(pending);
    await bounded("a shutdown", kernel.client.request("shutdown_request", { restart: true }, "control"));
    await bounded("the kernel's end", kernel.exited());
    // What was under way is lost with its kernel, as ever.
    void answered;
    pending = [];
    kernel.client.close();
    kernel = await KernelProcess.start();
    client = new DebuggerClient(kernel.client);
  },
};
const NAMES = Object.keys(ACTIONS);
/** Running and stepping come more often, so that there is something to debug. */
const WEIGHTED = [...NAMES, "run", "run", "run", "step", "step", "continue", "look", "breakpoints", "start"];

/** The session's process, if the debugger can ask for it. */
async function sessionOf(): Promise<{ pid: number | null }> {
  const { success, body } = await client.request("evaluate", { expression: "process.pid" });
  return { pid: success === true ? Number((body as { result: string }).result) : null };
}

async function sequence(): Promise<void> {
  done = [];
  pending = [];
  for (let left = 5 + integer(12); left > 0; left--) {
    const name = pick(WEIGHTED);
    done.push(name);
    await bounded(name, Promise.resolve(ACTIONS[name]!()));
  }
  done.push("disconnect");
  await bounded("disconnect", client.request("disconnect", {}));
  for (const cell of pending) await bounded("a cell", cell);
  const { result } = await bounded("the probe", kernel.client.execute("6 * 7"));
  expect(result, done.join(", ")).toBe("42");
}

it(
  `${SEQUENCES} random sequences end, and every cell is answered`,
  { timeout: HANG_MS + SEQUENCES * 5_000 },
  async () => {
    for (let index = 0; index < SEQUENCES; index++) {
      seed(SEED * 100_000 + index);
      await sequence();
    }
  },
);
