// `mpslab report FOLDER`: one page about a sweep of `mpslab papermill`, or about two on one chart.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseHTML } from "linkedom";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { VEGA_LITE_MIME, themed } from "../../../../lib/charts/chart_style.ts";
import type { RunEntry } from "../../../../lib/records/logbook/entry.ts";
import { browserPath } from "../../../browser/browser_path.ts";

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

const CHART = themed(
  {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    data: { values: [{ x: 1, y: 2 }] },
    // A browser would ask for it.
    mark: { type: "point", fill: "url(http://a.example/b.svg#c)" },
    encoding: { x: { field: "x", type: "quantitative" } },
  },
  "screen",
);
/** More rows than memory holds. */
const ENDLESS = { ...CHART, data: { sequence: { start: 0, stop: 3e8 } } };
const PNG = readFileSync(path.join(PROJECT_ROOT, "docs/images/11-small-gpt-light.png")).toString("base64");

interface Written {
  readonly batchSize: number;
  readonly rate: number;
  readonly status?: "ok" | "failed";
  readonly node?: string;
  readonly loss?: number;
  readonly fields?: Partial<RunEntry["fields"]>;
}

/** Writes the notebook of a point as papermill leaves it, and returns its line of the journal. */
function writePoint(sweep: string, at: number, written: Written): string {
  const { batchSize, rate, status = "ok", node, loss = 1 / batchSize + rate, fields } = written;
  const point = { batchSize, rate };
  const file = `${at},batchSize=${batchSize},rate=${rate}.ipynb`;
  const failed = status === "failed";
  const run = {
    ...older,
    fields: { ...older.fields, commit: "c".repeat(40), metrics: { accuracy: "0.5" }, ...fields },
    epochs: {
      epoch: [1, 2],
      wallMs: [9, 8],
      peakBytes: [64, 64],
      metrics: { accuracy: [0.4, 0.5] },
      perPoint: 1,
    },
  };
  const outputs = [
    {
      output_type: "display_data",
      data: { [VEGA_LITE_MIME]: CHART, "text/plain": "a chart of ours" },
      metadata: {},
    },
    {
      output_type: "display_data",
      data: {
        [VEGA_LITE_MIME]: {
          data: { url: "http://example.org/x.csv" },
          mark: "bar",
          config: { color: "currentColor" },
        },
        "image/png": PNG,
        "text/plain": "a chart with data from elsewhere",
      },
      metadata: {},
    },
    ...(failed
      ? [
          {
            output_type: "display_data",
            data: { [VEGA_LITE_MIME]: ENDLESS, "text/plain": "a chart of 3e8 rows" },
            metadata: {},
          },
          { output_type: "error", ename: "RangeError", evalue: "<diverged>", traceback: ["at Cell [2]:1"] },
        ]
      : []),
  ];
  const cell = { cell_type: "code", id: "a", metadata: { tags: ["parameters"] }, execution_count: 1 };
  const notebook = {
    cells: [{ ...cell, source: "let batchSize = 1;\nconst apiKey = 'hunter2hunter2';", outputs }],
    metadata: {
      mpslab: { run, peakBytes: 2 ** 20 * batchSize },
      papermill: { input_path: "/home/ann/train.ipynb" },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  writeFileSync(path.join(folder, sweep, file), JSON.stringify(notebook));
  const error = failed ? "RangeError: <diverged>" : null;
  const results = failed ? {} : { loss, samplesPerSecond: 1000 * Math.min(batchSize, 64) };
  return JSON.stringify({ type: "point", point, status, error, wallSeconds: 2, file, results, node });
}

function writeSweep(sweep: string, points: readonly Written[]): void {
  mkdirSync(path.join(folder, sweep), { recursive: true });
  const identity = { notebook: "0", grid: { batchSize: [16, 64, 256], rate: [0.1, 0.01] }, seed: 7 };
  const lines = [
    JSON.stringify({ type: "sweep", schema: 1, identity }),
    ...points.map((point, at) => writePoint(sweep, at + 1, point)),
  ];
  writeFileSync(path.join(folder, sweep, "sweep.jsonl"), `${lines.join("\n")}\n{"type":"po`);
}

beforeAll(() => {
  writeSweep("mine/train", [
    { batchSize: 16, rate: 0.1, status: "failed", node: "alpha 0f1e2d" },
    { batchSize: 16, rate: 0.01, node: "alpha 0f1e2d" },
    { batchSize: 64, rate: 0.1, node: "beta 3c4b5a", fields: { processor: "Intel Xeon" } },
    { batchSize: 64, rate: 0.01, node: "alpha 0f1e2d" },
    { batchSize: 256, rate: 0.1, node: "alpha 0f1e2d" },
  ]);
  writeSweep("theirs/train", [
    { batchSize: 64, rate: 0.1, loss: 0.25, fields: { processor: "Apple M3" } },
    { batchSize: 64, rate: 0.01, loss: 0.5, fields: { processor: "Apple M3" } },
  ]);
});

const pageOf = (file: string) => parseHTML(readFileSync(path.join(folder, file), "utf8")).document;
type Document = ReturnType<typeof pageOf>;
const headings = (document: Document) => [...document.querySelectorAll("h2")].map((one) => one.textContent);
const figures = (document: Document) =>
  [...document.querySelectorAll("figure[aria-label]")].map((one) => one.getAttribute("aria-label")!);
const summaryOf = (point: NonNullable<ReturnType<Document["querySelector"]>>) =>
  point.parentElement!.querySelector("summary")!.textContent;
const rows = (table: NonNullable<ReturnType<Document["querySelector"]>>) =>
  [...table.querySelectorAll("tr")].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) => cell.textContent!.trim()),
  );

