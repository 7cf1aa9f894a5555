// `mpslab replay`: the same notebook gives the same outputs, bits and bytes, and what differs is told.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { firstDifference } from "../../../../kernel/cli/replay/output_difference.ts";
import { writeNotebook } from "../../../helpers/command_line.ts";

// Jupyter's programs take seconds to start, and several times as long beside other tests.
const folder = mkdtempSync(join(tmpdir(), "mpslab-replay-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Fingerprint {
  machine: Record<string, string>;
  losses: number[];
  heldBytes: number;
  readonly tensors: Record<string, { sha256: string; sum: string | null }>;
}
interface Notebook {
  readonly metadata: { readonly mpslab: { readonly replay: Fingerprint } };
  readonly cells: { source: string | string[]; readonly outputs: unknown[] }[];
}

const replay = (...args: string[]) =>
  spawnSync(process.execPath, [join(PROJECT_ROOT, "dist/kernel/cli.js"), "replay", ...args], {
    encoding: "utf8",
    cwd: folder,
  });

function write(name: string, notebook: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(notebook));
  return name;
}

// It throws for a name that it does not have, as a library of Metal kernels does.
const STRICT =
  'new Proxy({}, { get: (_, name) => { if (typeof name === "string") throw new TypeError(name); } })';

const CELLS = [
  `import { lab, nn, torch } from "mpslab";\ntorch.manualSeed(3);\nconst kernels = ${STRICT};\nconst w = torch.randn([3, 2]);\nconst model = new nn.Linear(2, 3);\nw.sum()`,
  // `epochs` is a name that the replay uses itself.
  "const epochs = 3;\nfor (const epoch of lab.epochs(epochs)) { w.add_(0.1); console.log(epoch, w.sum().item()); }",
  "const began = performance.now();\nconsole.log(`took ${(performance.now() - began).toFixed(4)} ms`);",
  'throw new RangeError("this error is part of the lesson")',
];

const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Notebook;

describe("a notebook that was stored", () => {
  let stored: Notebook;
  beforeAll(() => {
    writeNotebook(join(folder, "tensors.ipynb"), CELLS);
  });

  it("holds nothing to compare with at first, and is told how to", () => {
    expect(replay("tensors.ipynb")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("holds no outputs to compare with: mpslab replay --store"),
    });
  });

  it("keeps outputs, checksums of tensors and of a module's parameters, and byte counts", () => {
    const { status, stdout } = replay("--store", "tensors.ipynb");
    expect([status, stdout]).toEqual([0, `stored in ${folder}/tensors.ipynb: 3 tensors, 3 epochs\n`]);
    stored = read("tensors.ipynb");
    expect(Object.keys(stored.metadata.mpslab.replay.tensors)).toEqual(["model.bias", "model.weight", "w"]);
    expect(stored.metadata.mpslab.replay.heldBytes).toBeGreaterThan(0);
  });

  it("gives the same again: outputs, bits and bytes", () => {
    expect(replay("tensors.ipynb")).toMatchObject({
      status: 0,
      stdout: "the same machine, equal to the bit: outputs of 4 cells, 3 tensors, 3 epochs\n",
    });
  });

  it("adds no run to the logbook: its own cells read what they recorded, and nobody else does", () => {
    writeNotebook(join(folder, "logged.ipynb"), [
      'import { lab } from "mpslab";\nlab.logbook.use("runs.jsonl");\nconst { id } = lab.logbook.record({ name: "tour" });\nlab.logbook.note("done");\nid.length',
      "[lab.logbook.read().entries.map(({ type }) => type), lab.logbook.diff(id, id).suspects.length]",
    ]);
    for (const option of [["--store"], []])
      expect(replay(...option, "logged.ipynb").stdout).toMatch(/^(stored|the same machine)/);
    expect(JSON.stringify(read("logged.ipynb").cells[1]!.outputs)).toContain("[ [ 'run', 'note' ], 0 ]");
    expect(readdirSync(folder).filter((name) => name.startsWith("runs."))).toEqual([]);
  });

  it("with another seed fails, and shows the first difference", () => {
    const other = structuredClone(stored);
    other.cells[0]!.source = CELLS[0]!.replace("manualSeed(3)", "manualSeed(4)");
    const { status, stdout } = replay(write("seed.ipynb", other));
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^first difference: cell 1 differs in execute_result, line 1\n {2}stored {2}tensor\(\S+\)\n {2}now {5}tensor\(\S+\)\n$/,
    );
  });

  it("fails for a tensor of other bits under equal outputs", () => {
    const other = structuredClone(stored);
    other.cells[1]!.source = `${CELLS[1]!}\ntorch.noGrad(() => { w.copy_(w.flip([0])); });`;
    const { status, stdout } = replay(write("bits.ipynb", other));
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^first difference: tensor w \(3x2 float32\) differs in its values\n {2}stored {2}sum /,
      ),
    ]);
  });

  it("--timeout gives up on a cell that takes longer, in the words of execute", () => {
    const other = structuredClone(stored);
    other.cells[1]!.source = "await new Promise(() => {});";
    const { status, stdout, stderr } = replay("--timeout", "10", write("slow.ipynb", other));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Cell 2 did not end within 10 s\.$/m);
  });

  it("says of a cell that was interrupted how it can be ended, before it runs", () => {
    const other = structuredClone(stored);
    const error = { ename: "KeyboardInterrupt", evalue: "The cell was interrupted.", traceback: [] };
    other.cells[3] = { ...other.cells[3]!, source: "null;", outputs: [{ output_type: "error", ...error }] };
    const interrupted = write("interrupted.ipynb", other);
    expect(replay(interrupted)).toMatchObject({
      status: 1,
      stderr:
        "Cell 4 was interrupted when it ran, and may not end by itself: with --timeout SECONDS this run ends there.\n",
    });
    expect(replay("--timeout", "60", interrupted)).toMatchObject({ status: 1, stderr: "" });
  });

  it("of another machine is compared by sums, within a tolerance, and what differs of the machines is told", () => {
    const other = structuredClone(stored);
    const kept = other.metadata.mpslab.replay;
    kept.machine["processor"] = "Apple M4";
    kept.heldBytes += 4096;
    kept.tensors["w"]!.sha256 = "0".repeat(64);
    const name = write("elsewhere.ipynb", other);
    expect(replay(name)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^another machine, agrees: within 1e-05: outputs of 4 cells, 3 tensors, 3 epochs\nprocessor: stored on Apple M4; this is .*\n$/,
      ),
    });
    expect(replay("--tolerance", "0", name)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("tensor w (3x2 float32) differs in its values"),
    });
  });

  it("of another machine is found to have other values under equal sums", () => {
    const other = structuredClone(stored);
    other.metadata.mpslab.replay.machine["processor"] = "Apple M4";
    other.cells[1]!.source = `${CELLS[1]!}\ntorch.noGrad(() => { w.copy_(w.flip([0])); });`;
    expect(replay(write("places.ipynb", other))).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("tensor w (3x2 float32) differs in its values"),
    });
  });
});

