// Sweeps on a real Ray cluster of several nodes: `mpslab papermill --engine`, and `lab.sweep({ engine })` from a cell. Ray
// is installed into an environment of this test's own.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { HANG_MS } from "../../helpers/hang.ts";
import { JupyterTools } from "../../helpers/jupyter_tools.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { treeOf, untilGone } from "../../helpers/process_tree.ts";
import { pythonEnvironment } from "../../helpers/python_environment.ts";
import { RayNodes } from "../../helpers/ray_cluster.ts";

const ray = pythonEnvironment("ray", "ray[client]==2.60.0");
const python = ray.missing === null ? ray.program("python") : "";
const tools = new JupyterTools();
afterAll(() => tools.remove());
tools.writeNotebook("one.ipynb", [{ source: "let n = 1;", tags: ["parameters"] }]);
const at = (name: string) => path.join(tools.directory, name);
const CLI = path.join(PROJECT_ROOT, "dist", "kernel", "cli.js");
const environment: NodeJS.ProcessEnv = { ...tools.environment, MPSLAB_RAY_PYTHON: python };

interface Sweep {
  readonly process: ChildProcess;
  readonly text: () => string;
  readonly ended: Promise<number | null>;
}

function papermill(...args: string[]): Sweep {
  const child = spawn(process.execPath, [CLI, "papermill", ...args], {
    cwd: tools.directory,
    env: environment,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (text += String(chunk)));
  const ended = once(child, "close").then(([status]) => status as number | null);
  return { process: child, text: () => text, ended };
}

/** A sweep whose points say that they have begun, with the process that they run in, and wait for the file `go`. */
function writeWaiting(folder: string): void {
  mkdirSync(at(folder));
  tools.writeNotebook(`${folder}/waiting.ipynb`, [
    { source: "let n = 1;", tags: ["parameters"] },
    `import { existsSync, writeFileSync } from "node:fs";
writeFileSync(\`begun-\${n}\`, String(process.pid));
while (n > 1 && !existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));`,
    { source: "({ square: n * n })", tags: ["result"] },
  ]);
}
const begun = (folder: string) => readdirSync(at(folder)).filter((name) => name.startsWith("begun-"));
const begunProcesses = (folder: string) =>
  begun(folder).map((name) => Number(readFileSync(at(`${folder}/${name}`), "utf8")));
/** Fails where the sweep that is to bring it about has ended. */
const until = (condition: () => boolean, sweep?: Sweep) =>
  vi.waitUntil(
    () => {
      if (sweep !== undefined && sweep.process.exitCode !== null && !condition())
        throw new Error(sweep.text());
      return condition();
    },
    { timeout: HANG_MS, interval: 20 },
  );
const squares = (text: string) => text.split("\n").filter((line) => /^\| \d/.test(line));

interface JournalLine {
  readonly type: string;
  readonly point?: { readonly n: number };
  readonly status?: string;
  readonly node?: string;
}
const journal = (folder: string) =>
  readFileSync(at(`${folder}/sweep.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalLine);
/** Without times and nodes, and in the grid's order: points of several nodes come back in any. */
const comparable = (folder: string) =>
  readFileSync(at(`${folder}/sweep.jsonl`), "utf8")
    .replaceAll(/"wallSeconds":[\d.]+|,"node":"[^"]*"/g, "")
    .trim()
    .split("\n")
    .toSorted();

describe.skipIf(ray.missing !== null)(
  `a sweep on Ray${ray.missing === null ? "" : ` (${ray.missing})`}`,
  () => {
    let cluster: RayNodes;
    let nodes: string[];
    const engine = ["--engine", "ray"];

    beforeAll(async () => {
      cluster = await RayNodes.start(python);
      nodes = [await cluster.add(), await cluster.add()];
      environment["RAY_ADDRESS"] = cluster.address;
    });
    afterAll(() => cluster.stop());

    it("gives what this machine gives: journal, table and notebooks, with the node of each point", async () => {
      tools.writeNotebook("train.ipynb", [
        { source: "let rate = 0.1;", tags: ["parameters"] },
        'if (rate > 1) throw new RangeError("diverged");',
        { source: "({ loss: rate * 2, text: `at ${rate}` })", tags: ["result"] },
      ]);
      const words = ["train.ipynb", "-p", "rate", "0.5,2,0.25,0.125", "--seed", "7"];
      const [here, there] = [
        papermill(...words, "--output", "here"),
        papermill(...words, "--engine", cluster.clientAddress, "--output", "there"),
      ];
      expect([await here.ended, await there.ended], there.text()).toEqual([1, 1]);
      expect(comparable("there"), there.text()).toEqual(comparable("here"));
      const table = (folder: string) =>
        readFileSync(at(`${folder}/table.csv`), "utf8").replaceAll(/,\d+\.\d,/g, ",");
      expect(table("there")).toBe(table("here"));
      expect(table("there")).toContain("2,failed,,,RangeError: diverged");
      const notebooks = readdirSync(at("here")).filter((name) => name.endsWith(".ipynb"));
      for (const name of notebooks)
        expect(tools.readNotebook(`there/${name}`)).toEqual(tools.readNotebook(`here/${name}`));
      // Ray decides which node takes a point: a worker that is there already takes several while another one starts.
      const ran = journal("there").flatMap(({ node }) => node ?? []);
      expect(ran).toHaveLength(4);
      for (const node of ran) {
        expect(nodes).toContain(node);
        expect(there.text()).toContain(`on ${node}`);
      }
    });

    it("runs the points of a node that dies elsewhere", async () => {
      writeWaiting("killed");
      const sweep = papermill("killed/waiting.ipynb", "-p", "n", "2,3", ...engine, "--output", "killed/out");
      await until(() => begun("killed").length === 2, sweep);
      const dead = nodes.shift()!;
      await cluster.kill(dead);
      await until(() => sweep.text().includes("handed over again"), sweep);
      expect(sweep.text()).toContain(
        `A point was lost on ${dead}, and is handed over again: the node is gone.\n`,
      );
      writeFileSync(at("killed/go"), "");
      expect(await sweep.ended, sweep.text()).toBe(0);
      expect(squares(sweep.text())).toEqual([
        expect.stringMatching(/^\| 2 \| ok \|.*\| 4 \|$/),
        expect.stringMatching(/^\| 3 \| ok \|.*\| 9 \|$/),
      ]);
      expect(sweep.text().match(new RegExp(`on ${nodes[0]!}`, "g"))).toHaveLength(2);
    });

    it("cancels what runs at Ctrl-C, and goes on from its journal, also after its driver was killed", async () => {
      writeWaiting("stopped");
      const words = [
        "stopped/waiting.ipynb",
        "-p",
        "n",
        "1,2,3",
        ...engine,
        "--output",
        "stopped/out",
        "--seed",
        "0",
      ];
      const waits = () => existsSync(at("stopped/begun-2")) || existsSync(at("stopped/begun-3"));
      const stopped = papermill(...words);
      await until(waits, stopped);
      stopped.process.kill("SIGINT");
      expect(await stopped.ended).toBe(130);
      await untilGone(begunProcesses("stopped"));
      const done = journal("stopped/out").filter(({ type }) => type === "point").length;
      expect(stopped.text()).toContain(
        `Interrupted with ${done} of 3 points done: the same command goes on from here.`,
      );

      for (const name of begun("stopped")) rmSync(at(`stopped/${name}`));
      const killed = papermill(...words);
      await until(waits, killed);
      const [driver] = treeOf(killed.process.pid!).slice(1);
      process.kill(driver!, "SIGKILL");
      expect(await killed.ended).toBe(1);
      expect(killed.text()).toContain("Ray takes no points: its driver ended (SIGKILL).\n");

      writeFileSync(at("stopped/go"), "");
      const resumed = papermill(...words);
      expect(await resumed.ended, resumed.text()).toBe(0);
      expect(squares(resumed.text())).toHaveLength(3);
    });

    it("refuses resources that no node has, rather than to wait for them", async () => {
      tools.writeNotebook("one.ipynb", [{ source: "let n = 1;", tags: ["parameters"] }]);
      const sweep = papermill("one.ipynb", "-p", "n", "1", ...engine, "--num-cpus", "64", "--num-gpus", "1");
      expect(await sweep.ended).toBe(1);
      expect(sweep.text()).toContain(
        "Ray takes no points: no node of the cluster has 64 CPUs and 1 GPU for a point, the largest has 1 CPU and 0 GPUs: ask for less, or add a node.\n",
      );
    });

    it("lab.sweep measures its points there, into the same journal, charts and logbook", async () => {
      const kernel = await KernelProcess.start({
        directory: tools.directory,
        environment: {
          MPSLAB_RAY_PYTHON: python,
          RAY_ADDRESS: cluster.address,
          JPY_SESSION_NAME: at("lab.ipynb"),
        },
      });
      try {
        const cell = (step: string, batches: string) => `import { lab } from "mpslab";
const swept = await lab.sweep({ engine: "ray", batch: ${batches},
  warmupSteps: 1, windows: 1, windowMs: 1, name: "on ray", setup: \`
import { writeFileSync } from "node:fs";
import { torch } from "mpslab";
const setup = ({ batch }: { readonly batch: number }) => {
  console.log("at", batch);
  if (batch === 3) throw new RangeError("three");
  return ${step};
};\` });
swept`;
        const ran = await kernel.client.execute(cell("() => torch.ones([batch]).sum()", "[1, 3]"));
        expect(ran.reply["status"], JSON.stringify(ran.reply)).toBe("ok");
        // The progress that became the table, and two charts.
        expect(ran.displays).toHaveLength(3);
        expect(ran.stdout).toMatch(/^\[.* \w{6}\] at 1$/m);
        const shown = async (expression: string) =>
          (await kernel.client.execute(`console.log(${expression})`)).stdout.trim();
        expect(
          await shown(
            "swept.points.map(({ point, status, error }) => [point.batch, status, error].join()).sort().join('; ')",
          ),
        ).toBe("1,measured,; 3,failed,RangeError: three");
        const remotes = (await shown("swept.remotes.map(({ name }) => name).join(';')")).split(";");
        expect(nodes).toEqual(expect.arrayContaining(remotes));
        expect(readFileSync(at("on ray.sweep.jsonl"), "utf8").trim().split("\n").at(-1)).toMatch(
          /"type":"end"/,
        );
        const runs = await shown(
          "lab.logbook.read().entries.map((entry) => 'name' in entry && entry.name).sort().join(';')",
        );
        expect(runs.split(";")).toEqual(remotes.map((name) => `on ray on ${name}`).toSorted());

        const endless = `() => { writeFileSync(${JSON.stringify(at("begun-5"))}, String(process.pid)); while (true); }`;
        const running = kernel.client.execute(cell(endless, "[5]"));
        await until(() => existsSync(at("begun-5")));
        await kernel.client.request("interrupt_request", {}, "control");
        expect((await running).reply["ename"]).toBe("KeyboardInterrupt");
        await untilGone(begunProcesses("."));
      } finally {
        await kernel.stop();
      }
    });

    it("leaves nodes without Node, or with another mpslab, to themselves, and says what to install", async () => {
      const bare = at("bare");
      const older = at("older");
      for (const folder of [bare, older]) mkdirSync(folder);
      writeFileSync(
        path.join(older, "mpslab"),
        '#!/bin/sh\necho "mpslab: There is no command ray-point: use run." >&2; exit 1\n',
        {
          mode: 0o755,
        },
      );
      const [withoutNode, withOlder] = [await cluster.add(bare), await cluster.add(older)];
      for (const node of nodes) await cluster.kill(node);
      const sweep = papermill("one.ipynb", "-p", "n", "1,2,3", ...engine, "--output", "refused");
      expect(await sweep.ended).toBe(1);
      expect(sweep.text()).toContain(
        "Ray takes no points: no node of the cluster is left that can run a point. ",
      );
      expect(sweep.text()).toContain(
        `${withoutNode}: it has no Node and no mpslab on the PATH of its Ray: install both there, and start Ray anew`,
      );
      expect(sweep.text()).toContain(
        `${withOlder}: its mpslab is older and cannot run points: install the same version there`,
      );
      expect(sweep.text()).toContain("Ended with 0 of 3 points done: the same command goes on from here.\n");
    });
  },
);

