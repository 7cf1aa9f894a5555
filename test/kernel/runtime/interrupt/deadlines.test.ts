// A sweep's deadline is its own: it stops the step that it was set for and nothing that runs beside it, in another
// subshell, in another sweep, in a package's loop. What the step awaits is rejected, and its `finally` runs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { KernelProcess } from "../../../helpers/kernel_process.ts";

const folder = mkdtempSync(path.join(tmpdir(), "deadlines-"));
let kernel: KernelProcess;
let shell: string;

/** `busy` is a loop of a package: no check was compiled into it. */
const PACKAGE = `
export function busy(ms) { const until = Date.now() + ms; while (Date.now() < until); return "the package's loop ended"; }
export function spin() { for (;;); }
export async function forever(work) { for (;;) { try { await work(); } catch {} } }
`;
const PRELUDE = `import { lab, torch } from "mpslab";
import * as loops from "loops";
const x = torch.ones([8]);
const never = new Promise<void>(() => {});
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
let cleared: string[] = [];
const limited = async (deadlineMs: number, step: () => unknown) => {
  const { points: [point] } = await lab.sweep({ warmupSteps: 1, windows: 2, windowMs: 1, journal: null, show: false, deadlineMs, batch: [1], setup: () => step });
  return point!.error ?? point!.status;
};`;

beforeAll(async () => {
  const home = path.join(folder, "node_modules", "loops");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    path.join(home, "package.json"),
    '{ "name": "loops", "type": "module", "exports": "./index.js" }',
  );
  writeFileSync(path.join(home, "index.js"), PACKAGE);
  writeFileSync(
    path.join(home, "index.d.ts"),
    "export const busy: (ms: number) => string; export const spin: () => never; export const forever: (work: () => unknown) => Promise<never>;",
  );
  kernel = await KernelProcess.start({ directory: folder });
  const { content } = await kernel.client.request("create_subshell_request", {}, "control");
  shell = String(content["subshell_id"]);
  await run(PRELUDE);
});
afterAll(async () => {
  await kernel.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await run("cleared = [];");
});

const run = (code: string, subshell?: string) =>
  kernel.client.execute(code, subshell === undefined ? {} : { subshell_id: subshell });
/** Resolves, with the cell, when it has printed `begun`. */
async function begun(code: string, subshell?: string) {
  const printed = kernel.client.nextPublished(
    ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("begun"),
  );
  const cell = run(code, subshell);
  await printed;
  return { cell };
}
const AWAITING = `limited(300, async () => {
  console.log("begun");
  try { await never; } finally { cleared.push("the step"); }
})`;

/** The loop of the other cell lasts long enough for the deadline to pass, and for the session to look for it. */
const LOOPS: Record<string, { readonly code: string; readonly result: string }> = {
  "a loop": {
    code: 'for (const until = Date.now() + 1500; Date.now() < until;); "the loop ended"',
    result: "'the loop ended'",
  },
  "a loop of operators": {
    code: 'for (const until = Date.now() + 1500; Date.now() < until;) x.add(1); "the operators ended"',
    result: "'the operators ended'",
  },
  "a package's loop": { code: "loops.busy(1500)", result: '"the package\'s loop ended"' },
};

it.each(
  Object.entries(LOOPS).flatMap(([name, loop]) => [
    [name, "the main shell", "a subshell", loop] as const,
    [name, "a subshell", "the main shell", loop] as const,
  ]),
)(
  "%s of a cell in %s goes on to its end while a sweep in %s is overdue",
  async (_name, place, _, { code, result }) => {
    const [mine, other] = place === "a subshell" ? [undefined, shell] : [shell, undefined];
    const sweep = await begun(`await ${AWAITING}`, mine);
    expect((await run(code, other)).result).toBe(result);
    expect((await sweep.cell).result).toBe(
      "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 300) and was stopped. Raise deadlineMs, or make the step smaller.'",
    );
    expect((await run("cleared")).result).toBe("[ 'the step' ]");
  },
);

