// A call that names a column that a table does not have is refused with the columns that there are, not with a type of lists.
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  const wide = Array.from({ length: 60 }, (_, column) => `sensor${column}: number`).join("; ");
  await notebook.run(
    'import { data } from "mpslab";\n' +
      "type Flat = { rent: number; area: number; district: string };\n" +
      'const flats = data.readCsv("rent\\n1") as unknown as data.Table<Flat>;\n' +
      `const wide = data.readCsv("a\\n1") as unknown as data.Table<{ ${wide} }>;\n` +
      "function draw(mode: 'lines' | 'points') { return mode; }",
  );
});
afterAll(() => notebook.close());

const THERE = "there are area, district and rent.";
test.each([
  ['flats.groupBy("distrikt")', '1:15 TS2345: There is no column "distrikt"; "district" is near.'],
  ['flats.select("price")', `1:14 TS2345: There is no column "price"; ${THERE}`],
  ['flats.select("rent", "price")', `1:14 TS2345: There is no column "price"; ${THERE}`],
  ['flats.select(["x", "price", "rent"])', `1:14 TS2345: There is no column "price" or "x"; ${THERE}`],
  ['flats.dropMissing("price")', `1:19 TS2345: There is no column "price"; ${THERE}`],
  ['flats.sortBy("rnt")', '1:14 TS2345: There is no "rnt"; "rent" is near.'],
  ['flats.sortBy(["price", "area"])', '1:14 TS2345: There is no "price"; there are area, district and rent.'],
  ['flats.column("price")', '1:14 TS2345: There is no "price"; there are area, district and rent.'],
  ['flats.toTensor(["ara", "rent"])', '1:16 TS2345: There is no "ara"; "area" is near.'],
  ['draw("bars")', '1:6 TS2345: There is no "bars"; there are lines and points.'],
])("%s", async (code, problem) => {
  expect(await notebook.problems(code)).toEqual([problem]);
});

test("of a table of many columns the compiler names some", async () => {
  expect(await notebook.problems('wide.select("price")')).toEqual([
    expect.stringMatching(
      /^1:13 TS2345: There is no column "price"; there are sensor0, sensor1,.* and \d+ more\.$/,
    ),
  ]);
});

test.each(["flats.column(3)", "flats.select(3)", 'draw(["lines"])'])(
  "%s is a matter of types",
  async (code) => {
    expect(await notebook.problems(code)).toEqual([expect.stringMatching(/TS2345: Argument of type/)]);
  },
);
