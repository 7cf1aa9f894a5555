// The lab's measurements in the real kernel: what a cell shows, where a sweep keeps its journal, how an interrupt leaves
// it, and the cell's lines at which the host waits.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
const folder = mkdtempSync(path.join(tmpdir(), "lab-"));
/** Loops of a package, where no check was compiled in; V8 can restart the functions of `count` only. */
const ENDLESS = `
export function spin() { console.log("spins"); while (true) {} }
export function count() { for (let i = 0; ; i++) next(i); }
const next = (i) => i + 1;
export const match = () => /(a+)+$/.test("a".repeat(60) + "b");
export function* lines() { for (;;); }
export async function later() { await null; for (;;); }
`;

const PRELUDE = `import { lab, mps, torch } from "mpslab";
import * as endless from "endless";
const x = torch.ones([64, 64]);
const quick = { warmupSteps: 1, windows: 2, windowMs: 1 };
const journal = () => lab.sweep({ ...quick, name: "tour", batch: [1, 2], setup: ({ batch }) => {
  const y = torch.ones([batch, 64]);
  return () => y.matmul(x);
} });`;

beforeAll(async () => {
  const home = path.join(folder, "node_modules", "endless");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    path.join(home, "package.json"),
    '{ "name": "endless", "type": "module", "exports": "./index.js" }',
  );
  writeFileSync(path.join(home, "index.js"), ENDLESS);
  const types = ["spin", "count", "match", "lines", "later"].map(
    (name) => `export const ${name}: () => any;`,
  );
  writeFileSync(path.join(home, "index.d.ts"), types.join("\n"));
  kernel = await KernelProcess.start({ directory: folder });
  await run(PRELUDE);
});
afterAll(async () => {
  await kernel.stop();
  rmSync(folder, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);

it("a benchmark is a cell's result: a table as HTML and text", async () => {
  const { messages, result } = await run("lab.benchmark(() => x.matmul(x), { name: 'product', repeats: 3 })");
  expect(result).toMatch(/^Time of one call, median/);
  const { content } = messages.find(({ header }) => header.msg_type === "execute_result")!;
  expect(String((content["data"] as Record<string, unknown>)["text/html"])).toContain("<td");
});

/** The texts of a cell's outputs as the page has them: of each display id the last one, then the result. */
function outputTexts({ messages }: Pick<Awaited<ReturnType<typeof run>>, "messages">): string[] {
  const texts = new Map<string, string>();
  for (const { header, content } of messages) {
    if (!/^(execute_result|(update_)?display_data)$/.test(header.msg_type)) continue;
    const { transient, data } = content as { transient?: { display_id?: string }; data: object };
    texts.set(
      transient?.display_id ?? header.msg_id,
      String((data as Record<string, unknown>)["text/plain"]),
    );
  }
  return [...texts.values()];
}
const tablesIn = (texts: readonly string[]) =>
  texts.filter((text) => text.includes("times of one step, spread is")).length;

it("a sweep shows its table and two charts, and keeps its journal beside the notebook", async () => {
  const execution = await run("await journal()");
  expect(execution.reply["status"]).toBe("ok");
  expect(execution.displays).toHaveLength(3);
  expect(outputTexts(execution)).toHaveLength(3);
  expect(tablesIn(outputTexts(execution))).toBe(1);
  const lines = readFileSync(path.join(folder, "tour.sweep.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    "sweep",
    "begin",
    "point",
    "begin",
    "point",
    "end",
  ]);
});

it.each([
  ["its result", "await journal()", 1],
  ["a name", "const named = await journal();", 1],
  ["a name, and the name is the result", "const twice = await journal(); twice", 1],
  ["a name, which is shown by hand besides", "const thrice = await journal(); display(thrice);", 2],
  [
    "a name, which is the result of an output that was cleared",
    "const kept = await journal(); clearOutput(); kept",
    1,
  ],
])(
  "the table of a sweep that a cell gives to %s is in its output as often as it says",
  async (_, code, times) => {
    const { messages } = await run(code);
    const cleared = messages.findLastIndex(({ header }) => header.msg_type === "clear_output");
    const left = messages
      .slice(cleared + 1)
      .filter(({ header }) => cleared < 0 || header.msg_type !== "update_display_data");
    expect(tablesIn(outputTexts({ messages: left }))).toBe(times);
  },
);

it("a sweep's result in a later cell is its table again, and Out and _ have it although it was not shown twice", async () => {
  await run("const shown = await journal();");
  expect((await run("shown")).result).toMatch(/Best batch: [12], /);
  const { reply } = await run("const last = await journal(); last");
  expect((await run("_ === last")).result).toBe("true");
  expect((await run(`Out[${String(reply["execution_count"])}]!.preview`)).result).toMatch(
    /Best batch: [12], /,
  );
});

it("an interrupt ends a sweep, and its journal goes on from there", async () => {
  const running =
    run(`const stopped = lab.sweep({ ...quick, name: "stopped", batch: { from: 1, to: 2 }, setup: ({ batch }) => () => {
  console.log("batch", batch);
  while (batch === 2);
} });
await stopped`);
  await kernel.client.nextPublished(
    ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("batch 2"),
  );
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await running).reply["ename"]).toBe("KeyboardInterrupt");
  const lines = readFileSync(path.join(folder, "stopped.sweep.jsonl"), "utf8").trim().split("\n");
  expect(JSON.parse(lines.at(-1)!)).toEqual({ type: "interrupted", point: { batch: 2 } });
  expect((await run("x.sum().item()")).result).toBe("4096");
});