it("a step that never ends is stopped at its own deadline while a cell beside it waits", async () => {
  const waiting = await begun('console.log("begun"); await sleep(1200); "slept"', shell);
  const sweep = run("await limited(300, () => { try { for (;;); } finally { cleared.push('loop'); } })");
  expect((await sweep).result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 300) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
  expect((await waiting.cell).result).toBe("'slept'");
  expect((await run("cleared")).result).toBe("[ 'loop' ]");
});

it("a step that never ends in a package is stopped after its await, and a cell beside it goes on", async () => {
  const waiting = await begun(
    'console.log("begun"); for (let i = 0; i < 60; i++) await sleep(20); "slept"',
    shell,
  );
  const sweep = run("await limited(300, async () => { await sleep(1); loops.spin(); })");
  expect((await sweep).result).toMatch(
    /^'DeadlineError: The measurement ran longer than its deadline \(deadlineMs: 300\) and was stopped\./,
  );
  expect((await waiting.cell).result).toBe("'slept'");
});

it("two sweeps in two subshells have a deadline each", async () => {
  const step = (name: string) =>
    `async () => { console.log("begun"); try { for (;;) await sleep(5); } finally { cleared.push("${name}"); } }`;
  const long = await begun(`await limited(900, ${step("long")})`);
  const short = await begun(`await limited(250, ${step("short")})`, shell);
  expect((await short.cell).result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 250) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
  expect((await long.cell).result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 900) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
  expect((await run("cleared.sort()")).result).toBe("[ 'long', 'short' ]");
});

it("two sweeps of one cell have a deadline each, and a loop beside them in the cell is of neither", async () => {
  const { result } = await run(`const both = Promise.all([
  limited(200, async () => { await never; }),
  limited(400, async () => { for (;;) await sleep(5); }),
]);
await sleep(1);
for (const until = Date.now() + 900; Date.now() < until;) x.add(1);
[...await both, "looped"].join()`);
  expect(result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 200) and was stopped. Raise deadlineMs, or make the step smaller.,DeadlineError: The measurement ran longer than its deadline (deadlineMs: 400) and was stopped. Raise deadlineMs, or make the step smaller.,looped'",
  );
});

it("a deadline within a deadline: the outer one ends both", async () => {
  const { result } = await run(`let inner = "not ended";
const outer = await limited(200, async () => { inner = await limited(5000, () => { for (;;); }); });
[outer, inner].join()`);
  const late =
    "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 200) and was stopped. Raise deadlineMs, or make the step smaller.";
  expect(result).toBe(`'${late},${late}'`);
});

it("a sweep that its cell does not await goes on behind it, with its deadline", async () => {
  await run(`const behind = limited(300, async () => { await sleep(100); for (;;) x.add(1); });
"the cell has ended"`);
  expect((await run("await behind")).result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 300) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
});

it("a promise that the step has started and nobody awaits is ended too, without a word of its own", async () => {
  const { result, messages } = await run(`await limited(200, async () => {
  void (async () => { try { await never; } finally { cleared.push("floating"); } })();
  await never;
})`);
  expect(result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 200) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
  const late = await run("await sleep(20); cleared.length > 0");
  expect(late.result).toBe("true");
  expect([...messages, ...late.messages].map(({ header }) => header.msg_type)).not.toContain("error");
  expect(kernel.client.published.filter(({ header }) => header.msg_type === "error")).toEqual([]);
});

it.each([
  ["a timer", 'setTimeout(() => { throw new RangeError("the batch was lost"); }, 1); await sleep(5);'],
  [
    "a promise that nobody awaits",
    'void Promise.reject(new RangeError("the batch was lost")); await sleep(5);',
  ],
])("what %s of the step throws is the point's error, and no measure", async (_, step) => {
  expect((await run(`await limited(5_000, async () => { ${step} })`)).result).toBe(
    "'RangeError: the batch was lost'",
  );
});

it("what a timer of another cell throws meanwhile is not the point's", async () => {
  const { result } = await run(`setTimeout(() => { throw new RangeError("not the step's"); }, 20);
await limited(5_000, () => sleep(20))`);
  expect(result).toBe("'measured'");
});

it("a step that waits for what no cell awaits is left to itself at the deadline", async () => {
  expect((await run("await limited(200, () => never)")).result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 200) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
});

