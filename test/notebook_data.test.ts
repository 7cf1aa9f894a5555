// The files that notebooks read beside them: made-up data is what its script writes, and stored runs are of the text and
// the sweep that the notebooks use.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { data, type lab } from "../lib/index.ts";

const folder = path.resolve(import.meta.dirname, "../notebooks/data");
const textOf = (name: string): string => readFileSync(path.join(folder, name), "utf8");

describe("made-up data", () => {
  it.each([
    ["issues.csv", "make_issues.py"],
    ["houses.csv", "make_houses.py"],
  ])("%s is what %s writes", (name, script) => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), "mpslab-data-"));
    try {
      const copy = path.join(elsewhere, script);
      copyFileSync(path.join(folder, script), copy);
      const { status, stderr } = spawnSync("python3", [copy], { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      expect(readFileSync(path.join(elsewhere, name), "utf8")).toBe(textOf(name));
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});

describe("issues.csv", () => {
  const issues = data.readCsv(path.join(folder, "issues.csv"));
  const textsOf = (split: string): string[] =>
    issues
      .filter((row) => row.split === split)
      .column("text")
      .values();

  it("has as many texts of each label, in 450 to train with and 150 to test with", () => {
    const counts = (split: string) =>
      ["needs_docs", "needs_review", "needs_test"].map(
        (label) => issues.filter((row) => row.split === split && row.label === label).length,
      );
    expect([issues.names, issues.length]).toEqual([["split", "label", "text"], 600]);
    expect([counts("train"), counts("test")]).toEqual([
      [150, 150, 150],
      [50, 50, 50],
    ]);
  });

  it("tests with texts that are not among those to train with", () => {
    const seen = new Set(textsOf("train"));
    expect(seen.size).toBe(450);
    expect(textsOf("test").filter((text) => seen.has(text))).toEqual([]);
  });

  it("has words to test with that training has not seen", () => {
    const tokenizer = data.WordTokenizer.train(textsOf("train"));
    const unknown = tokenizer.vocabulary.indexOf("<unk>");
    const share = textsOf("test").filter((text) => tokenizer.encode(text).includes(unknown)).length / 150;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.5);
  });
});

describe("small_gpt.json, the stored run of PyTorch", () => {
  const stored = JSON.parse(textOf("small_gpt.json")) as Readonly<Record<string, unknown>>;

  it("is of the text beside it", () => {
    const text = readFileSync(path.join(folder, "shakespeare.txt"));
    // After a change of the text run notebooks/data/small_gpt.py again, in a Python with PyTorch.
    expect(stored["textSha256"]).toBe(createHash("sha256").update(text).digest("hex"));
  });

  it("has as many losses as the notebook has steps, and they fall", () => {
    const losses = stored["losses"] as readonly number[];
    expect(losses).toHaveLength(400);
    expect(losses[0]!).toBeGreaterThan(Math.log(61)); // no better than a guess
    expect(losses.at(-1)!).toBeLessThan(2);
  });
});

it("batch_sweep.logbook.jsonl holds the sweep of the notebook, and no path of the machine that made it", () => {
  const text = textOf("batch_sweep.logbook.jsonl");
  const run = JSON.parse(text) as lab.logbook.RunEntry;
  const { points } = run.results["sweep"] as lab.SweepResult;
  expect(points.map(({ point }) => point.batch).toSorted((a, b) => a - b)).toEqual([
    1, 2, 4, 8, 16, 32, 64, 128, 256,
  ]);
  expect(points.map(({ status }) => status)).toEqual(points.map(() => "measured"));
  expect(text).not.toMatch(/"\/(?:home|root|work|Users|tmp)\b/);
});