it.each([
  ["loops", "while (batch === 2);"],
  ["waits", "if (batch === 2) await new Promise(() => {});"],
])(
  "an interrupt ends lab.buckets in a bucket whose step %s, with no other bucket after it",
  async (_, code) => {
    const running =
      run(`const recorded = { source: "M2", buckets: [1, 2, 3].map((batch) => ({ batch, sequence: 1, ms: 1 })) };
await lab.buckets(async (batch) => {
  console.log("bucket", batch);
  ${code}
}, { record: recorded, warmup: 0, repeats: 1 })`);
    await kernel.client.nextPublished(
      ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("bucket 2"),
    );
    await kernel.client.request("interrupt_request", {}, "control");
    const { reply, messages } = await running;
    expect(reply["ename"]).toBe("KeyboardInterrupt");
    expect(JSON.stringify(messages)).not.toContain("bucket 3");
    expect((await run("x.sum().item()")).result).toBe("4096");
  },
);

it("of two kernels on one journal the second is told which process writes it, and goes on when that one is killed", async () => {
  const types = () =>
    readFileSync(path.join(folder, "shared.sweep.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
  const second = await KernelProcess.start({ directory: folder });
  try {
    await second.client.execute(PRELUDE);
    const sweep = `const shared = await lab.sweep({ ...quick, name: "shared", batch: [1, 2], setup: ({ batch }) => async () => {
  if (process.env["HANGS"] && batch === 2) { console.log("hangs"); await new Promise(() => {}); }
} }); shared.resumedPoints`;
    await run('process.env["HANGS"] = "1"');
    const pid = (await run("process.pid")).result;
    const hanging = run(sweep);
    await kernel.client.nextPublished(
      ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("hangs"),
    );
    const refused = await second.client.execute(sweep);
    expect(refused.reply["evalue"]).toContain(
      `is being written by a sweep of another session (process ${pid} on `,
    );
    const measured = types().filter((type) => type === "point").length;
    process.kill(Number(pid), "SIGKILL");
    await hanging;
    const { result } = await second.client.execute(sweep);
    expect(result).toBe(String(measured));
    expect(types().filter((type) => type === "sweep")).toHaveLength(1);
    expect(existsSync(path.join(folder, "shared.sweep.jsonl.lock"))).toBe(false);
  } finally {
    await second.stop();
    await run(PRELUDE);
  }
});

it("a point's deadline ends a loop that calls no operator, and `finally` runs; the sweep and the kernel go on", async () => {
  const { reply, result } = await run(`let cleared = 0;
const ended = await lab.sweep({ ...quick, journal: null, deadlineMs: 3000, grid: { way: ["loop", "function", "sound"] }, batch: [1], setup: ({ way }) => () => {
  const again = (): number => again();
  try {
    if (way === "loop") while (true);
    if (way === "function") for (;;) { try { again(); } catch (error) { if (!(error instanceof RangeError)) throw error; } }
  } finally { cleared++; }
} });
ended.points.map(({ point, status }) => \`\${point["way"]} \${status}\`).toSorted().join()`);
  expect(reply["status"]).toBe("ok");
  expect(result).toBe("'function deadline,loop deadline,sound measured'");
  expect(Number((await run("cleared")).result)).toBeGreaterThan(2);
  expect((await run("let sum = 0; for (let i = 0; i < 1e6; i++) sum += i; sum")).result).toBe("499999500000");
  const looping = run("console.log('looping'); while (true);");
  await kernel.client.nextPublished(
    ({ header, content }) => header.msg_type === "stream" && content["text"] === "looping\n",
  );
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await looping).reply["ename"]).toBe("KeyboardInterrupt");
});

