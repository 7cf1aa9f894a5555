// `lab.logbook` as a cell calls it, on this machine's real device and in a real file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { Ajv } from "ajv";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { FIELDS } from "../../../../lib/records/logbook/fields.ts";
import schema from "../../../../lib/records/logbook/logbook.schema.json" with { type: "json" };
import { epochRecords } from "../epoch_records.ts";

const { logbook } = lab;
const folder = mkdtempSync(path.join(tmpdir(), "logbook-"));
let file: string;
let count = 0;

beforeEach(() => {
  file = logbook.use(path.join(folder, `${count++}.jsonl`));
});
afterAll(() => {
  logbook.use(null);
  rmSync(folder, { recursive: true });
});

/** Formats are checked by Date and a pattern below: ajv leaves them to another package. */
const validate = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(schema);
const valid = (entry: unknown) => {
  validate(entry);
  return validate.errors ?? [];
};
const shown = (value: unknown) =>
  (value as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!();

const FULL = {
  dataset: "names only",
  datasetSha256: "a".repeat(64),
  batch: 64,
  resolution: "28x28",
  workers: 0,
  workerSeeds: "seed + worker id",
  cachePath: tmpdir(),
  networkRttMs: 0.4,
  amp: "off",
  convolutionWeightsDtype: "float32",
  normStatisticsDtype: "float32",
  reductionsDtype: "float64",
  checkpointing: false,
  accumulationSteps: 1,
  closedApps: ["Zoom"],
  powerAdapter: true,
  lowPowerMode: false,
  thermalState: "nominal",
  tags: { stage: "baseline" },
  artifacts: [path.resolve("package.json")],
} as const;

it("lies beside the notebook, under its name", () => {
  logbook.use(null);
  process.env["JPY_SESSION_NAME"] = "/elsewhere/tour.ipynb";
  expect(logbook.file()).toBe(path.resolve("tour.logbook.jsonl"));
  delete process.env["JPY_SESSION_NAME"];
  expect(logbook.file()).toBe(path.resolve("mpslab.logbook.jsonl"));
});

describe("lab.logbook.record", () => {
  it("fills what the machine knows, and asks for the rest instead of guessing", () => {
    torch.manualSeed(7);
    const run = logbook.record();
    expect(run.fields).toMatchObject({
      device: torch.device(),
      simulated: false,
      nodeVersion: process.versions.node,
      architecture: process.arch,
      torchBuild: "stable",
      seed: "7",
      batch: null,
      amp: null,
      datasetSha256: null,
    });
    expect(run.filledBy).toMatchObject({ device: "machine", seed: "machine" });
    expect(run.fields.deterministicAlgorithms).toBe(false);
    expect(run.missing.batch).toBe("Give lab.logbook.record({ batch: 64 }).");
    expect(run.missing.peakBytes).toBe("Run an epoch loop first, or give results: { sweep }.");
    for (const [name, value] of Object.entries(run.fields))
      expect(name in run.missing, name).toBe(value === null);
  });

  it("follows the published schema, line by line", () => {
    logbook.record();
    logbook.record({ ...FULL, name: "second", results: { sweep: { points: [] } } });
    logbook.note("Fan on the highest step.");
    logbook.rejected("more workers", "the step waits for item()", { line: "Cell [4]:9", waitedMs: 31 });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(valid(JSON.parse(line))).toEqual([]);
  });

  it("the schema names the same fields as the code, and refuses what is none", () => {
    expect(Object.keys(schema.definitions.run.properties.fields.properties)).toEqual(Object.keys(FIELDS));
    expect(schema.definitions.run.properties.fields.required).toEqual(Object.keys(FIELDS));
    const run = logbook.record();
    expect(valid({ ...run, fields: { ...run.fields, batch: "64" } })).not.toEqual([]);
    expect(valid({ ...run, fields: { ...run.fields, mood: "good" } })).not.toEqual([]);
    expect(valid({ ...run, filledBy: { batch: "guess" } })).not.toEqual([]);
  });

  it("keeps the variables that change what runs, and no number of this session's processes", () => {
    vi.stubEnv("OMP_NUM_THREADS", "3");
    vi.stubEnv("MPSLAB_METAL", "off");
    for (const own of ["MPSLAB_KERNEL_PID", "MPSLAB_DEVICE_PROCESS"]) vi.stubEnv(own, "1270");
    const { variables } = logbook.record().fields;
    vi.unstubAllEnvs();
    expect(variables).toMatchObject({ OMP_NUM_THREADS: "3", MPSLAB_METAL: "off" });
    expect(Object.values(variables as object)).not.toContain("1270");
  });

  it("takes the checksum of a data set that is a file, and trusts it more than a given one", () => {
    const dataset = path.join(folder, "train.txt");
    writeFileSync(dataset, "abc");
    const { fields, filledBy } = logbook.record({ dataset, datasetSha256: "0".repeat(64) });
    expect(fields.datasetSha256).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(filledBy).toMatchObject({ dataset: "user", datasetSha256: "machine" });
  });

  it("looks up the mount of a cache, and says how to give it where there is no such path", () => {
    expect(typeof logbook.record({ cachePath: folder }).fields.mountType).toBe("string");
    const gone = logbook.record({ cachePath: path.join(folder, "gone") });
    expect(gone.fields.mountType).toBeNull();
    expect(gone.missing.mountType).toContain("cachePath");
  });

  it("takes memory, window and fallbacks of the last epoch loop from the ledger", () => {
    for (const _ of lab.epochs(3)) torch.ones([1000]).sum().item();
    const { fields } = logbook.record();
    lab.ledger.clear();
    expect(fields.epochWindow).toMatch(/^loop \d+, epochs 1 to 2, first epoch apart$/);
    expect(fields.fallbacks).toBe(0);
    expect(fields.peakBytes).toBeGreaterThanOrEqual(4000);
    expect(fields.steadyEpochMs).toBeGreaterThan(0);
  });

  it("takes the metrics of the last whole epoch from the ledger, as text that keeps NaN", () => {
    const metrics: Record<string, number>[] = [{ loss: 2 }, { loss: 1 / 3, scale: Number.NaN }, { loss: 9 }];
    lab.ledger.epochs.push(...epochRecords(3, (epoch) => ({ metrics: metrics[epoch]!, cut: epoch === 2 })));
    const { fields } = logbook.draft();
    lab.ledger.clear();
    expect(fields.metrics).toEqual({ loss: "0.333333", scale: "NaN" });
  });

  it("adds up the fallbacks of all epochs, and does not know them where one does not", () => {
    const fallbacksOf = (counts: (number | null)[]) => {
      lab.ledger.epochs.push(...epochRecords(counts.length, (epoch) => ({ fallbacks: counts[epoch]! })));
      const { fields } = logbook.record();
      lab.ledger.clear();
      return fields.fallbacks;
    };
    expect(fallbacksOf([2, 3, 1])).toBe(6);
    expect(fallbacksOf([2, null, 1])).toBeNull();
  });

  it("takes the median of whole epochs, and says which one was cut", () => {
    lab.ledger.epochs.push(...epochRecords(4, (epoch) => (epoch === 3 ? { cut: true, wallMs: 5 } : {})));
    const { fields } = logbook.record();
    lab.ledger.clear();
    expect(fields.epochWindow).toBe("loop 0, epochs 1 to 2, first epoch apart, epoch 3 cut");
    expect(fields.steadyEpochMs).toBe(190);
  });

  it("leaves an epoch that the debugger paused out of the median, and says which one", () => {
    const paused = { pausedMs: 60_000, wallMs: 900 };
    lab.ledger.epochs.push(...epochRecords(4, (epoch) => (epoch === 2 ? paused : {})));
    const { fields } = logbook.record();
    lab.ledger.clear();
    expect(fields.epochWindow).toBe("loop 0, epochs 1 to 3, first epoch apart, epoch 2 paused");
    expect(fields.steadyEpochMs).toBe(190);
  });

  it("keeps numbers that JSON does not know as text", () => {
    const { results } = logbook.record({ results: { loss: Number.NaN, seed: 2n ** 60n } });
    expect(results).toEqual({ loss: "NaN", seed: "1152921504606846976" });
  });

  it("shows runs of an older version, which lack fields, with how to fill them", () => {
    const run = logbook.record();
    const { normStatisticsDtype: _, ...fields } = run.fields;
    const { normStatisticsDtype: __, ...missing } = run.missing;
    const older = { ...run, fields, missing } as typeof run;
    expect(logbook.markdown({ file: "a.jsonl", entries: [older], notes: [] })).toMatch(
      /\| normStatisticsDtype \| not known \| Give lab\.logbook\.record/,
    );
  });

  it("shows itself as a table of what is known, and names the rest in one sentence", () => {
    const run = logbook.record({ batch: 64 });
    expect(Object.keys(shown(run))).toEqual(["text/html", "text/plain"]);
    expect(inspect(run)).toMatch(/batch +64 +user/);
    expect(inspect(run)).not.toMatch(/^ *resolution/m);
    expect(inspect(run)).toMatch(
      /^Not known: .*\bresolution\b.*; the entry's missing says of each how to fill it\.$/m,
    );
    expect(run.missing.resolution).toBe('Give lab.logbook.record({ resolution: "224x224" }).');
  });
});

it("lab.logbook.draft is the run that record would keep, kept nowhere", () => {
  const drafted = logbook.draft({ batch: 64 });
  expect(valid(drafted)).toEqual([]);
  expect(logbook.read().entries).toEqual([]);
  expect(Object.keys(drafted)).toEqual(Object.keys(logbook.record({ batch: 64 })));
  expect(() => logbook.draft({ batch: 0 })).toThrow("lab.logbook.draft: batch must be");
  expect(() => logbook.draft({ batches: 1 } as never)).toThrow('lab.logbook.draft: unknown option "batches"');
});

describe("another logbook that cannot be read is refused, because whoever names it expects it to be there", () => {
  it.each(["read", "markdown"] as const)("by lab.logbook.%s", (name) => {
    const missing = path.join(folder, "studio.logbook.jsonl");
    expect(() => logbook[name](missing)).toThrow(`lab.logbook.${name}: there is no file ${missing}.`);
    expect(() => logbook[name](folder)).toThrow(`lab.logbook.${name}: ${folder} is a folder, not a file.`);
  });

  it("while the session's own is empty before its first entry", () => {
    const own = logbook.use(path.join(folder, "own.logbook.jsonl"));
    expect(logbook.read()).toMatchObject({ entries: [], notes: [`${own} is not there yet.`] });
    expect(logbook.read(own).entries).toEqual([]);
  });
});

describe("secrets never get into the logbook", () => {
  it("by name, by form, and as the value of a variable", () => {
    process.env["JUPYTER_TOKEN"] = "s3cr3tvalue";
    process.env["PYTORCH_API_KEY"] = "another-one";
    process.env["MPSLAB_DEVICE_URL"] = "http://ann:hunter22@host/x?token=abcdef";
    logbook.record({
      results: {
        remote: { token: "plain", url: "https://host/?token=qwerty", tokens: 512, tokenizer: "bpe" },
      },
    });
    logbook.note("Called with s3cr3tvalue and Authorization: Bearer 0123456789abcdef01");
    logbook.rejected("auth", "password=hunter22 was wrong", ["hf_abcdefghijklmnop"]);
    for (const name of ["JUPYTER_TOKEN", "PYTORCH_API_KEY", "MPSLAB_DEVICE_URL"]) delete process.env[name];
    const text = readFileSync(file, "utf8");
    for (const secret of ["s3cr3tvalue", "another-one", "hunter22", "abcdef", "plain", "qwerty"])
      expect(text).not.toContain(secret);
    expect(text).toContain('"tokens":512,"tokenizer":"bpe"');
  });

  it("and ordinary sentences stay whole", () => {
    const text = "A basic reduction kernel over token embeddings, 512 tokens each.";
    expect(logbook.note(text).text).toBe(text);
  });
});

describe("lab.logbook.diff", () => {
  it("of a name, which is no id, says whose name it is", () => {
    const [one, other] = [logbook.record({ name: "wide" }), logbook.record({ name: "wide" })];
    const ids = [one, other].map(({ id }) => JSON.stringify(id.slice(0, 8)));
    expect(() => logbook.diff("wide", one)).toThrow(
      `holds no run with the id wide; of the name there are the runs ${ids.join(", ")}.`,
    );
    expect(logbook.diff(one, other.id.slice(0, 8))).toBeDefined();
  });
  it("says what differs, largest suspect first, and effects apart from causes", () => {
    const a = logbook.record({ ...FULL, name: "mains" });
    const b = logbook.record({
      ...FULL,
      name: "battery",
      batch: 32,
      workerSeeds: "none",
      accumulationSteps: 2,
    });
    const diff = logbook.diff(a, b.id);
    // The machine's load is its own affair.
    expect(diff.suspects.filter(({ field }) => field !== "loadPerCore")).toEqual([
      { field: "batch", a: 64, b: 32, suspicion: 10 },
      { field: "accumulationSteps", a: 1, b: 2, suspicion: 9 },
      { field: "workerSeeds", a: "seed + worker id", b: "none", suspicion: 3 },
    ]);
    expect(diff.unknown).toContain("steadyEpochMs");
    expect(inspect(diff)).toMatch(/batch +64 +32 +-50% +10 of 10/);
  });

  it("of variables shows those that differ", () => {
    const a = logbook.record();
    process.env["OMP_NUM_THREADS"] = "3";
    const b = logbook.record();
    delete process.env["OMP_NUM_THREADS"];
    const diff = logbook.diff(a, b);
    expect(diff.suspects.map(({ field }) => field)).toContain("variables");
    expect(inspect(diff)).toMatch(/variables +\S+ +OMP_NUM_THREADS=3/);
  });
});

describe("views", () => {
  it("in Markdown: the five-tuple, every section, notes and rejected hypotheses", () => {
    logbook.record({ ...FULL, name: "a | b" });
    logbook.note("two\nlines");
    logbook.rejected("more | workers", "no", "Cell [4]");
    const text = logbook.markdown();
    expect(text).toContain("## a | b");
    expect(text).toContain("batch 64, resolution 28x28");
    for (const section of ["versions", "machine", "environment", "data", "strategy", "measured"])
      expect(text).toContain(`### ${section}`);
    expect(text).toContain(": two lines\n");
    expect(text).toMatch(/\| more \\\| workers \| no \| Cell \[4\] \|/);
  });

  it("in Markdown: evidence that is a whole result is cut, and the logbook's file has it in full", () => {
    const evidence = { losses: Array.from({ length: 500 }, (_, at) => at) };
    logbook.rejected("more workers", "no faster", evidence);
    expect(logbook.markdown()).toMatch(/\| \{"losses":\[0,1,[\d,]{100,160}… \(in full in the JSON\) \|\n$/);
    expect(logbook.read().entries).toMatchObject([{ evidence }]);
  });

  it("of a note and of a rejected hypothesis, where a cell ends in one", () => {
    expect(inspect(logbook.note("browser closed"))).toMatch(/^\S+, id \S+\n {2}note\n {2}browser closed$/);
    const rejected = logbook.rejected("more workers", "no faster", { losses: [1, 2] });
    expect(inspect(rejected)).toContain('more workers         no faster      {"losses":[1,2]}');
    expect(JSON.parse(JSON.stringify(rejected))).toMatchObject({ type: "rejected", why: "no faster" });
  });

  it("of the whole logbook is a table", () => {
    logbook.record(FULL);
    logbook.note("a < b");
    const contents = logbook.read();
    expect(contents.entries.map(({ type }) => type)).toEqual(["run", "note"]);
    expect(shown(contents)["text/html"]).toContain("a &lt; b");
  });

  it("as a command for a shell, launchd and systemd", () => {
    const run = logbook.record();
    const withVariables = {
      ...run,
      fields: { ...run.fields, variables: { OMP_NUM_THREADS: "4", PYTORCH_X: "a b%" } },
    };
    const text = (form: "plain" | "launchd" | "systemd") =>
      logbook.command(withVariables, form, { notebook: "/data/my runs/tour.ipynb" });
    expect(text("plain")).toBe(
      "cd '/data/my runs' && OMP_NUM_THREADS=4 PYTORCH_X='a b%' mpslab execute tour.ipynb\n",
    );
    expect(text("launchd")).toContain("<key>OMP_NUM_THREADS</key>\n    <string>4</string>");
    expect(text("launchd")).toContain("<string>mpslab.tour</string>");
    // Neither of the two searches the folders of npm, Homebrew or nvm.
    vi.stubEnv("PATH", "/opt/homebrew/bin:/usr/bin");
    expect(text("launchd")).toContain("<key>PATH</key>\n    <string>/opt/homebrew/bin:/usr/bin</string>");
    expect(text("systemd")).toContain("Environment=PATH=/opt/homebrew/bin:/usr/bin\n");
    expect(text("plain")).not.toContain("PATH");
    vi.unstubAllEnvs();
    expect(text("systemd")).toContain(
      'Environment="PYTORCH_X=a b%%"\nExecStart=/usr/bin/env mpslab execute tour.ipynb',
    );
  });
});

describe("misuse says what is wrong and the way out", () => {
  // A type checker would refuse these calls. JavaScript and `any` let them through.
  const loose = logbook as unknown as Record<string, (...given: unknown[]) => unknown>;
  it.each([
    ["record", [{ batches: 64 }], /unknown option "batches"/],
    ["record", [{ batch: "64" }], /batch must be an integer, got/],
    ["record", [{ batch: 0 }], /batch must be an integer of at least 1, got 0/],
    ["record", [{ amp: true }], /amp must be a string, got true/],
    ["record", [{ networkRttMs: -1 }], /networkRttMs must be a number, got -1/],
    ["record", [{ closedApps: "Zoom" }], /closedApps must be a list of strings/],
    ["record", [{ results: [1] }], /results must be named, as \{ sweep \}/],
    ["record", [{ name: 3 }], /name must be a string, got 3/],
    ["note", [""], /the text must be a sentence/],
    ["note", [undefined], /the text must be a sentence/],
    ["rejected", ["a", "", "b"], /why must be a sentence/],
    ["rejected", ["a", "b"], /give the evidence too/],
    ["diff", ["no such id", "x"], /holds no run with the id no such id/],
    ["diff", [{}, {}], /takes runs/],
    ["use", [7], /takes a file/],
    ["command", [{ type: "run" }, "cron"], /the form is plain, launchd, systemd/],
    ["command", [{ type: "run" }, "plain"], /this session does not know its notebook: give/],
    [
      "command",
      [{ type: "run" }, "plain", { notebook: "tour" }],
      /notebook must be the path of one.*got "tour"/,
    ],
  ])("lab.logbook.%s(%j)", (name, given, message) => {
    expect(() => loose[name]!(...given)).toThrow(message);
  });

  it("a file that cannot be written is named", () => {
    logbook.use(path.join(folder, "no", "such", "folder.jsonl"));
    expect(() => logbook.note("x")).toThrow(/folder\.jsonl cannot be written .* lab\.logbook\.use\(file\)/);
  });
});
