// `mpslab report`: one page about one run of a logbook or several, for a reader who has neither Jupyter nor a network.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import type { RunEntry } from "../../../../lib/records/logbook/entry.ts";
import type { Program } from "../../../../lib/records/logbook/program.ts";
import { keepBytes } from "../../../../lib/records/logbook/kept_files.ts";
import { sweepWith } from "../../../lib/lab/logbook/sweep_results.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-report-")));
afterAll(() => rmSync(folder, { recursive: true }));

const report = (...args: string[]) =>
  spawnSync(process.execPath, [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), "report", ...args], {
    encoding: "utf8",
    cwd: folder,
  });

const older = JSON.parse(
  readFileSync(path.join(PROJECT_ROOT, "test/fixtures/logbooks/older.logbook.jsonl"), "utf8"),
) as RunEntry;
const mine = path.join(folder, "mine.logbook.jsonl");
const theirs = path.join(folder, "theirs.logbook.jsonl");

/** A run of the fixture's machine with a loss, a sweep and one cell. */
function run(logbook: string, begin: string, change: Partial<RunEntry["fields"]>, rate: number): RunEntry {
  const program: Program = {
    ...{
      notebook: "tour.ipynb",
      folder: "",
      cells: [{ count: 1, text: 'console.log("<loss>")' }],
      recordedBy: null,
    },
    ...{ machine: {}, environment: {}, patch: null, files: [], lock: null, notes: [] },
  };
  return {
    ...older,
    id: begin + older.id.slice(8),
    name: "tour",
    fields: { ...older.fields, ...change },
    results: { sweep: sweepWith([8, 16], rate) },
    epochs: {
      epoch: [1, 2],
      wallMs: [20, 10],
      peakBytes: [1024, 1024],
      metrics: { loss: [1, rate / 100] },
      perPoint: 1,
    },
    program: {
      sha256: keepBytes("test", logbook, Buffer.from(JSON.stringify(program))),
      cells: 1,
      notebook: "tour.ipynb",
    },
  };
}

beforeAll(() => {
  const entries = [run(mine, "aaaaaaaa", { processor: "Apple M3", batch: 8 }, 50), older];
  writeFileSync(mine, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  writeFileSync(
    theirs,
    `${JSON.stringify(run(theirs, "bbbbbbbb", { processor: "Intel Xeon", batch: 16 }, 30))}\n`,
  );
});

const pageOf = (file: string) => parseHTML(readFileSync(path.join(folder, file), "utf8")).document;
const headings = (document: ReturnType<typeof pageOf>) =>
  [...document.querySelectorAll("h2")].map((one) => one.textContent);

describe("a page of one run", () => {
  it("has its charts, its sweep, its fields and its cells", () => {
    expect(report("aaaa")).toMatchObject({
      status: 0,
      stdout: `report: ${folder}/output/report-aaaaaaaa.html\n`,
      stderr: "",
    });
    const page = pageOf("output/report-aaaaaaaa.html");
    expect(page.querySelector("h1")!.textContent).toBe("tour");
    expect(headings(page)).toEqual(["Charts", "Sweep", "The run", "What ran"]);
    expect(page.querySelectorAll("figure svg").length).toBe(5);
    expect(page.querySelector("figure")!.getAttribute("aria-label")).toMatch(/^Throughput of tour on cpu/);
    expect(page.querySelector("pre")!.textContent).toBe('console.log("<loss>")');
  });

  it("says of its sweep in which order the points ran, and how fast each window was", () => {
    const text = pageOf("output/report-aaaaaaaa.html").body.textContent!;
    expect(text).toContain(
      "The points in the order in which they ran, which seed 0 fixes; no journal was kept",
    );
    expect(text).toContain("5 of 30");
  });

  it("opens offline: it names no other file, and runs no script", () => {
    const text = readFileSync(path.join(folder, "output/report-aaaaaaaa.html"), "utf8");
    expect(text).not.toMatch(/<script|<link|<img|\bsrc=|@import|url\((?!#)/);
  });

  it("of an earlier version's run says what is not kept", () => {
    expect(report("0f6c", "--output", "older.html").status).toBe(0);
    const page = pageOf("older.html");
    expect(headings(page)).toEqual(["The run", "What ran"]);
    expect(page.body.textContent).toContain("the logbook keeps no cells of this run.");
  });
});

describe("a page of two machines", () => {
  it("has both on each chart, and what differs between them", () => {
    expect(report("aaaa", "bbbb", "--output", "two.html").status).toBe(0);
    const page = pageOf("two.html");
    expect(page.querySelector("h1")!.textContent).toBe("2 runs: Apple M3, batch 8 | Intel Xeon, batch 16");
    expect(headings(page).slice(0, 3)).toEqual(["What differs", "Charts", "Two sweeps, point by point"]);
    expect(page.querySelector("table")!.textContent).toContain("processorApple M3Intel Xeon");
    for (const figure of page.querySelectorAll("figure"))
      for (const name of ["Apple M3", "Intel Xeon", "different machines"])
        expect(figure.textContent).toContain(name);
  });

  it("states the difference of their sweeps with its spread", () => {
    const page = pageOf("two.html");
    expect(page.querySelector('figure[aria-label^="Samples a second"] svg')!.textContent).toContain(
      "at 2 equal points Intel Xeon, batch 16 has 0.6 times the rate of Apple M3, batch",
    );
    expect(page.body.textContent).toContain("240 ±2%0.6×apart");
  });

  it("of more runs has a column for each", () => {
    expect(report("aaaa", "bbbb", "0f6c", "--output", "three.html").status).toBe(0);
    const table = pageOf("three.html").querySelector("table")!;
    expect(table.querySelectorAll("th").length).toBe(4);
    expect(table.textContent).toContain("batch816");
  });
});

describe("misuse says what is wrong and the way out", () => {
  it("without an id lists the runs", () => {
    const { status, stdout } = report();
    expect(status).toBe(0);
    expect(stdout).toContain("mpslab report ID writes a page of one, mpslab report ID ID of several.\n");
  });

  it.each([
    [["cccc"], "No run has an id that begins with cccc: mpslab report without an id lists the runs."],
    [["aaaa", "aaaaaaaa"], "The run aaaaaaaa is named twice: name it once."],
    [["aaaa", "--logbook", "no.jsonl"], "There is no logbook FOLDER/no.jsonl: check the path."],
    [
      ["aaaa", "--output", "mine.logbook.jsonl/a.html"],
      "FOLDER/mine.logbook.jsonl is a file, not a folder: name another file with --output FILE.",
    ],
    [["aaaa", "--paper", "a4"], "Unknown option '--paper'. See mpslab --help."],
  ])("mpslab report %j", (args, sentence) => {
    const { status, stderr } = report(...args);
    expect([status, stderr]).toEqual([1, `mpslab: ${sentence.replaceAll("FOLDER", folder)}\n`]);
  });
});
