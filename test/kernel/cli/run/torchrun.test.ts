// `mpslab run`: a TypeScript file without a notebook, alone and as a rank that PyTorch's own torchrun starts. torchrun is
// that of `.venv-bench`, where PyTorch itself is installed; `npm run bench` makes it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { InspectorClient } from "../../../helpers/inspector_client.ts";
import { freePort } from "../../../lib/torch/distributed/ranks.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-run-")));
afterAll(() => rmSync(folder, { recursive: true }));

const CLI = path.join(PROJECT_ROOT, "dist/kernel/cli.js");
const PYTHON = path.join(PROJECT_ROOT, ".venv-bench/bin/python");

const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const mpslab = (...args: string[]) =>
  spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8", cwd: folder });

/** What a process has written to stdout until now. */
function printedBy({ stdout }: { readonly stdout: Readable }): () => string {
  let text = "";
  stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

describe("mpslab run", () => {
  it("runs a file in its folder, prints as it goes, and sums epochs up", () => {
    file("scale.ts", "export const scale: number = 2;\n");
    const program = file(
      "train.ts",
      `import { torch } from "mpslab";
import { scale } from "./scale.ts";
let sum = 0;
for (let epoch = 0; epoch < 3; epoch++) sum += torch.ones([2]).mul(scale).sum().item();
console.log("sum", sum);
console.error("a warning");
`,
    );
    const { status, stdout, stderr } = mpslab("run", program);
    expect(stderr).toBe("a warning\n");
    expect(stdout).toMatch(/^sum 12\nMemory of 3 epochs on cpu: .*\nTime of 3 epochs on cpu: .*\n$/);
    expect(status).toBe(0);
  });

  it("checks the types before anything runs", () => {
    const { status, stdout, stderr } = mpslab(
      "run",
      file("types.ts", 'console.log("ran");\nconst epochs: number = "three";\n'),
    );
    expect(stderr).toContain("Type 'string' is not assignable to type 'number'");
    expect([status, stdout]).toEqual([1, ""]);
  });

  it("ends with 1 after an error, with its line", () => {
    const { status, stderr } = mpslab(
      "run",
      file("throws.ts", 'const why = "no data";\nthrow new Error(why);\n'),
    );
    expect(stderr).toContain("Error: no data");
    expect(status).toBe(1);
  });

  it("gives the file the words behind it, as node does", () => {
    const program = file(
      "words.ts",
      'console.log(JSON.stringify(process.argv.slice(1)), process.env["MPSLAB_PROGRAM"]);\n',
    );
    const { status, stdout } = mpslab("run", program, "--epochs", "3", "--", "a b", "--inspect");
    expect(stdout).toBe(
      `${JSON.stringify([program, "--epochs", "3", "--", "a b", "--inspect"])} undefined\n`,
    );
    expect(status).toBe(0);
  });

  it("with --inspect waits for a debugger, which stops at debugger;", async () => {
    const program = file(
      "inspected.ts",
      'const answer: number = 42;\ndebugger;\nconsole.log("answer", answer);\n',
    );
    const running = spawn(process.execPath, [CLI, "run", "--inspect", program], { cwd: folder });
    const printed = printedBy(running);
    const ended = once(running, "exit");
    await expect.poll(printed).toMatch(/^The session can be debugged at /);
    const [address] = /ws:\S+/.exec(printed())!;
    const attached = await InspectorClient.attach(address);
    await attached.send("Debugger.enable");
    // The session may not wait yet when the address is printed: it is let go until it has paused.
    let isPaused = false;
    const paused = attached.event("Debugger.paused").then(() => (isPaused = true));
    await expect
      .poll(async () => {
        await attached.send("Runtime.runIfWaitingForDebugger");
        return isPaused;
      })
      .toBe(true);
    await paused;
    await attached.send("Debugger.resume");
    attached.close();
    expect(await ended).toEqual([0, null]);
    expect(printed()).toMatch(/\nanswer 42\n$/);
  });

  it.each([
    [["run"], "mpslab: run takes a file: mpslab run train.ts\n"],
    [["run", "--inspect"], "mpslab: run takes a file: mpslab run train.ts\n"],
    [["run", "--epochs", "a.ts"], "mpslab: Unknown option '--epochs'. See mpslab --help.\n"],
    [["run", "absent.ts"], `mpslab: There is no file ${path.join(folder, "absent.ts")}: check the path.\n`],
  ])("refuses %j", (args, message) => {
    const { status, stderr } = mpslab(...args);
    expect([status, stderr]).toEqual([1, message]);
  });
});

const TRAIN = `import { existsSync } from "node:fs";
import { data, functional, nn, optim, torch } from "mpslab";
const { distributed } = torch;

distributed.initProcessGroup({ timeoutMs: 60_000 });
const rank = distributed.getRank();
const attempt = process.env["TORCHELASTIC_RESTART_COUNT"] ?? "0";

torch.manualSeed(0);
const x = torch.randn([64, 4]);
const set = new data.TensorDataset(x, x.sum(1, { keepdim: true }));
const model = new nn.Linear(4, 1);
let first = 0;
if (existsSync("checkpoint.pt")) {
  const saved = torch.load<{ model: Record<string, typeof x>; epoch: number }>("checkpoint.pt");
  model.loadStateDict(saved.model);
  first = saved.epoch + 1;
}
const ddp = new nn.parallel.DistributedDataParallel(model);
const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.1 });
const sampler = new data.DistributedSampler(set);
const loader = new data.DataLoader(set, { batchSize: 8, sampler });
for (let epoch = first; epoch < 4; epoch++) {
  sampler.setEpoch(epoch);
  for (const [input, target] of loader) {
    optimizer.zeroGrad();
    functional.mseLoss(ddp(input!), target!).backward();
    optimizer.step();
  }
  if (rank === 0) torch.save({ model: model.stateDict(), epoch }, "checkpoint.pt");
  distributed.barrier();
  if (process.env["KILL_RANK"] === String(rank) && epoch === 1 && attempt === "0") process.kill(process.pid, "SIGKILL");
  console.log(\`rank \${rank} attempt \${attempt} epoch \${epoch} weight \${model.weight.sum().item()}\`);
}
distributed.destroyProcessGroup();
`;

describe.skipIf(!existsSync(PYTHON))("torchrun", () => {
  const weights = new Map<string, string>();

  const torchrun = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
    rmSync(path.join(folder, "checkpoint.pt"), { force: true });
    const program = file("ranks.ts", TRAIN);
    const launched = [process.execPath, CLI, "run", program];
    const more = ["--no-python", "--nproc-per-node", "2", ...args, ...launched];
    return spawnSync(PYTHON, ["-m", "torch.distributed.run", ...more], {
      encoding: "utf8",
      cwd: folder,
      env: { ...process.env, ...env },
    });
  };
  const line = /^rank (\d) attempt (\d) epoch (\d) weight (.*)$/gm;

  it("starts the ranks, which train one model", async () => {
    const { status, stdout } = await torchrun({}, "--master-port", String(await freePort()));
    const lines = [...stdout.matchAll(line)];
    expect(lines.map(([, rank, attempt, epoch]) => `${rank} ${attempt} ${epoch}`).toSorted()).toEqual([
      "0 0 0",
      "0 0 1",
      "0 0 2",
      "0 0 3",
      "1 0 0",
      "1 0 1",
      "1 0 2",
      "1 0 3",
    ]);
    for (const [, , , epoch, weight] of lines) {
      expect(weights.get(epoch!) ?? weight).toBe(weight);
      weights.set(epoch!, weight!);
    }
    expect(status).toBe(0);
  });

  it("starts them again after a rank was killed, from the last checkpoint", async () => {
    const endpoint = `127.0.0.1:${await freePort()}`;
    const elastic = ["--max-restarts", "1", "--rdzv-backend", "c10d", "--rdzv-endpoint", endpoint];
    const { status, stdout, stderr } = await torchrun({ KILL_RANK: "1" }, ...elastic);
    expect(stderr).toContain("The session process was killed by SIGKILL");
    const again = [...stdout.matchAll(line)].filter(([, , attempt]) => attempt === "1");
    expect(again.map(([, rank, , epoch]) => `${rank} ${epoch}`).toSorted()).toEqual([
      "0 2",
      "0 3",
      "1 2",
      "1 3",
    ]);
    // The run that was not interrupted came to the same weights.
    for (const [, , , epoch, weight] of again) expect(weight).toBe(weights.get(epoch!));
    expect(status).toBe(0);
  });
});
