// `mpslab replay` of a notebook that trains, with other instruction sets and other numbers of threads: what only moves sums
// agrees, what changes the program is found, and what cannot be told is said.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import {
  type InstructionSet,
  instructionSet,
  refusedInstructionSet,
} from "../../../../lib/torch/engine/instruction_sets.ts";

const folder = mkdtempSync(join(tmpdir(), "mpslab-elsewhere-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Notebook {
  readonly metadata: { readonly mpslab: { readonly replay: { losses?: number[]; steps: number[] } } };
  readonly cells: { source: string }[];
}

/** Trains 40 steps on a task of its own; the accuracy at the end says little. */
const CELLS = [
  `import { functional as F, nn, optim, torch } from "mpslab";
torch.manualSeed(0);
const x = torch.randn([256, 64]);
const target = x.narrow(1, 0, 10).argmax(1);
const model = new nn.Sequential(new nn.Linear(64, 128), new nn.ReLU(), new nn.Linear(128, 10));
const optimizer = new optim.Adam(model.parameters(), { lr: 1e-2 });`,
  `for (let step = 0; step < 40; step++) {
  optimizer.zeroGrad();
  F.crossEntropy(model(x), target).backward();
  optimizer.step();
}`,
  "console.log(`accuracy ${(100 * model(x).argmax(1).eq(target).float().mean().item()).toFixed(0)}%`);",
];

const replay = (environment: NodeJS.ProcessEnv, ...args: string[]) => {
  const program = join(PROJECT_ROOT, "dist/kernel/cli.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "replay", ...args], {
    encoding: "utf8",
    cwd: folder,
    env: { ...process.env, ATEN_CPU_CAPABILITY: undefined, ...environment },
  });
  return { status, said: stdout + stderr };
};

const ONE_THREAD = { OMP_NUM_THREADS: "1" };
const TWO_THREADS = { OMP_NUM_THREADS: "2" };

let stored: Notebook;
/** Writes the stored notebook with a change, and says its name. */
function changed(change: (notebook: Notebook) => void): string {
  const notebook = structuredClone(stored);
  change(notebook);
  writeFileSync(join(folder, "changed.ipynb"), JSON.stringify(notebook));
  return "changed.ipynb";
}
const withSource = (from: string, to: string): string =>
  changed(({ cells }) => {
    for (const cell of cells) cell.source = [cell.source].flat().join("").replace(from, to);
  });

beforeAll(() => {
  const cells = CELLS.map((source, at) => ({
    cell_type: "code",
    id: `cell-${at}`,
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
  }));
  writeFileSync(
    join(folder, "trained.ipynb"),
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }),
  );
  expect(replay(ONE_THREAD, "--store", "trained.ipynb").status).toBe(0);
  stored = JSON.parse(readFileSync(join(folder, "trained.ipynb"), "utf8")) as Notebook;
});

describe("a notebook that trains", () => {
  it("keeps its first eleven losses, and how many steps there were after each cell", () => {
    expect(stored.metadata.mpslab.replay.losses).toHaveLength(11);
    expect(stored.metadata.mpslab.replay.steps).toEqual([0, 40, 40]);
  });

  it("is equal to the bit where it was stored", () => {
    expect(replay(ONE_THREAD, "trained.ipynb")).toEqual({
      status: 0,
      said: "the same machine, equal to the bit: outputs of 3 cells, 6 tensors, 0 epochs\n",
    });
  });

  const agrees =
    /^another machine, agrees: 11 early losses within 0\.001, the rest within 0\.00041: outputs of 3 cells, 6 tensors, 0 epochs\n/;

  it("agrees with other numbers of threads", () => {
    expect(replay(TWO_THREADS, "trained.ipynb")).toEqual({
      status: 0,
      said: expect.stringMatching(new RegExp(`${agrees.source}threads: stored on 1; this is 2\n$`)),
    });
  });

  const others = (["DEFAULT", "AVX2", "AVX512"] as const satisfies readonly InstructionSet[])
    .map((set) => set.toLowerCase())
    .filter(
      (set) => refusedInstructionSet(set) === null && set !== instructionSet(undefined, "").toLowerCase(),
    );

  // A processor without vector instructions has one set: there is none to try.
  it.each(others)("agrees with the instructions of %s", (set) => {
    const { status, said } = replay({ ...ONE_THREAD, ATEN_CPU_CAPABILITY: set }, "trained.ipynb");
    expect(said).toMatch(agrees);
    expect(said).toMatch(new RegExp(`\ninstructions: stored on .*; this is ${set.toUpperCase()} of `));
    expect(status).toBe(0);
  });
});

describe.each([
  ["the machine that stored it", ONE_THREAD],
  ["another machine", TWO_THREADS],
])("on %s", (_, environment) => {
  it("another seed is found in the loss of step 0", () => {
    const { status, said } = replay(environment, withSource("manualSeed(0)", "manualSeed(1)"));
    expect(said).toMatch(
      /^first difference: the loss of step 0 differs\n {2}stored {2}[\d.]+\n {2}now {5}[\d.]+\n/,
    );
    expect(status).toBe(1);
  });

  it("another learning rate is found in the loss of step 1", () => {
    const { status, said } = replay(environment, withSource("lr: 1e-2", "lr: 1e-3"));
    expect(said).toMatch(/^first difference: the loss of step 1 differs\n/);
    expect(status).toBe(1);
  });

  it("training that ends early is found", () => {
    const { status, said } = replay(environment, withSource("step < 40", "step < 5"));
    expect(said).toMatch(
      /^first difference: training takes fewer steps\n {2}stored {2}11 first losses\n {2}now {5}5\n/,
    );
    expect(status).toBe(1);
  });
});

it("on another machine nothing is said of training whose first losses were not stored", () => {
  const name = changed(({ metadata }) => delete metadata.mpslab.replay.losses);
  const { status, said } = replay(TWO_THREADS, name);
  expect(said).toMatch(
    /^cannot tell: the notebook trains, this is another machine, and no losses of its first steps/,
  );
  expect(status).toBe(2);
});