describe("a notebook that depends on another order of its cells", () => {
  const cell = (source: string, execution_count: number, outputs: readonly object[] = []) => ({
    cell_type: "code",
    id: `cell-${execution_count}`,
    source,
    metadata: {},
    outputs,
    execution_count,
  });
  const printed = (text: string) => ({ output_type: "stream", name: "stdout", text });
  const write4 = (name: string, cells: readonly object[]) =>
    write(name, { nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

  it("is told which, before it fails", () => {
    const cells = [cell("console.log(rate);", 2, [printed("0.1\n")]), cell("const rate = 0.1;", 1)];
    const { status, stdout, stderr } = replay(write4("below.ipynb", cells));
    expect(stderr).toBe(
      "Cell 1 ([2]) reads rate, which cell 2 ([1]) declares further below: the notebook was run in another order than it is written.\n",
    );
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^first difference: cell 1 gave error/)]);
  });

  it("succeeds all the same where the order changes nothing; the line below a stale cell is not compared", () => {
    const mark = {
      output_type: "display_data",
      data: { "text/plain": "Stale: used rate, which Cell [9] has redefined since." },
      metadata: { mpslab: { mark: true } },
    };
    const cells = [
      cell("const rate = 0.1;", 2),
      cell('console.log("no name");', 1, [printed("no name\n")]),
      cell("console.log(rate);", 3, [printed("0.1\n"), mark]),
    ];
    const { status, stdout, stderr } = replay(write4("swapped.ipynb", cells));
    expect(stderr).toBe(
      "Cell 2 ([1]) ran before cell 1 ([2]); no cell reads a name that this order would change.\n",
    );
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^equal to the bit: outputs of 3 cells\n/)]);
  });
});