it.each([
  ["a loop", "for (;;) { try { for (;;) { await sleep(5); turns++; } } catch {} }"],
  ["a package's loop", "await loops.forever(async () => { await sleep(5); turns++; })"],
  [
    "a function that calls itself again",
    "const again = async () => { try { await sleep(5); turns++; } catch {} await again(); }; await again();",
  ],
])(
  "a step that catches its deadline in %s stays at its next await: what is measured next is alone",
  async (_, work) => {
    const { result } = await run(`let turns = 0;
const { points, ends } = await lab.sweep({ warmupSteps: 1, windows: 2, windowMs: 1, journal: null, show: false, deadlineMs: 1000, batch: [2, 1], setup: ({ batch }) => batch === 2 ? async () => { ${work} } : () => x.add(1) });
const then = turns;
await sleep(100);
JSON.stringify([points.map(({ point, status }) => [point.batch, status]).toSorted(), ends, then > 0, turns - then])`);
    expect(JSON.parse(result!.slice(1, -1))).toEqual([
      [
        [1, "measured"],
        [2, "deadline"],
      ],
      [],
      true,
      0,
    ]);
  },
);

it.each([
  ["", ""],
  [", though another's work kept the thread until later", "setTimeout(() => loops.busy(150), 100);"],
])("what a step's inner functions clean up at the deadline comes to its end%s", async (_, before) => {
  const { result } = await run(`${before}
const error = await limited(200, async () => {
  const inner = async () => { try { await never; } finally { await sleep(100); cleared.push("inner"); } };
  await inner();
});
[error, ...cleared].join()`);
  expect(result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 200) and was stopped. Raise deadlineMs, or make the step smaller.,inner'",
  );
});

it("a step of timers cannot be held: the points after it are left out, and the journal has them to come", async () => {
  const sweep = (name: string) =>
    `await lab.sweep({ name: "timers", warmupSteps: 1, windows: 2, windowMs: 1, show: false, deadlineMs: 1000, batch: [1, 2, 3], setup: () => ${name} })`;
  await run(`let ticking: NodeJS.Timeout | undefined;
let ticks = true;
const step = () => { if (!ticks) return x.add(1); ticking ??= setInterval(() => x.add(1), 5); return never; };
let first: lab.SweepResult = ${sweep("step")};`);
  const left = await run(
    "JSON.stringify([first.points.map(({ status, notes }) => [status, ...notes]), first.ends])",
  );
  const [points, ends] = JSON.parse(left.result!.slice(1, -1)) as [unknown, string[]];
  expect(points).toEqual([["deadline", "The step runs on after its deadline."]]);
  expect(ends).toEqual([
    expect.stringMatching(
      /^Not measured: batch \d; batch \d\. The step of batch \d runs on after its deadline, and beside it no time would be right: .* The same call goes on from timers\.sweep\.jsonl\.$/,
    ),
  ]);
  expect((await run(sweep("step"))).errors).toMatchObject([
    {
      ename: "Error",
      evalue: expect.stringMatching(/a step of an earlier sweep runs on after its deadline/),
    },
  ]);
  await run("clearInterval(ticking); ticks = false;");
  const { result } = await run(`first = ${sweep("step")};
JSON.stringify([first.resumedPoints, first.points.map(({ status }) => status).toSorted(), first.ends])`);
  expect(JSON.parse(result!.slice(1, -1))).toEqual([1, ["deadline", "measured", "measured"], []]);
});

it("a step that asks the user and gets no answer is stopped at the deadline", async () => {
  const asked = kernel.client.execute(`await limited(300, () => { prompt("Go on?"); })`, {
    allow_stdin: true,
  });
  expect((await asked).result).toBe(
    "'DeadlineError: The measurement ran longer than its deadline (deadlineMs: 300) and was stopped. Raise deadlineMs, or make the step smaller.'",
  );
});

it("an interrupt ends the overdue and what runs beside it", async () => {
  const sweep = await begun(`await ${AWAITING.replace("300", "60_000")}`);
  const other = await begun('console.log("begun"); for (;;);', shell);
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await sweep.cell).reply["ename"]).toBe("KeyboardInterrupt");
  expect((await other.cell).reply["ename"]).toBe("KeyboardInterrupt");
  expect((await run("x.sum().item()")).result).toBe("8");
});
