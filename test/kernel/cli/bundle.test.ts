// `mpslab bundle` and `mpslab smoke`: a run goes to another folder as to another machine, with all that it needs, and a short
// window there says whether long work may follow.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandLine, writeNotebook } from "../../helpers/command_line.ts";

const home = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-bundle-")));
const mpslab = commandLine(home);
const [here, there] = [path.join(home, "here"), path.join(home, "there")];
let bundle: string;

const CELLS = [
  'import { lab, torch } from "mpslab";\nimport { readFileSync } from "node:fs";\nconst kept = [];\nconst rows = torch.tensor(readFileSync("train.csv", "utf8").trim().split("\\n").map(Number));',
  "for (let epoch = 0; epoch < 12; epoch++) { rows.mul(2); if (process.env.KEEP) kept.push(torch.ones([64, 1024])); }",
  'lab.logbook.record({ name: "handed", dataset: "train.csv", batch: 4 }).id',
];

beforeAll(() => {
  for (const folder of [here, there]) mkdirSync(folder);
  writeFileSync(path.join(here, "train.csv"), "1.5\n2.5\n");
  const notebook = path.join(here, "train.ipynb");
  writeNotebook(notebook, CELLS);
  expect(mpslab(here, ["execute", "train.ipynb"], { JPY_SESSION_NAME: notebook }).status).toBe(0);
  const id = /^ +([0-9a-f]{8}) /m.exec(mpslab(here, ["rerun"]).stdout)![1]!;
  bundle = `bundle-${id}`;
  expect(mpslab(here, ["bundle", id])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^run ${id} \\(handed, .* in output/${bundle}: \\d+ files\\n.*\\non the other machine: mpslab smoke ${bundle}\\n$`,
        "s",
      ),
    ),
  });
  cpSync(path.join(here, "output", bundle), path.join(there, bundle), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true }));

/** Without a checksum nothing runs. */
function smoke(variables: NodeJS.ProcessEnv = {}) {
  const asked = mpslab(there, ["smoke", bundle]);
  const reviewed = / --reviewed ([0-9a-f]+)\n/.exec(asked.stdout)![1]!;
  expect([asked.status, asked.stdout]).toEqual([1, expect.not.stringContaining("plateau")]);
  return mpslab(there, ["smoke", bundle, "--reviewed", reviewed], variables);
}

it("holds the run, its data set, the golden command and the form of a profile", () => {
  expect(readdirSync(path.join(there, bundle)).toSorted()).toEqual([
    "bundle.json",
    "command.sh",
    "mpslab.plist",
    "mpslab.service",
    "profile.schema.json",
    "run.logbook.files",
    "run.logbook.jsonl",
    "train.csv",
    "train.ipynb",
  ]);
  expect(readFileSync(path.join(there, bundle, "command.sh"), "utf8")).toMatch(
    /mpslab execute train\.ipynb\n$/,
  );
});

it("passes where memory stays level, with the plateau test and what differs", () => {
  const { status, stdout } = smoke();
  expect(stdout).toMatch(/data set: .*train\.csv, the run's checksum/);
  expect(stdout).toMatch(/^plateau test: steady, tensors .* in 10 epochs, 0% in ten$/m);
  expect(stdout).toMatch(/^ +field +handed over +here +change +suspicion$/m);
  expect([status, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "Passed: long work may be attached."]);
  expect(readdirSync(path.join(there, bundle))).toHaveLength(9);
});

it("does not pass where memory grows", () => {
  const { status, stdout } = smoke({ KEEP: "1" });
  expect(stdout).toMatch(/^plateau test: growing, tensors /m);
  expect(status).toBe(1);
});

it("refuses another data set, and a bundle that did not come whole", () => {
  const file = path.join(there, "other.csv");
  writeFileSync(file, "9\n");
  expect(mpslab(there, ["smoke", bundle, "--dataset", file]).stderr).toMatch(
    /other\.csv is another data set \(.*\): name the run's, --dataset FILE\.\n$/,
  );
  writeFileSync(path.join(there, bundle, "train.csv"), "9\n");
  expect(mpslab(there, ["smoke", bundle]).stderr).toMatch(
    /train\.csv is damaged: copy the whole bundle again\.\n$/,
  );
});
