// `mpslab papermill`: a notebook over a grid of its parameters, one notebook a point, a table, and a journal to go on from.
import { spawn, type SpawnOptions, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { gridOf } from "../../../kernel/cli/sweep/grid.ts";
import { JupyterTools } from "../../helpers/jupyter_tools.ts";

const tools = new JupyterTools();
afterAll(() => tools.remove());

const words = (args: readonly string[]) => [
  path.join(PROJECT_ROOT, "dist/kernel/cli.js"),
  "papermill",
  ...args,
];
const options: SpawnOptions = { cwd: tools.directory, env: tools.environment };
const papermill = (...args: string[]) =>
  spawnSync(process.execPath, words(args), { ...options, encoding: "utf8" });

const at = (name: string) => path.join(tools.directory, name);
const text = (name: string) => readFileSync(at(name), "utf8");

const TRAIN = [
  { source: "let batchSize = 16;\nlet rate = 0.1;", tags: ["parameters"] },
  'if (batchSize === 64 && rate > 0.05) throw new RangeError("diverged");',
  { source: "throw new Error('it is part of the lesson')", tags: ["raises-exception"] },
  { source: "({ samples: batchSize * 3, loss: 1 / batchSize + rate })", tags: ["result"] },
];
const GRID = ["train.ipynb", "-p", "batchSize", "32,64", "-p", "rate", "0.1,0.01"] as const;
const TABLE = [
  /^\| batchSize \| rate \| status \| wall s \| samples \| loss \| error \|$/,
  /^\| ---: \| ---: \| --- \| ---: \| ---: \| ---: \| --- \|$/,
  /^\| 32 \| 0\.1 \| ok \| [\d.]+ \| 96 \| 0\.13125 \|  \|$/,
  /^\| 32 \| 0\.01 \| ok \| [\d.]+ \| 96 \| 0\.04125 \|  \|$/,
  /^\| 64 \| 0\.1 \| failed \| [\d.]+ \|  \|  \| RangeError: diverged \|$/,
  /^\| 64 \| 0\.01 \| ok \| [\d.]+ \| 192 \| 0\.025625 \|  \|$/,
];

function expectTable(lines: readonly string[]): void {
  expect(lines).toHaveLength(TABLE.length);
  lines.forEach((line, row) => expect(line).toMatch(TABLE[row]!));
}

describe("a grid", () => {
  let ran: ReturnType<typeof papermill>;
  beforeAll(() => {
    tools.writeNotebook("train.ipynb", TRAIN);
    ran = papermill(...GRID, "--seed", "24");
  });

  it("is run in an order that the seed fixes, past a point that fails", () => {
    expect(ran.status).toBe(1);
    const progress = ran.stdout.split("\n").filter((line) => line.startsWith("["));
    expect(progress.map((line) => line.replace(/ {2}[\d.]+ s/, ""))).toEqual([
      "[1/4] batchSize 64, rate 0.01",
      "[2/4] batchSize 32, rate 0.1",
      "[3/4] batchSize 64, rate 0.1  RangeError: diverged",
      "[4/4] batchSize 32, rate 0.01",
    ]);
    expect(ran.stdout).toContain(`3 of 4 points succeeded; notebooks and table: ${at("output/train")}`);
  });

  it("gives one table in the grid's order, with what the cell tagged `result` shows", () => {
    expectTable(text("output/train/table.md").trim().split("\n"));
    expect(text("output/train/table.csv").split("\n")[1]).toMatch(/^32,0\.1,ok,[\d.]+,96,0\.13125,$/);
  });

  it("leaves a notebook of each point, with its parameters as TypeScript", () => {
    const [defaults, injected] = tools.readNotebook("output/train/2,batchSize=32,rate=0.01.ipynb");
    expect(defaults?.source).toBe("let batchSize = 16;\nlet rate = 0.1;");
    expect(injected?.source).toBe("// Parameters\nlet batchSize = 32;\nlet rate = 0.01;\n");
    expect(existsSync(at("output/train/3,batchSize=64,rate=0.1.ipynb"))).toBe(true);
  });

  it("is not run again where all of it is there", () => {
    const before = text("output/train/sweep.jsonl");
    const again = papermill(...GRID, "--seed", "24");
    expect(again.stdout).toMatch(/^4 points are there from before\.\n/);
    expect(again.status).toBe(1);
    expect(text("output/train/sweep.jsonl")).toBe(before);
  });

  it("in which a point failed ends with 0 under --allow-errors", () => {
    expect(papermill(...GRID, "--seed", "24", "--allow-errors").status).toBe(0);
  });

  it("of two points at a time runs each once, with half of the cores, and gives the same table", () => {
    tools.writeNotebook("beside.ipynb", [
      { source: "let n = 1;", tags: ["parameters"] },
      'import { setTimeout as sleep } from "node:timers/promises"; import { existsSync, writeFileSync } from "node:fs";',
      // Each waits until the other has begun.
      "writeFileSync(`beside-${n}`, ''); while (!existsSync(`beside-${3 - n}`)) await sleep(20);",
      { source: "({ square: n * n, threads: Number(process.env.OMP_NUM_THREADS) })", tags: ["result"] },
    ]);
    const { status, stdout } = papermill("beside.ipynb", "-p", "n", "1,2", "--jobs", "2", "--timeout", "120");
    expect(status).toBe(0);
    const share = Math.max(1, Math.floor(availableParallelism() / 2));
    expect(text("output/beside/table.csv").trim().split("\n").slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^1,ok,[\\d.]+,1,${share}$`)),
      expect.stringMatching(new RegExp(`^2,ok,[\\d.]+,4,${share}$`)),
    ]);
    expect(stdout.split("\n").filter((line) => line.startsWith("["))).toEqual([
      expect.stringMatching(/^\[1\/2\] n \d {2}[\d.]+ s$/),
      expect.stringMatching(/^\[2\/2\] n \d {2}[\d.]+ s$/),
    ]);
  });

  it("in which every point failed ends with 1, under --allow-errors too", () => {
    const failing = ["train.ipynb", "-p", "batchSize", "64", "-p", "rate", "0.1", "--output", "all-failed"];
    expect(papermill(...failing, "--allow-errors").status).toBe(1);
  });

  it("goes on after a crash in the middle of a line: with that point, and with it alone", () => {
    const lines = text("output/train/sweep.jsonl").trim().split("\n");
    writeFileSync(at("output/train/sweep.jsonl"), lines.slice(0, -1).join("\n") + "\n");
    appendFileSync(at("output/train/sweep.jsonl"), lines.at(-1)!.slice(0, 40));
    const { stdout } = papermill(...GRID, "--seed", "24");
    expect(stdout).toMatch(
      /^3 points are there from before\.\n\[4\/4\] batchSize 32, rate 0\.01 {2}[\d.]+ s\n\n/,
    );
    expectTable(text("output/train/table.md").trim().split("\n"));
  });

  it.each([
    [["train.ipynb", "-p", "batchSize", "32", "--seed", "24"], "holds a sweep of the grid"],
    [[...GRID, "--seed", "4"], "holds a sweep of the seed 24, not 4"],
  ])("that differs from the one in the folder is refused: %j", (args, message) => {
    const { status, stderr } = papermill(...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).toContain("give --restart to leave it, or another --output.");
  });
});

it("each notebook keeps what its session ran on, also where a cell failed, and a page shows all", () => {
  tools.writeNotebook("kept.ipynb", [
    { source: "let size = 1;", tags: ["parameters"] },
    'import { torch } from "mpslab";\nconst x = torch.zeros([size]);',
    'if (size > 1024) throw new RangeError("too large");',
    { source: "({ sum: x.sum().item() })", tags: ["result"] },
  ]);
  expect(papermill("kept.ipynb", "-p", "size", "1024,4096").status).toBe(1);
  const kept = ["1,size=1024", "2,size=4096"].map((name) => {
    const { metadata } = JSON.parse(text(`output/kept/${name}.ipynb`)) as {
      metadata: { mpslab: { run: { fields: object }; peakBytes: number } };
    };
    return metadata.mpslab;
  });
  expect(kept.map(({ peakBytes }) => peakBytes >= 4096)).toEqual([true, true]);
  for (const { run } of kept)
    expect(run.fields).toMatchObject({ device: "cpu", threads: expect.any(Number) });
  const page = [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), "report", "output/kept"];
  const { status, stdout } = spawnSync(process.execPath, page, { ...options, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, `report: ${at("output/report-kept.html")}\n`]);
  expect(text("output/report-kept.html")).toContain("The same for all 2 points");
  expect(text("output/report-kept.html")).toContain("RangeError: too large");
});

it("Ctrl-C keeps the points that were done, and the same command goes on", async () => {
  const cells = [
    { source: "let wait = 0;", tags: ["parameters"] },
    "if (wait > 0) await new Promise((resolve) => setTimeout(resolve, 1000 * wait));",
  ];
  tools.writeNotebook("slow.ipynb", cells);
  const args = ["slow.ipynb", "-p", "wait", "0,600", "--seed", "1"];
  const child = spawn(process.execPath, words(args), { ...options, detached: true });
  let said = "";
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.stdout!.on("data", (chunk: Buffer) => {
    said += chunk;
    // A terminal sends its signal to everyone in the foreground.
    if (said.endsWith("[2/2] wait 600")) setTimeout(() => process.kill(-child.pid!, "SIGINT"), 500);
  });
  expect(await exited).toBe(130);
  expect(said).toContain("Interrupted with 1 of 2 points done: the same command goes on from here.");
  const lines = text("output/slow/sweep.jsonl").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["sweep", "point"]);
});

describe("misuse says what is wrong and the way out", () => {
  beforeAll(() => {
    tools.writeNotebook("misused.ipynb", [{ source: "let batchSize = 16;", tags: ["parameters"] }]);
    tools.writeNotebook("bare.ipynb", ["let batchSize = 16;"]);
  });

  it.each([
    [[], "papermill takes one notebook"],
    [["no.ipynb", "-p", "batchSize", "32"], "There is no notebook"],
    [["misused.ipynb", "-p", "batchSize"], "-p takes a name and values: -p batchSize 32,64,128"],
    [
      ["misused.ipynb", "-p", "batchSize", "32", "--seed", "x"],
      "--seed takes a whole number, 0 or more, not x.",
    ],
    [
      ["misused.ipynb"],
      "papermill takes values of parameters: mpslab papermill a.ipynb -p batchSize 32,64,128",
    ],
    [
      ["misused.ipynb", "-p", "batchSise", "32"],
      "batchSise is no parameter of misused.ipynb: it has batchSize.",
    ],
    [
      ["misused.ipynb", "-p", "batch-size", "32"],
      "batch-size is no name for a TypeScript variable: rename the parameter.",
    ],
    [["bare.ipynb", "-p", "batchSize", "32"], "bare.ipynb has no cell tagged parameters"],
  ])("mpslab papermill %j", (args, message) => {
    const { status, stderr } = papermill(...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  /** Values of `-p batchSize`, or the text of a YAML file; and what is said. */
  const GRIDS: readonly (readonly ["-p" | "yaml", string, string])[] = [
    ["-p", "32,32", "batchSize has the value 32 twice: each point is run once."],
    ["-p", "", "batchSize has no values: give one at least."],
    ["-p", "[32", "-p batchSize takes values with commas between them, as in 32,64,128, not [32."],
    ["yaml", "batchSize: []", "batchSize has no values: give one at least."],
    ["yaml", "- 32\n- 64", "grid.yaml has to name parameters and their values, as in rate: [0.1, 0.01]."],
    ["yaml", "batchSize: [32", "grid.yaml is no YAML: "],
    // In TypeScript they are one number.
    ["yaml", "batchSize: [1, 1.0]", "batchSize has the value 1 twice: each point is run once."],
    ["-p", " -1, true, 'a, b', null", '{"batchSize":[-1,true,"a, b",null]}'],
    ["-p", "1e-3, 2026-01-02", '{"batchSize":[0.001,"2026-01-02"]}'],
    ["yaml", "batchSize: [1, true]\ndevice: cpu", '{"batchSize":[1,true],"device":["cpu"]}'],
  ];

  it.each(GRIDS)("and so do grids, as values are read by YAML's rules: %s %j", (kind, text, message) => {
    const file = at("grid.yaml");
    writeFileSync(file, text);
    const told = (): string => {
      try {
        return JSON.stringify(kind === "-p" ? gridOf([["batchSize", text]]) : gridOf([], file));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(told()).toContain(message);
  });
});
