// Columns that say nothing here are named below the table, and take no room in it.
import { expect, it } from "vitest";
import { folded } from "../../../lib/views/fold.ts";
import { columns, type Table, tableText } from "../../../lib/views/table.ts";

const TABLE: Table = {
  caption: "Sweep on cpu",
  columns: columns("batch", "samples/s", "device wait", "driver", "footprint"),
  rows: [
    ["0", "1,234", "0 ms", "", "90 MiB"],
    ["0", "2,345", "0 ms", "", "0 B"],
  ],
  notes: ["Best batch: 8."],
};

it("empty columns and zero ones become a sentence each, above the other notes", () => {
  expect(tableText(folded(TABLE))).toBe(`Sweep on cpu
  batch  samples/s  footprint
      0      1,234     90 MiB
      0      2,345        0 B
Zero in every row: device wait.
Empty in every row: driver.
Best batch: 8.`);
});

it("the first column names the rows and stays, and so does a column with one value", () => {
  expect(folded(TABLE).columns.map(({ heading }) => heading)).toEqual(["batch", "samples/s", "footprint"]);
  const told = {
    ...TABLE,
    rows: [
      ["0", "1", "0 ms", "12 MiB", "0 B"],
      ["0", "1", "3 ms", "", "0 B"],
    ],
  };
  expect(folded(told).notes).toEqual(["Zero in every row: footprint.", "Best batch: 8."]);
});

it("a table without rows, or one in which each column says something, is left as it is", () => {
  const empty = { ...TABLE, rows: [] };
  expect(folded(empty)).toBe(empty);
  const whole = { ...TABLE, whole: true };
  expect(folded(whole)).toBe(whole);
  const full = { caption: "", columns: columns("<what", "bytes"), rows: [["buffers", "0.5 B"]] };
  expect(folded(full)).toBe(full);
});

it.each(["0", "0 B", "0 ms", "0%", "±0%", "-0", "0.00"])("%s is zero", (text) => {
  const table = { caption: "", columns: columns("<what", "here"), rows: [["a", text]] };
  expect(folded(table).notes).toEqual(["Zero in every row: here."]);
});

it.each(["not known", "not counted", "not measured"])("%s is no value", (text) => {
  const table = { caption: "", columns: columns("<what", "<here"), rows: [["a", { quiet: text }]] };
  expect(folded(table).notes).toEqual(["Empty in every row: here."]);
});
