// `mpslab runs`: a table of runs by parameters, metrics and results, of logbooks and of sweeps; and MLflow's files, which MLflow
// itself reads back. MLflow is installed into an environment of this test's own.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { lab } from "../../../../lib/index.ts";
import { JupyterTools } from "../../../helpers/jupyter_tools.ts";
import { pythonEnvironment } from "../../../helpers/python_environment.ts";

const tools = new JupyterTools();
afterAll(() => {
  lab.logbook.use(null);
  tools.remove();
});
const at = (name: string) => path.join(tools.directory, name);

const mpslab = (...args: string[]) =>
  spawnSync(process.execPath, [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), ...args], {
    cwd: tools.directory,
    env: tools.environment,
    encoding: "utf8",
  });

/** The lines of a table below its caption and its head, without their ids and times. */
const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .slice(2)
    .filter((line) => line.startsWith(" "))
    .map((line) => line.trim().split(/ +/).slice(3).join(" "));

beforeAll(() => {
  lab.logbook.use(at("train.logbook.jsonl"));
  writeFileSync(at("model.bin"), "abc");
  for (const [rate, accuracy] of [
    [0.001, 0.5],
    [0.01, 0.9],
    [0.1, 0.7],
  ]) {
    for (const epoch of lab.epochs(2)) lab.log({ loss: rate! * (epoch + 1) });
    lab.logbook.record({
      name: "fit",
      parameters: { rate, "../mode": rate === 0.1 ? "plain" : "cosine" },
      results: { accuracy, verdict: "good" },
      tags: { team: "vision" },
      artifacts: [at("model.bin")],
    });
  }
});

describe("the table", () => {
  it("is sorted by a value, the largest first, and has those that fit every condition", () => {
    const all = mpslab("runs", "--sort", "accuracy");
    expect(all).toMatchObject({ status: 0, stderr: "" });
    expect(all.stdout.split("\n")[0]).toBe("3 runs");
    expect(rowsOf(all.stdout).map((row) => row.split(" ").slice(0, 4).join(" "))).toEqual([
      "fit 0.9 0.010 cosine",
      "fit 0.7 0.100 plain",
      "fit 0.5 0.001 cosine",
    ]);
    const some = mpslab("runs", "train.logbook.jsonl", "--where", "rate < 0.05", "--where", "../mode = cosine", "--sort", "rate", "--ascending"); // prettier-ignore
    expect(some.stdout.split("\n")[0]).toBe("2 of 3 runs");
    expect(rowsOf(some.stdout).map((row) => row.split(" ").slice(0, 3).join(" "))).toEqual([
      "fit 0.001 cosine",
      "fit 0.010 cosine",
    ]);
    expect(mpslab("runs", "--where", "rate > 1").stdout).toBe("0 of 3 runs\n");
  });

  it.each([
    [["--sort", "acc"], /^mpslab: No run has a value acc; there are name, rate, .*accuracy, verdict/],
    [
      ["--where", "rate ~ 3"],
      /^mpslab: --where takes a name, a comparison and a value, as "rate < 0\.01", not "rate ~ 3"\.$/,
    ],
    [["--where", "rate < low"], /^mpslab: rate is a number, and "low" in --where is none\.$/],
    [["none.jsonl"], /^mpslab: There is no logbook .*none\.jsonl: check the path\.$/],
    [["."], /holds no sweep, as it has no sweep\.jsonl/],
  ])("%j is answered in a sentence", (args, sentence) => {
    const { status, stderr, stdout } = mpslab("runs", ...args);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr.trimEnd()).toMatch(sentence);
  });
});

describe("a sweep", () => {
  it("hands its parameters to the runs that its cells record, and to its table", () => {
    tools.writeNotebook("swept.ipynb", [
      { source: "let width = 1;\nlet rate = 0.1;", tags: ["parameters"] },
      'import { lab } from "mpslab";\nlab.logbook.use("swept.logbook.jsonl");\nlab.logbook.record({ results: { loss: width * rate } }).id;',
      { source: "({ loss: width * rate })", tags: ["result"] },
    ]);
    expect(mpslab("papermill", "swept.ipynb", "-p", "width", "48,64", "-p", "rate", "0.01")).toMatchObject({
      status: 0,
    });
    const recorded = lab.logbook.read(at("swept.logbook.jsonl")).entries;
    const [a, b] = recorded.filter((entry) => entry.type === "run");
    const [first] = lab.logbook.diff(a!, b!).suspects;
    expect(first).toMatchObject({ field: "parameters", a: { rate: "0.01" }, b: { rate: "0.01" } });
    const table = mpslab("runs", "output/swept", "--sort", "loss");
    expect(rowsOf(table.stdout).map((row) => row.split(" ").slice(-5, -2).join(" "))).toHaveLength(2);
    expect(table.stdout).toMatch(/ width +| loss +/);
    const best = mpslab("runs", "output/swept", "--where", "width = 64").stdout;
    expect(best).toMatch(/^1 of 2 runs\n.* width +loss +rate\n.* 64 +0\.64 +0\.01/);
  });
});

const mlflow = pythonEnvironment("mlflow", "mlflow-skinny==3.17.2");

describe.skipIf(mlflow.missing !== null)(
  `MLflow${mlflow.missing === null ? "" : `: ${mlflow.missing}`}`,
  () => {
    const SAVED = "sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const READ = `
import json, sys, mlflow
client = mlflow.MlflowClient(tracking_uri="file://" + sys.argv[1])
found = []
for experiment in client.search_experiments():
    for run in client.search_runs([experiment.experiment_id], "metrics.accuracy > 0.6", order_by=["metrics.accuracy DESC"]):
        losses = client.get_metric_history(run.info.run_id, "loss")
        found.append([experiment.name, run.info.run_name, run.info.status, run.data.params, run.data.metrics["accuracy"],
                      [[one.step, one.value] for one in losses], run.data.tags["verdict"], run.data.tags["mpslab.id"], run.data.tags["team"],
                      [text for name, text in run.data.tags.items() if name.startswith("artifact.")]])
print(json.dumps(found))`;

    it("reads the runs with parameters, metrics by epoch, results and tags", () => {
      for (const _ of [1, 2]) expect(mpslab("runs", "train.logbook.jsonl", "--mlflow", "ml").status).toBe(0);
      const python = mlflow.missing === null ? mlflow.program("python") : "";
      const read = execFileSync(python, ["-c", READ, at("ml")], {
        encoding: "utf8",
        env: { ...tools.environment, MLFLOW_ALLOW_FILE_STORE: "true" },
        stdio: ["ignore", "pipe", "ignore"],
      });
      const ids = lab.logbook.read(at("train.logbook.jsonl")).entries.map(({ id }) => id);
      const name = `train (${at("train.logbook.jsonl")})`;
      expect(JSON.parse(read)).toEqual([
        [name, "fit", "FINISHED", { rate: "0.01", __mode: "cosine" }, 0.9, [[1, 0.01], [2, 0.02]], "good", ids[1], "vision", [SAVED]], // prettier-ignore
        [name, "fit", "FINISHED", { rate: "0.1", __mode: "plain" }, 0.7, [[1, 0.1], [2, 0.2]], "good", ids[2], "vision", [SAVED]], // prettier-ignore
      ]);
    });
  },
);