describe("a sweep on Ray without Ray", () => {
  const refusal = (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const options = { cwd: tools.directory, env: { ...environment, ...env }, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [CLI, "papermill", "one.ipynb", ...args],
      options,
    );
    expect(status).toBe(1);
    return stdout + stderr;
  };
  const words = ["-p", "n", "1", "--output", "alone"];

  it("says how to install it", () => {
    const plain = path.join(PROJECT_ROOT, ".venv", "bin", "python");
    expect(refusal({ MPSLAB_RAY_PYTHON: plain }, ...words, "--engine", "ray")).toContain(
      `MPSLAB_RAY_PYTHON is ${plain}, which has no Ray: name a Python with Ray, or install it there by ${plain} -m pip install "ray[client]".\n`,
    );
  });

  it.skipIf(ray.missing !== null)("says where it looked for a cluster", () => {
    expect(refusal({}, ...words, "--engine", "ray://127.0.0.1:1")).toContain(
      "Ray takes no points: nothing answers at ray://127.0.0.1:1 ([Errno 111] Connection refused): give the address of a Ray Client server, which `ray start --head` opens on port 10001, as ray://head:10001.\n",
    );
  });

  it.each([
    [["--engine", "spark"], "--engine takes ray or ray://HOST:PORT, as ray://head:10001, not spark."],
    [
      ["--engine", "ray://head"],
      "--engine takes ray or ray://HOST:PORT, as ray://head:10001, not ray://head.",
    ],
    [["--engine", "ray", "--num-cpus", "all"], "--num-cpus takes a number, 0 or more, not all."],
    [["--num-gpus", "1"], "--num-cpus and --num-gpus say what Ray reserves: give --engine ray as well."],
  ])("refuses %j", (args, sentence) => {
    expect(refusal({}, ...words, ...args)).toBe(`mpslab: ${sentence}\n`);
  });

  it("a node refuses a point of another version", () => {
    const request = {
      version: "0.0.9",
      notebook: "",
      papermill: {},
      folder: "/",
      session: "",
      timeoutSeconds: null,
    };
    const { stdout } = spawnSync(process.execPath, [CLI, "ray-point"], {
      input: `${JSON.stringify(request)}\n`,
      encoding: "utf8",
    });
    expect(stdout).toBe(
      '{"refused":"it has mpslab 0.1.0, not 0.0.9: install one version on all machines"}\n',
    );
  });
});
