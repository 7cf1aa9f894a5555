// Arrays of records as tables: which arrays are, and what stands in the cells.
import { describe, expect, it } from "vitest";
import { inspect } from "node:util";
import { data, torch } from "../../../lib/index.ts";
import { areRecords, recordsTable } from "../../../lib/views/records.ts";
import { type Table, tableText } from "../../../lib/views/table.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";

const PEOPLE = [
  { name: "Ada", age: 36, born: new Date("1815-12-10") },
  { name: "Charles", age: null, born: new Date("1791-12-26T10:30:00Z") },
];

it("numbers are aligned to the right, names to the left; what is no value is named", () => {
  expect(tableText(recordsTable(PEOPLE))).toBe(`2 records
  name      age  born
  Ada        36  1815-12-10
  Charles  null  1791-12-26T10:30:00Z`);
});

it("the points of a column stand below each other, in six digits of its largest number", () => {
  const rows = [7.5, 8, 123.45678, NaN].map((fare) => ({ fare }));
  expect(tableText(recordsTable(rows))).toBe(
    "4 records\n     fare\n    7.500\n    8.000\n  123.457\n      NaN",
  );
});

it("the first 20 of many", () => {
  const table = recordsTable(Array.from({ length: 1234 }, (_, id) => ({ id })));
  expect(table.caption).toBe("1,234 records, the first 20");
  expect(table.rows).toHaveLength(20);
});

it("one number with an exponent gives one to all of its column", () => {
  const rows = [1e-5, 0.5, 1.25].map((rate) => ({ rate }));
  expect(tableText(recordsTable(rows))).toBe("3 records\n     rate\n  1.00e-5\n  5.00e-1\n  1.25e+0");
});

describe("a table that is too wide", () => {
  const wide = [Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`column${at}`, at]))];
  const headings = (table: Table) => table.columns.map(({ heading }) => heading);

  it("shows the first columns and the last one, and names the others", () => {
    const table = recordsTable(wide);
    const first = Array.from({ length: 8 }, (_, at) => `column${at}`);
    expect(headings(table)).toEqual([...first, "…", "column39"]);
    expect(table.rows[0]!.slice(-2)).toEqual([{ quiet: "…" }, "39"]);
    expect(table.notes).toEqual([expect.stringMatching(/^31 more columns: column8, .*, column38\.$/)]);
  });

  it("stands on one line of a page of 750 pixels, whatever it holds", () => {
    const id = "0193d5a2-7c1e-7d3a-9f42-5b6c7d8e9f01";
    const run = { name: "baseline", lr: 1e-4, width: 48, at: "2026-11-30T10:30:00Z", id };
    const sorted = {
      ...run,
      ...wide[0],
      loss: 0.02585,
      ...Object.fromEntries(Array.from("abcdef", (one) => [one, 1])),
    };
    for (const record of [run, { ...run, accuracy: 0.9123, seconds: 12.5 }, wide[0]!, { ...sorted, id }]) {
      const view = recordsTable([record], { kept: "loss" in record ? ["loss"] : [] });
      const [, row = ""] = tableHtml(view).split("<tbody");
      const [first = ""] = row.split("</tr>");
      const cells = Array.from(first.matchAll(/flex:0 0 ([\d.]+)em/g), ([, ems]) => 13 * Number(ems) + 12);
      expect(cells.length).toBeGreaterThan(4);
      expect(cells.reduce((sum, width) => sum + width, 0)).toBeLessThan(750);
    }
  });

  it("cuts long texts before it leaves out a column, and folds out to the whole ones", () => {
    const id = "0193d5a2-7c1e-7d3a-9f42-5b6c7d8e9f01";
    const run = {
      name: `baseline ${"with all layers ".repeat(3)}`,
      rate: 0.01,
      epochs: 12345,
      at: "2026-11-30",
    };
    const table = recordsTable([{ ...run, accuracy: 0.9123, id }]);
    expect(headings(table)).toEqual(["name", "rate", "epochs", "at", "accuracy", "id"]);
    expect(
      tableText(table)
        .split("\n")
        .map((line) => line.length)
        .every((length) => length <= 100),
    ).toBe(true);
    expect(table.rows[0]!.slice(1)).toEqual([
      "0.01",
      "12345",
      run.at,
      "0.9123",
      expect.stringMatching(/^0193d5a2-7c1e-7d3a.*…$/),
    ]);
    expect(table.notes).toEqual([]);
    expect(tableHtml(table)).toMatch(new RegExp(`<details><summary[^>]*>All 6 columns</summary>.*${id}`));
  });

  it("leaves out no column that is kept", () => {
    expect(headings(recordsTable(wide, { kept: ["column20"] })).slice(-4)).toEqual([
      "…",
      "column20",
      "…",
      "column39",
    ]);
    const table = new data.Table(Object.fromEntries(Object.keys(wide[0]!).map((name) => [name, [2, 1]])));
    expect(inspect(table.sortBy("column20").head(1))).toContain("column20  ");
    expect(inspect(table)).not.toContain("column20  ");
  });

  it("folds out to all of its columns on a page", () => {
    const html = tableHtml(recordsTable(wide));
    expect(html).toMatch(/<details><summary[^>]*>All 40 columns<\/summary>.*column20<\/th>/);
    expect(tableHtml(recordsTable([{ a: 1 }]))).not.toContain("<details>");
  });

  it("of very many columns folds out the first 100", () => {
    const record = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`c${at}`, at]));
    const { foldedOut, notes } = recordsTable([record]);
    expect(foldedOut?.caption).toBe("The first 100 of 5,000 columns");
    expect(notes![0]!.length).toBeLessThan(1100);
  });
});

