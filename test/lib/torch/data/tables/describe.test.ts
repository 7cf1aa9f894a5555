// `describe` gives the numbers that pandas gives, as test/fixtures/tables/record_pandas.py recorded them.
import { readFileSync } from "node:fs";
import path from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";

const root = path.resolve(import.meta.dirname, "../../../../..");
const HOUSES = path.join(root, "notebooks/data/houses.csv");

interface Recorded {
  readonly numbers: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  readonly missing: Readonly<Record<string, number>>;
  readonly words: Readonly<Record<string, readonly (readonly [string, number])[]>>;
}
const pandas = JSON.parse(
  readFileSync(path.join(root, "test/fixtures/tables/pandas.json"), "utf8"),
) as Readonly<Record<string, Recorded>> & { readonly texts: Readonly<Record<string, string>> };

const NAMES = { mean: "mean", std: "std", min: "min", q25: "25%", median: "50%", q75: "75%", max: "max" };

const number = (recorded: number | string): number =>
  typeof recorded === "number" ? recorded : Number(recorded.replace("inf", "Infinity"));

function requireEqual(table: data.Table, recorded: Recorded): void {
  for (const summary of table.describe()) {
    const { column } = summary;
    expect([column, summary.missing]).toEqual([column, recorded.missing[column]]);
    const numbers = recorded.numbers[column];
    if (numbers !== undefined) {
      expect(summary.count).toBe(numbers["count"]);
      for (const [ours, theirs] of Object.entries(NAMES)) {
        const expected = number(numbers[theirs]!);
        const found = summary[ours as keyof typeof NAMES];
        if (ours !== "q25" && ours !== "q75" && summary.kind === "number")
          expect(table.column(column)[ours as "mean" | "std" | "min" | "median" | "max"]()).toBe(found);
        // The last digits depend on the order of the additions.
        if (Number.isFinite(expected)) expect(Math.abs(found / expected - 1)).toBeLessThan(1e-12);
        else expect([column, ours, found]).toEqual([column, ours, expected]);
      }
    }
    const words = recorded.words[column];
    if (words !== undefined && summary.kind === "string")
      expect(new Map(summary.top.map(({ value, count }) => [value, count]))).toEqual(
        new Map(words.map(([value, count]) => [value, count])),
      );
  }
}

it("of every column of houses.csv", () => {
  requireEqual(data.readCsv(HOUSES, { types: { listed: "string" } }), pandas["houses"]!);
});

it.each(Object.entries(pandas.texts))("of a table of %s", (name, text) => {
  requireEqual(data.readCsv(text), pandas[name]!);
});

describe("what pandas shows in other ways", () => {
  it("dates have a first and a last one, booleans the share that is true", () => {
    const table = data.readCsv("day,on\n2024-05-02,true\n,false\n2024-05-01,true\n");
    expect(table.column("day").describe()).toMatchObject({
      kind: "date",
      count: 2,
      missing: 1,
      distinct: 2,
      first: new Date("2024-05-01"),
      last: new Date("2024-05-02"),
      mean: NaN,
      top: [],
    });
    expect(table.column("on").describe()).toMatchObject({
      kind: "boolean",
      mean: 2 / 3,
      top: [
        { value: true, count: 2 },
        { value: false, count: 1 },
      ],
    });
  });

  it("a column without a value", () => {
    const { count, missing, distinct, mean, max } = data.readCsv("a,b\n,1\nNA,2\n").column("a").describe();
    expect({ count, missing, distinct, mean, max }).toEqual({
      count: 0,
      missing: 2,
      distinct: 0,
      mean: NaN,
      max: NaN,
    });
  });

  it("a part of a table counts its own words alone", () => {
    const table = data.readCsv("w,n\na,1\nb,2\na,3\n").filter((row) => row.w === "a");
    expect(table.column("w").describe()).toMatchObject({ distinct: 1, top: [{ value: "a", count: 2 }] });
  });
});

it("shows itself: numbers as rows, other kinds as sentences", () => {
  expect(inspect(data.readCsv(HOUSES).describe())).toBe(`400 rows
  column  missing       mean      std      min      25%   median     75%     max
  area         18    70.51     24.084    22.1     55.1     67.35    83.4   196.7
  rooms         0     2.7075    1.1       1        2        3        3       8
  built         0  1960.2      37.194  1900     1926     1957.5   1993    2023
  rent          0  1110.9     370.94    405.92   862.18  1053.1   1297.4  2787.8
listed (date): 251 different values, 2024-01-01 to 2024-12-31.
district (string): 4 different values, meadow 154, harbour 110, hill 75, centre 61.
balcony (boolean): 2 different values, false 213, true 187.`);
});

it("is plain data for programs", () => {
  const summary = data.readCsv("a\n1\n3\n").column("a").describe();
  expect(JSON.parse(JSON.stringify(summary))).toMatchObject({ column: "a", mean: 2, std: Math.SQRT2 });
  expect({ ...summary }).toEqual(summary);
});

it("a column has each statistic by itself, without its missing values", () => {
  const table = data.readCsv("a,b,c\n1,true,x\n,false,y\n3,,z\n");
  const { a, b } = { a: table.column("a"), b: table.column("b") };
  expect([a.sum(), a.mean(), a.std(), a.min(), a.median(), a.max()]).toEqual([4, 2, Math.SQRT2, 1, 2, 3]);
  expect([b.sum(), b.mean()]).toEqual([1, 0.5]);
  const none = data
    .readCsv("a\n1\n")
    .filter(() => false)
    .column("a");
  expect([none.sum(), none.mean(), none.max()]).toEqual([0, NaN, NaN]);
  expect(() => table.column("c").mean()).toThrow(
    "Column.mean: c is a column of the kind string, which has no mean; describe() says what it has, as first, last and top.",
  );
});
