// %snapshot and %restore as a notebook's reader uses them: saved, the session gone, brought back with values and types.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(join(tmpdir(), "mpslab-snapshot-"));
const folder = join(directory, "lesson.snapshot");
let kernel: KernelProcess;
beforeAll(async () => {
  const environment = { JPY_SESSION_NAME: join(directory, "lesson.ipynb") };
  kernel = await KernelProcess.start({ directory, environment });
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);
const crash = () => run('process.kill(process.pid, "SIGKILL"); await new Promise(() => {});');
const files = () => readdirSync(folder).sort();

const VALUES = `
  const rate = 0.1; let steps = 3n; const name = "run 7"; const flags = [true, false];
  const losses = [0.5, NaN, Infinity, -0]; const seen = new Set([1, 2]); const when = new Date(86_400_000);
  const config = { depth: 2, "learning rate": [1e-3, 1e-4], nested: { best: undefined, "$": 1 } };
  const counts = new Map<string, number[]>([["a", [1]], ["b", []]]);
  const pixels = new Uint8Array([1, 2, 255]); const wide = new Float64Array([0.5, -1]);`;
const TENSORS = `
  import { torch, nn, optim } from "mpslab";
  const weights = torch.tensor([[1, 2], [3, 4]], { dtype: "float32", requiresGrad: true });
  const labels = torch.tensor([1n, 9007199254740993n]); const mask = torch.tensor([true, false]);
  const half = torch.tensor(0.5, { dtype: "bfloat16" }); const none = torch.zeros([0, 3]);
  const pair = { weights, also: [labels] }; const scale = new nn.Parameter(torch.ones([2]));`;
const MODEL = `
  const model = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU());
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.01 });`;
const STEP = "model(torch.ones([1, 2])).sum().backward(); optimizer.step(); optimizer.zeroGrad();";

describe("%snapshot", () => {
  it("without a snapshot %restore says how one is made", async () => {
    const { reply } = await run("%restore");
    expect(reply).toMatchObject({
      ename: "SnapshotError",
      evalue: "There is no snapshot beside this notebook yet: %snapshot saves its variables.",
    });
  });

  it("brings plain values back with their types after a crash, whose error offers it", async () => {
    await run(VALUES);
    expect((await run("%snapshot")).stdout).toBe(
      "Saved rate, steps, name, flags, losses, seen, when, config, counts, pixels, wide to lesson.snapshot.\n",
    );
    expect(files()).toEqual(["snapshot.json"]);
    const { reply } = await crash();
    expect(reply["evalue"]).toMatch(
      /\(rate, steps, name, flags, losses, seen, when, config, counts, pixels, wide\); files are not\. The next cell starts a new session\. %restore brings back the snapshot of \d\d:\d\d:\d\d \(rate, .* and 3 more\)\.$/,
    );
    expect((await run("%restore")).stdout).toBe(
      "Restored rate, steps, name, flags, losses, seen, when, config, counts, pixels, wide.\n",
    );
    const { result } = await run(
      "[rate, steps, name, flags, losses, seen, when.getTime(), config, counts, pixels, wide]",
    );
    expect(stripVTControlCharacters(result ?? "")).toBe(
      [
        "[",
        "  0.1,",
        "  3n,",
        "  'run 7',",
        "  [ true, false ],",
        "  [ 0.5, NaN, Infinity, -0 ],",
        "  Set(2) { 1, 2 },",
        "  86400000,",
        "  {",
        "    depth: 2,",
        "    'learning rate': [ 0.001, 0.0001 ],",
        "    nested: { best: undefined, '$': 1 }",
        "  },",
        "  Map(2) { 'a' => [ 1 ], 'b' => [] },",
        "  Uint8Array(3) [ 1, 2, 255 ],",
        "  Float64Array(2) [ 0.5, -1 ]",
        "]",
      ].join("\n"),
    );
  });

  it.each([
    ["rate", "number"],
    ["steps", "bigint"],
    ["losses", "number[]"],
    ["seen", "Set<number>"],
    ["when", "Date"],
    ["counts", "Map<string, any[] | number[]>"],
    ["config.nested.$", "number"],
  ])("the type checker knows that %s is a %s", async (name, type) => {
    const { reply } = await run(`const wrong: symbol = ${name};`);
    expect(reply["evalue"]).toContain(`Type '${type}' is not assignable to type 'symbol'.`);
  });

  it("brings tensors back with dtype, shape and requiresGrad, a tensor under two names as one", async () => {
    await run(TENSORS);
    expect((await run("%snapshot weights, labels mask half none pair scale")).stdout).toBe(
      "Saved weights, labels, mask, half, none, pair, scale to lesson.snapshot.\n",
    );
    await crash();
    await run("%restore");
    expect(
      (await run("[weights.dtype, labels.dtype, mask.dtype, half.dtype, none.shape, half.shape]")).result,
    ).toBe("[ 'float32', 'int64', 'bool', 'bfloat16', [ 0, 3 ], [] ]");
    expect((await run("[weights.tolist(), labels.tolist()]")).result).toBe(
      "[ [ [ 1, 2 ], [ 3, 4 ] ], [ 1, 9007199254740993n ] ]",
    );
    expect(
      (
        await run(
          'import { nn } from "mpslab"; [weights.requiresGrad, labels.requiresGrad, scale instanceof nn.Parameter]',
        )
      ).result,
    ).toBe("[ true, false, true ]");
    expect((await run("Object.is(pair.weights, weights)")).result).toBe("true");
    const { reply } = await run("const wrong: symbol = pair.also;");
    expect(reply["evalue"]).toMatch(/Type 'Tensor.*\[\]' is not assignable to type 'symbol'/);
  });

  it("loads the state of modules and optimizers when they exist, and says so when they do not", async () => {
    await run('import { torch, nn, optim } from "mpslab";');
    await run(MODEL);
    await run(STEP);
    const before = (await run("[...model.parameters()].map((p) => p.tolist())")).result;
    expect((await run("%snapshot model optimizer")).stdout).toBe(
      "Saved model, optimizer to lesson.snapshot.\n",
    );
    await crash();
    expect((await run("%restore")).stdout).toBe(
      "model (Sequential) does not exist yet: run the cell that makes it, then %restore model.\n" +
        "optimizer (Adam) does not exist yet: run the cell that makes it, then %restore optimizer.\n",
    );
    await run(`import { torch, nn, optim } from "mpslab"; ${MODEL}`);
    expect((await run("%restore")).stdout).toBe("Loaded the state of model, optimizer.\n");
    expect((await run("[...model.parameters()].map((p) => p.tolist())")).result).toBe(before);
    expect((await run("[optimizer.state.size, optimizer.paramGroups[0]!.lr]")).result).toBe("[ 2, 0.01 ]");
  });

  it("refuses a state that does not fit, and loads none of the others", async () => {
    await run("%snapshot model optimizer");
    await run(
      "const kept = model.parameters()[0]!.tolist(); const optimizer = new optim.SGD([torch.ones([1]).requiresGrad_()]);",
    );
    const { reply } = await run("%restore");
    expect(reply["ename"]).toBe("SnapshotError");
    expect(reply["evalue"]).toMatch(/^The state of optimizer does not fit, and nothing was restored: /);
    expect(
      (await run("JSON.stringify(model.parameters()[0]!.tolist()) === JSON.stringify(kept)")).result,
    ).toBe("true");
  });

  it("says by name what cannot be saved, and saves the rest", async () => {
    await run(`
      let f = () => 1; class Point { x = 1; } const point = new Point(); const loop: any = {}; loop.self = loop;
      const sparse = torch.eye(2).toSparse(); const good = 1; const deep = { list: [1, Symbol("s")] };`);
    const { stdout } = await run("%snapshot f point loop sparse good deep");
    expect(stdout).toBe(
      "Saved good to lesson.snapshot.\n" +
        "Not saved: f is a function; point is an instance of Point; loop.self contains itself; " +
        "sparse is a sparse_coo tensor: save .toDense() of it; deep.list.1 is a symbol.\n",
    );
  });

  it("refuses names that are no variables", async () => {
    const { reply } = await run("%snapshot goood");
    expect(reply["evalue"]).toBe("This notebook has no variable goood to save.");
  });

  it("leaves a name alone that the snapshot does not hold", async () => {
    expect((await run("%restore nothing")).reply["evalue"]).toBe(
      "The snapshot holds no nothing; it holds good.",
    );
  });
});

describe("a damaged snapshot is refused whole", () => {
  const json = () => join(folder, "snapshot.json");
  const tensors = () => join(folder, files().find((name) => name.startsWith("tensors-")) ?? "");

  it.each<[string, () => void, RegExp]>([
    ["its JSON cut off", () => truncateSync(json(), 100), /snapshot\.json: it is no whole JSON/],
    [
      "a value of its JSON changed",
      () => writeFileSync(json(), readFileSync(json(), "utf8").replace('"value":5', '"value":6')),
      /snapshot\.json: its checksum does not fit what it holds\.$/,
    ],
    [
      "its tensors cut off",
      () => truncateSync(tensors(), 50),
      /safetensors: its checksum is not the one that was written\.$/,
    ],
    ["its tensors gone", () => rmSync(tensors()), /safetensors: ENOENT/],
    [
      "one bit of its tensors changed",
      () => {
        const bytes = readFileSync(tensors());
        bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
        writeFileSync(tensors(), bytes);
      },
      /safetensors: its checksum is not the one that was written\.$/,
    ],
  ])("with %s", async (_name, damage, reason) => {
    await run("let five = 5; let ones = torch.ones([3]);");
    await run("%snapshot five ones");
    await run("five = 50; ones = torch.zeros([1]);");
    damage();
    const { reply } = await run("%restore");
    expect(reply["ename"]).toBe("SnapshotError");
    expect(reply["evalue"]).toMatch(/^The snapshot is damaged and nothing of it was restored: /);
    expect(reply["evalue"]).toMatch(reason);
    expect((await run("[five, ones.tolist()]")).result).toBe("[ 50, [ 0 ] ]");
  });

  it("and what a session left half written is removed when it has died", async () => {
    await run("%snapshot five ones");
    writeFileSync(join(folder, "tensors-1-1.safetensors.partial"), "half");
    await crash();
    expect(files().filter((name) => name.includes("partial"))).toEqual([]);
    expect((await run("%restore five")).stdout).toBe("Restored five.\n");
  });
});

it("%snapshot that cannot be written says so in one sentence, and leaves nothing that takes room", async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "snapshot.json"), { recursive: true });
  const { reply } = await run("let three = torch.ones([3]);\n%snapshot three");
  expect(reply["evalue"]).toBe(
    `The snapshot could not be written: ${join(folder, "snapshot.json")} is a folder, not a file.`,
  );
  expect(files()).toEqual(["snapshot.json"]);
  rmSync(folder, { recursive: true });
});

