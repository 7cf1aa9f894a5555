// Tables as a reader sees them: at notebook width and in a narrow window none of them scrolls sideways, whatever its
// figures are, and both themes can be read.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { columns, type Table } from "../../lib/views/table.ts";
import { tableHtml } from "../../lib/views/table_html.ts";
import { browserPath } from "./browser_path.ts";
import { JupyterLab, keepScreenshot } from "./jupyter_lab.ts";

/** The columns of a sweep on a device that measures everything, in figures as long as they get. */
const WIDE: Table = {
  caption:
    "sweep on cuda: times of one step, spread is half the distance between the quartiles of the windows",
  columns: columns(
    ...["batch", "<dtype", "samples/s", "spread", "step", "data", "host", "device wait", "first step"],
    ...["data only", "forward only", "peak", "driver", "footprint"],
  ),
  rows: ["65536", "131072"].map((batch) => [
    ...[batch, "bfloat16", "12,345,678", "±12.5%", "59 min 59 s", "1234 ms", "1234 ms", "1234 ms", "1234 s"],
    ...["1234 ms", "1234 ms", "1023 GiB", "1023 GiB", "1023 GiB"],
  ]),
  marked: [1],
  notes: ["Best batch: 131072, 12,345,678 samples/s; 90% of that from batch 65536 on."],
};

const html = (table: Table) => `display({ "text/html": ${JSON.stringify(tableHtml(table))} });`;

const CELLS = {
  "the widest sweep": html(WIDE),
  sentences: html({
    caption: "Gates",
    columns: columns("<gate", "step", "<<evidence", "<<next"),
    rows: [["allocator discipline", "2", "a sentence of some length ".repeat(9), "w".repeat(90)]],
  }),
  "records of long names": html({
    caption: "",
    columns: columns("<name", "value"),
    rows: [["n".repeat(200), "1"]],
  }),
  records:
    'const people = Array.from({ length: 60 }, (_, id) => ({ id, name: `Person ${id}`, "mean of a column": Math.sin(id), born: new Date(0), nothing: null, list: [1, 2, 3] }));\npeople',
  "records of forty columns":
    "[Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`column ${at}`, at / 7]))]",
  "a table of a file":
    'import { data, lab, nn, optim, torch } from "mpslab";\nconst houses = data.readCsv(["a,b,c", ...Array.from({ length: 99 }, (_, at) => `${at},${at / 7},word ${at}`)].join("\\n"));\nhouses',
  "its description": "houses.describe()",
  "one column": 'houses.column("b")',
  memory: "lab.memory()",
  flush: "lab.flush()",
  "the ledger":
    "const model = new nn.Linear(64, 64);\nfor (const epoch of lab.epochs(3)) { model(torch.randn([64, 64])).sum().backward(); lab.mark('step'); }\nlab.ledger",
  epoch: "lab.ledger.epochs.at(-1)",
  benchmark:
    'lab.compare({ matmul: () => { torch.ones([64, 64]).matmul(torch.ones([64, 64])); }, add: () => { torch.ones([64, 64]).add(1); } }, { devices: ["cpu"], repeats: 3 })',
  gates: "lab.gates()",
  // With one symptom that every machine shows.
  diagnosis: "lab.diagnose({ operators: [{ name: 'mm', ms: 90 }, { name: 'add', ms: 1 }] })",
  budget:
    "lab.budget({ batch: 64, build: () => { const layer = new nn.Linear(64, 64); const optimizer = new optim.Adam(layer.parameters()); return { model: layer, optimizer, step(batch: number) { layer(torch.randn([batch, 64])).sum().backward(); optimizer.step(); } }; } })",
  profile:
    "torch.profiler.profile({ profileMemory: true }, () => model(torch.randn([64, 64])).sum().backward())",
  logbook: "lab.logbook.draft()",
  values: "torch.randn([200, 200])",
  loader:
    "const loader = new data.DataLoader(new data.TensorDataset(torch.randn([64, 4])), { batchSize: 8 });\ndata.diagnoseLoader(loader, { seconds: 0.1 })",
  names: "%who",
} as const;

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly innerText: string;
  closest(selector: string): unknown;
}

describe.skipIf(browserPath === undefined)(
  "in JupyterLab (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let jupyter: JupyterLab;
    let page: Page;
    beforeAll(async () => {
      jupyter = await JupyterLab.start();
      page = await jupyter.open("tables.ipynb", Object.values(CELLS));
      await jupyter.runAll(page);
    });
    afterAll(async () => {
      await page?.close();
      await jupyter?.close();
    });

    it("every cell shows a table", async () => {
      const names = Object.keys(CELLS);
      const cells = page.locator(".jp-CodeCell");
      const shown = await Promise.all(names.map((_, at) => cells.nth(at).locator("table").count()));
      expect(names.filter((_, at) => shown[at] === 0)).toEqual([]);
    });

    describe.each([
      ["at notebook width", 1200],
      ["in a narrow window", 700],
    ])("%s", (where, width) => {
      beforeAll(async () => {
        await page.setViewportSize({ width, height: 7000 });
        await page.waitForTimeout(1000);
      });

      it.each(Object.keys(CELLS).map((name, at) => [name, at] as const))(
        "%s does not scroll sideways",
        async (_, at) => {
          // All columns of a wide table fold out into a box of their own, which scrolls.
          const boxes = page.locator(".jp-CodeCell").nth(at).locator(".jp-RenderedHTML, .jp-RenderedHTML *");
          const tooWide = await boxes.evaluateAll((found) =>
            (found as unknown as Box[])
              .filter((box) => box.closest("details") === null)
              .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
              .map(({ innerText }) => innerText.slice(0, 60)),
          );
          expect(tooWide).toEqual([]);
        },
      );

      it.each([
        ["light", "JupyterLab Light"],
        ["dark", "JupyterLab Dark"],
      ] as const)("is pictured in the %s theme", async (suffix, theme) => {
        await jupyter.chooseTheme(page, theme);
        await keepScreenshot(page, `tables-${width}-${suffix}.png`);
        expect(where).not.toBe("");
      });
    });
  },
);