it("a point's deadline ends a package's loop that calls no operator, wherever it is, and the sweep goes on", async () => {
  const { reply, result } = await run(`const ways: Record<string, () => unknown> = {
  sound: () => {},
  "a loop with nothing in it": () => endless.spin(),
  "a loop that calls": () => endless.count(),
  "a regular expression": () => endless.match(),
  "a generator": () => endless.lines().next(),
  "an async function": () => endless.later(),
  "after an await": async () => { await 1; endless.spin(); },
};
const stopped = await lab.sweep({ ...quick, journal: null, deadlineMs: 1000, grid: { way: Object.keys(ways) }, batch: [1], setup: ({ way }) => ways[String(way)]! });
JSON.stringify(Object.fromEntries(stopped.points.map(({ point, status, error }) => [point["way"], [status, error]])))`);
  expect(reply["status"]).toBe("ok");
  const late = [
    "deadline",
    "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 1000) and was stopped. Raise deadlineMs, or make the step smaller.",
  ];
  const unwound = [
    "deadline",
    "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 1000) and was stopped. The code was stopped inside a package or a built-in function; `finally` blocks around it did not run. Raise deadlineMs, or make the step smaller.",
  ];
  expect(JSON.parse(String(result).slice(1, -1))).toEqual({
    sound: ["measured", null],
    "a loop with nothing in it": unwound,
    // If V8 forgets to restart the loop, the loop is unwound.
    "a loop that calls": [
      "deadline",
      expect.stringMatching(
        /^DeadlineError: The measurement ran longer than its deadline \(deadlineMs: 1000\) and was stopped\./,
      ),
    ],
    "a regular expression": unwound,
    "a generator": unwound,
    "an async function": late,
    "after an await": late,
  });
  expect((await run("for (let i = 0; i < 1e6; i++); x.sum().item()")).result).toBe("4096");
});

it("a sweep that is interrupted inside a package's loop, and killed there, loses nothing that was measured", async () => {
  const sweep = `const spun = await lab.sweep({ ...quick, name: "spun", batch: [1, 2, 3], setup: ({ batch }) => () => {
  if (batch === Number(process.env["SPINS_AT"])) endless.spin();
} });
JSON.stringify([spun.points.map(({ point, status }) => \`\${point.batch} \${status}\`).toSorted(), spun.notes])`;
  const journal = () =>
    readFileSync(path.join(folder, "spun.sweep.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
  const spinning = async () => {
    const end = run(sweep);
    await kernel.client.nextPublished(
      ({ header, content }) => header.msg_type === "stream" && content["text"] === "spins\n",
    );
    return { end };
  };

  const { result: pid } = await run('process.env["SPINS_AT"] = "2"; process.pid');
  const interrupted = await spinning();
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await interrupted.end).reply["ename"]).toBe("KeyboardInterrupt");
  expect(journal().at(-1)).toEqual({ type: "interrupted", point: { batch: 2 } });

  const killed = await spinning();
  process.kill(Number(pid), "SIGKILL");
  expect((await killed.end).reply["ename"]).toBe("SessionEnded");
  expect(journal().at(-1)).toEqual({ type: "begin", point: { batch: 2 } });
  const measured = journal().filter(({ type }) => type === "point").length;

  await run(PRELUDE);
  expect(JSON.parse(String((await run(sweep)).result).slice(1, -1))).toEqual([
    ["1 measured", "2 measured", "3 measured"],
    [
      ...(measured === 0
        ? []
        : [
            `${measured === 1 ? "1 point comes" : `${measured} points come`} from the journal spun.sweep.jsonl.`,
          ]),
      "An earlier session ended while this ran, before it was measured, and it ran again: batch 2.",
    ],
  ]);
});

it('an interrupt that no "finally" sees leaves no deadline behind for the next cell', async () => {
  const waiting =
    run(`await lab.sweep({ ...quick, journal: null, deadlineMs: 5000, batch: [1], setup: () => () => {
  console.log("waiting");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
} });`);
  await kernel.client.nextPublished(
    ({ header, content }) => header.msg_type === "stream" && content["text"] === "waiting\n",
  );
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await waiting).reply["ename"]).toBe("KeyboardInterrupt");
  const next = await run(`for (const until = performance.now() + 5500; performance.now() < until;) x.add(1);
x.sum().item()`);
  expect(next.result).toBe("4096");
});

it.each([
  ["lab.shadow", 'lab.shadow(STEP, { device: "mps" })'],
  ["lab.memorySnapshot", "lab.memorySnapshot(STEP)"],
])("an interrupt ends %s of a step that never settles, and the next one begins", async (_, call) => {
  await run("mps.isAvailable() || mps.simulate();");
  const step = '() => { console.log("begun"); return new Promise(() => {}); }';
  const begun = kernel.client.nextPublished(({ content }) => content["text"] === "begun\n");
  const endless = run(`await ${call.replace("STEP", step)}`);
  await begun;
  await kernel.client.request("interrupt_request", {}, "control");
  expect((await endless).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
  expect((await run(`await ${call.replace("STEP", "() => {}")}; "ended"`)).result).toBe("'ended'");
});

it("waits for the device are told by the cell's lines", async () => {
  await run('if (!mps.isAvailable()) mps.simulate({ memory: "4GB" });');
  const { reply, result } = await run(`const far = torch.ones([64, 64], { device: "mps" });
lab.syncs(() => {
  const y = far.matmul(far);
  y.sum().item();
}).sites.map(({ line, operation }) => \`\${operation} at \${line}\`).join()`);
  expect(result).toBe(`'item at Cell [${String(reply["execution_count"])}]:4'`);
});