describe("a cell that cannot give the same", () => {
  const cell = (source: string, metadata: object = {}) => ({
    cell_type: "code",
    id: `cell-${source.length}`,
    source,
    metadata,
    outputs: [],
    execution_count: null,
  });
  const skipped = (reason: string) => ({ tags: ["replay-skip"], mpslab: { replaySkip: reason } });
  const random = "w.add_(Math.random()); const other = w.mul(2); console.log(w.sum().item());";
  const cells = [
    cell('console.log(process.pid); process.env["LESSON"] = "1";', skipped("it names the process")),
    cell('import { torch } from "mpslab";\nconst w = torch.ones([3]); const v = w.mul(3);'),
    cell(random, skipped("it adds a random number")),
    cell('throw new Error("of a cell that has its number");'),
    cell("for (let epoch = 0; epoch < 1; epoch++) v.add_(1);"),
  ];

  it("is run and not compared, nor are the tensors that it changes after that", () => {
    write("skipped.ipynb", { nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
    expect(replay("--store", "skipped.ipynb")).toMatchObject({
      status: 0,
      stdout: `stored in ${folder}/skipped.ipynb: 2 tensors, 1 epoch\n`,
    });
    expect(replay("skipped.ipynb")).toMatchObject({
      status: 0,
      stdout:
        "the same machine, equal to the bit: outputs of 3 cells, 2 tensors, 1 epoch\n" +
        "not compared: cell 1, it names the process\n" +
        "not compared: cell 3, it adds a random number\n",
    });
  });

  it("makes no other cell the like: what came before it, and what it leaves alone, are compared", () => {
    const changed = read("skipped.ipynb");
    changed.cells[1]!.source =
      'import { torch } from "mpslab";\nconst w = torch.zeros([3]); const v = w.add(3);';
    expect(replay(write("changed.ipynb", changed))).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("first difference: tensor w (3 float32) differs in its values"),
    });
  });
});

describe("outputs", () => {
  /** Stored text, text of now, tolerance; and whether they say the same. */
  const CASES: readonly (readonly [string, string, number, boolean])[] = [
    ["loss 0.25", "loss 0.25", 0, true],
    ["loss 0.25", "loss 0.2501", 0, false],
    ["loss 0.25", "loss 0.2501", 1e-3, true],
    // A number may be rounded the other way.
    ["loss 0.25", "loss 0.26", 1e-3, true],
    ["accuracy 97.6%", "accuracy 97.7%", 1e-3, true],
    ["loss 0.25", "loss 0.27", 1e-3, false],
    ["469 batches", "470 batches", 1e-3, false],
    ["loss NaN", "loss 0.25", 1e-3, false],
    ["epoch 1 took 12 ms, loss 0.25", "epoch 1 took 340 µs, loss 0.25", 0, true],
    ["epoch 1 took 12 ms, loss 0.25", "epoch 1 took 12 ms, loss 0.5", 0, false],
    ["first 340 ms, then 38 ms, 2% of it", "first 1.2 s, then 9 ms, 13% of it", 0, true],
    [
      "5 MiB allocated; recommended limit 17 GiB, used to 1%",
      "5 MiB allocated; recommended limit 9 GiB, used to 4%",
      0,
      true,
    ],
    ["5 MiB allocated", "6 MiB allocated", 0, false],
    ["│ 1 │ '0.67 s' │ '30 ms' │ 'full' │ 26.1 │", "│ 1 │ '1.2 s' │ '3 ms' │ 'minor' │ 0.1 │", 0, true],
    ["┌───┬──────────┐\n│ 1 │ '99.5 s' │", "┌───┬───────────┐\n│ 1 │ '101.5 s' │", 0, true],
    ["│ 1 │ 2 │", "│ 1 │ 3 │", 0, false],
    ["\u001b[31mred\u001b[0m", "red", 0, true],
    ["//# sourceURL=mpslab-cell:7", "//# sourceURL=mpslab-cell:12", 0, true],
    ["[[1, 2], [3, 4]]", "[[1, 2], [3, 5]]", 0, false],
    ["a\nb", "a", 0, false],
    ["", "a", 0, false],
  ];

  const stream = (text: string) => [{ output_type: "stream", name: "stdout", text } as const];

  it.each(CASES)("%j and %j within %d: %s", (stored, now, tolerance, same) => {
    expect(firstDifference(stream(stored), stream(now), tolerance) === null).toBe(same);
  });
});

describe("misuse says what is wrong and the way out", () => {
  it.each([
    [[], "replay takes one notebook"],
    [["no.ipynb"], "There is no notebook"],
    [["--tolerance", "2", "x.ipynb"], "--tolerance takes a share from 0 to 1, not 2."],
    [["--timeout", "soon", "x.ipynb"], "--timeout takes a whole number of seconds, not soon."],
    [["--seed", "x.ipynb"], "See mpslab --help."],
  ])("mpslab replay %j", (args, message) => {
    const { status, stderr } = replay(...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