describe("%snapshot auto", () => {
  const untilSaved = async () => {
    while (!existsSync(join(folder, "snapshot.json"))) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it("saves at the end of an epoch, also in a loop that never awaits", async () => {
    rmSync(folder, { recursive: true, force: true });
    await run('import { torch } from "mpslab"; let epochSeen = -1; const held = torch.arange(1000);');
    const { reply } = await run(`%snapshot auto
      import { existsSync } from "node:fs";
      for (let epoch = 0; epoch < 2; epoch++) {
        if (epoch === 1) {
          while (!existsSync("lesson.snapshot/snapshot.json"));
          process.kill(process.pid, "SIGKILL");
          while (true);
        }
        epochSeen = epoch;
      }`);
    expect(reply["ename"]).toBe("SessionEnded");
    expect((await run("%restore epochSeen, held")).stdout).toBe("Restored epochSeen, held.\n");
    expect((await run("[epochSeen, held.shape]")).result).toBe("[ 0, [ 1000 ] ]");
  });

  it("saves when a cell has ended, until it is switched off", async () => {
    rmSync(folder, { recursive: true, force: true });
    expect((await run("%snapshot auto")).stdout).toBe("Snapshots are taken after cells and epochs.\n");
    await untilSaved();
    expect((await run("%snapshot off")).stdout).toBe("Snapshots are taken by %snapshot alone.\n");
  });
});