it.each([
  ["text", "a\nb", "a b"],
  ["long text", "x".repeat(99), `${"x".repeat(59)}…`],
  ["a whole number", 1e12, "1000000000000"],
  ["a fraction", 1 / 3, "0.33333"],
  ["a small one", 1.23456789e-9, "1.23457e-9"],
  ["negative zero", -0, "-0"],
  ["a bigint", 12n, "12"],
  ["a boolean", true, "true"],
  ["NaN", NaN, { quiet: "NaN" }],
  ["undefined", undefined, { quiet: "undefined" }],
  ["a list", [1, 2, 3, 4, 5, 6], "[ 1, 2, 3, 4, ... 2 more items ]"],
  ["an object", { a: { b: { c: 1 } } }, "{ a: { b: [Object] } }"],
  ["no date", new Date("no"), "Invalid Date"],
  ["a tensor", torch.zeros([2, 3]), "Tensor [2, 3] float32"],
])("%s", (_, value, shown) => {
  expect(recordsTable([{ value }]).rows).toEqual([[shown]]);
});

it("a getter is named and not called, and a key that a record lacks is blank", () => {
  const trap = {
    get age(): number {
      throw new Error("called");
    },
  };
  expect(areRecords([trap])).toBe(true);
  expect(recordsTable([trap, { name: "Ada" }]).rows).toEqual([
    [{ quiet: "[Getter]" }, { quiet: "" }],
    [{ quiet: "" }, "Ada"],
  ]);
});

describe("records are", () => {
  it.each([
    ["one", [{ a: 1 }]],
    ["those with most keys in common", [{ a: 1, b: 2 }, { a: 1 }]],
    ["those without a prototype", [Object.assign(Object.create(null), { a: 1 })]],
  ])("%s", (_, value) => expect(areRecords(value)).toBe(true));
});

describe("no records are", () => {
  class Point {
    x = 1;
  }
  it.each([
    ["none at all", []],
    ["empty objects", [{}, {}]],
    ["numbers", [1, 2]],
    ["lists", [[1], [2]]],
    ["an object and nothing", [{ a: 1 }, null]],
    ["instances of a class", [new Point()]],
    ["objects that show themselves", [{ a: 1, [Symbol.for("Jupyter.display")]: () => ({}) }]],
    ["objects with no key in common", [{ a: 1 }, { b: 1 }, { c: 1 }]],
    ["a proxy", new Proxy([{ a: 1 }], {})],
    ["one object", { a: 1 }],
    ["text", "[{}]"],
  ])("%s", (_, value) => expect(areRecords(value)).toBe(false));
});