describe("a page of a sweep", () => {
  let page: Document;
  beforeAll(() => {
    expect(report("mine/train")).toMatchObject({
      status: 0,
      stdout: `report: ${folder}/output/report-train.html\n`,
      stderr: "",
    });
    page = pageOf("output/report-train.html");
  });

  it("says what was swept and how it ended", () => {
    expect(page.querySelector("h1")!.textContent).toBe("train: a sweep of batchSize, rate");
    expect(page.querySelector("h1 + p")!.textContent).toMatch(
      /^4 of 6 points succeeded, 1 failed, 1 have not run; on .*Intel Xeon.*UTC\.$/,
    );
    expect(headings(page)).toEqual([
      "Parameters",
      "Points",
      "Charts",
      "What they ran on",
      "Each point",
      "What ran",
      "What was left out",
    ]);
    expect(rows(page.querySelector("table")!).slice(1)).toEqual([
      ["batchSize", "16, 64, 256"],
      ["rate", "0.1, 0.01"],
    ]);
  });

  it("has a row for each point, those without a run too, and each leads to its section", () => {
    const table = page.querySelector("#points table")!;
    expect(rows(table)).toEqual([
      [
        "point",
        "batchSize",
        "rate",
        "status",
        "node",
        "loss",
        "samplesPerSecond",
        "accuracy",
        "time",
        "peak memory",
      ],
      ["1", "16", "0.1", "failed", "alpha 0f1e2d", "", "", "0.5", "2 s", "16 MiB"],
      ["2", "16", "0.01", "ok", "alpha 0f1e2d", "0.0725", "16000", "0.5", "2 s", "16 MiB"],
      ["3", "64", "0.1", "ok", "beta 3c4b5a", "0.115625", "64000", "0.5", "2 s", "64 MiB"],
      ["4", "64", "0.01", "ok", "alpha 0f1e2d", "0.025625", "64000", "0.5", "2 s", "64 MiB"],
      ["5", "256", "0.1", "ok", "alpha 0f1e2d", "0.103906", "64000", "0.5", "2 s", "256 MiB"],
      ["6", "256", "0.01", "not run", "", "", "", "", "", ""],
    ]);
    for (const link of table.querySelectorAll("a"))
      expect(page.querySelector(`details > ${link.getAttribute("href")!}`)).not.toBeNull();
  });

  it("marks the row of the best point, and says of each result which point is the best", () => {
    const points = page.querySelector("#points")!;
    const marked = [...points.querySelectorAll('tr[style*="font-weight:600"]')];
    expect(marked.map((row) => row.querySelector("td")!.textContent)).toEqual(["4"]);
    expect(points.textContent).toContain("Lowest loss: 0.0256, point 4 (batchSize 64, rate 0.01).");
    expect(points.textContent).toContain(
      "Highest samplesPerSecond: 64,000, point 3 (batchSize 64, rate 0.1).",
    );
  });

  it("draws each figure by each parameter, marks the knee, and says that machines differ", () => {
    const [loss] = figures(page);
    expect(loss).toBe(
      "loss by batchSize: lowest with batchSize 64, rate 0.01 (0.0256), highest with batchSize 64, rate 0.1 (0.116).",
    );
    expect(figures(page).map((text) => text.split(":")[0])).toEqual(
      expect.arrayContaining(["samplesPerSecond by batchSize", "peak memory by rate", "accuracy by epoch"]),
    );
    const charts = [...page.querySelectorAll("figure[aria-label]")].map((one) => one.textContent!);
    expect(charts.find((text) => text.includes("samplesPerSecond by batchSize"))).toContain("○ best batch");
    expect(charts[0]).toContain("different machines");
    expect(charts[0]).toMatch(/\(points 1, 2, 4, 5\); Intel Xeon ?\(point 3\)/);
  });

  it("shows of each point its error, its figures and its charts", () => {
    const failed = page.querySelector("#point-1")!;
    expect(summaryOf(failed)).toBe("1. batchSize 16, rate 0.1: RangeError: <diverged>");
    expect(summaryOf(page.querySelector("#point-4")!)).toBe(
      "4. batchSize 64, rate 0.01: loss 0.025625, samplesPerSecond 64000",
    );
    expect(failed.querySelector(".error")!.textContent).toBe("RangeError: <diverged>");
    expect(failed.querySelector("pre")!.textContent).toBe("at Cell [2]:1");
    expect(failed.querySelectorAll("figure svg").length).toBe(1);
    expect(failed.querySelector("figure img")!.getAttribute("alt")).toBe("a chart with data from elsewhere");
    expect(failed.textContent).toMatch(/a chart of 3e8 rows \(Chart not drawn: [^)]+\.\)/);
    expect(page.querySelector("#point-4")!.textContent).toContain("Ran to its end on alpha 0f1e2d in 2 s");
    expect(page.querySelector("#point-6")!.textContent).toContain("Has not run");
  });

  it("says once what all ran on, and which point differs", () => {
    const tables = [...page.querySelectorAll("h2")].find(
      (one) => one.textContent === "What they ran on",
    )!.parentElement!;
    const [differing, common] = [...tables.querySelectorAll("table")].map(rows);
    expect(common!.map(([name]) => name)).toEqual(
      expect.arrayContaining(["torchVersion", "device", "commit"]),
    );
    expect(differing!.filter(([, value]) => value === "Intel Xeon")).toEqual([["", "Intel Xeon", "3"]]);
  });

  it("shows the cells without their secrets", () => {
    expect(page.body.textContent).toContain("let batchSize = 1;");
    expect(page.body.textContent).not.toContain("hunter2");
  });

  it("loads nothing: its policy allows no address, and no two pictures share an id", () => {
    const text = readFileSync(path.join(folder, "output/report-train.html"), "utf8");
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
    expect(text).not.toMatch(/<script|<link|@import|url\((?!#)|(src|href)="(?!#|data:)/);
    const ids = [...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it.skipIf(browserPath === undefined)(
  "a browser without a network and without scripts shows the whole page, on a phone and dark on white paper too (needs a Chromium; MPSLAB_BROWSER names one)",
  async () => {
    const browser = await chromium.launch({
      executablePath: browserPath!,
      args: ["--no-sandbox", "--disable-gpu"],
    });
    try {
      const asked: string[] = [];
      for (const [width, colorScheme] of [
        [1200, "dark"],
        [390, "light"],
      ] as const) {
        const viewport = { width, height: 844 };
        const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false });
        const page = await context.newPage();
        const address = `file://${folder}/output/report-train.html`;
        await page.route("**/*", async (route) => {
          const url = route.request().url();
          if (url === address) return await route.continue();
          asked.push(url);
          await route.abort();
        });
        await page.goto(address);
        expect(await page.locator("figure svg").first().isVisible()).toBe(true);
        expect(await page.locator("#point-1 svg").first().isVisible()).toBe(false);
        await page.locator('#points a[href="#point-1"]').click();
        expect(await page.locator("#point-1 svg").first().isVisible()).toBe(true);
        const widths = await page
          .locator("figure > *, table")
          .evaluateAll((all) =>
            all.map(
              (element) =>
                (element as unknown as { getBoundingClientRect(): { right: number } }).getBoundingClientRect()
                  .right,
            ),
          );
        expect(Math.max(...widths)).toBeLessThanOrEqual(width);
        await context.close();
      }
      expect(asked).toEqual([]);

      const paper = await browser.newPage({ colorScheme: "dark" });
      await paper.goto(`file://${folder}/output/report-train.html`);
      expect(await paper.locator("details pre").first().isVisible()).toBe(false);
      await paper.emulateMedia({ media: "print" });
      expect(
        await paper.evaluate("getComputedStyle(document.querySelector('#point-1 svg text')).color"),
      ).toBe("rgb(31, 35, 40)");
      expect(await paper.locator("details pre").first().isVisible()).toBe(true);
    } finally {
      await browser.close();
    }
  },
);

describe("a page of two sweeps", () => {
  it("has both on each chart, named by what tells them apart, and states the difference", () => {
    expect(report("mine/train", "theirs/train", "--output", "two.html").status).toBe(0);
    const page = pageOf("two.html");
    const [mine, theirs] = page.querySelector("h1")!.textContent!.replace("2 sweeps: ", "").split(" | ");
    expect(theirs).toBe("Apple M3");
    const [chart] = page.querySelectorAll("figure");
    for (const name of [mine!, theirs!]) expect(chart!.textContent).toContain(name.slice(0, 8));
    expect(chart!.textContent).toContain("different machines");
    const difference = [...page.querySelectorAll("h2")].find((one) =>
      one.textContent!.startsWith("Two sweeps"),
    )!;
    expect(rows(difference.parentElement!.querySelector("table")!)).toContainEqual([
      "loss",
      "batchSize 64, rate 0.1",
      "0.116",
      "0.25",
      "2.16×",
      "no spread known",
    ]);
    expect(summaryOf(page.querySelector("#point-B2")!)).toBe("2. batchSize 16, rate 0.01: has not run");
  });
});

describe("misuse says what is wrong and the way out", () => {
  it.each([
    [
      ["mine"],
      "FOLDER/mine holds no sweep, as it has no sweep.jsonl: name the folder that mpslab papermill has written to.",
    ],
    [["mine/none"], "There is no folder FOLDER/mine/none: check the path of the sweep."],
    [["mine/train", "mine/train/"], "The folder FOLDER/mine/train is named twice: name it once."],
    [
      ["mine/train", "aaaa"],
      "A page is about runs or about folders of sweeps, not both: name ids alone, or folders alone.",
    ],
  ])("mpslab report %j", (args, sentence) => {
    const { status, stderr } = report(...args);
    expect([status, stderr]).toEqual([1, `mpslab: ${sentence.replaceAll("FOLDER", folder)}\n`]);
  });
});

it("follows a sweep under --live: the page shows itself anew until all points have run", async () => {
  const grid = [16, 64, 256].flatMap((batchSize) => [0.1, 0.01].map((rate) => ({ batchSize, rate })));
  writeSweep("live/train", grid.slice(0, 5));
  const words = ["report", "live/train", "--live"];
  const child = spawn(process.execPath, [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), ...words], {
    cwd: folder,
  });
  const ended = once(child, "close");
  await once(child.stdout, "data");
  const before = pageOf("output/report-train.html");
  expect(before.querySelector('meta[http-equiv="refresh"]')?.getAttribute("content")).toBe("5");
  expect(before.querySelector("p.quiet")?.textContent).toMatch(/^5 of 6 points succeeded, 1 have not run/);
  // The line of a point that was torn ends, and the last point follows.
  appendFileSync(path.join(folder, "live/train/sweep.jsonl"), `\n${writePoint("live/train", 6, grid[5]!)}\n`);
  expect(await ended).toEqual([0, null]);
  const after = pageOf("output/report-train.html");
  expect(after.querySelector('meta[http-equiv="refresh"]')).toBeNull();
  expect(after.querySelector("p.quiet")?.textContent).toMatch(/^6 of 6 points succeeded/);
  const { status, stderr } = report("--live");
  expect([status, stderr]).toEqual([1, expect.stringContaining("--live follows a sweep: name its folder")]);
});
