// Groups of a table's rows: their statistics, and what describes them.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";

describe("groupBy", () => {
  const flats = () =>
    data.readCsv(
      "district,rooms,rent,day\nhill,2,900,2024-01-02\nbay,1,700,2024-01-01\nhill,2,,2024-01-03\n,1,400,\nbay,3,1300,2024-02-01\n",
    );
  it("has a row for each group in the order of the values, a missing one last", () => {
    const groups = flats().groupBy("district");
    expect(groups.length).toBe(3);
    expect(
      groups
        .aggregate({
          rent: "mean",
          flats: (group) => group.length,
          first: (group) => group.column("day").describe().first,
        })
        .records(),
    ).toEqual([
      { district: "bay", rent: 1000, flats: 2, first: new Date("2024-01-01") },
      { district: "hill", rent: 900, flats: 2, first: new Date("2024-01-02") },
      { district: null, rent: 400, flats: 1, first: null },
    ]);
  });
  it("has the statistics of pandas, which leave out missing values", () => {
    const of = (statistic: data.Statistic) =>
      flats().groupBy("district").aggregate({ rent: statistic }).column("rent").values();
    expect(of("count")).toEqual([2, 1, 1]);
    expect(of("sum")).toEqual([2000, 900, 400]);
    expect(of("min")).toEqual([700, 900, 400]);
    expect(of("max")).toEqual([1300, 900, 400]);
    expect(of("median")).toEqual([1000, 900, 400]);
    expect(of("std")).toEqual([Math.sqrt(180_000), NaN, NaN]);
  });
  it("of several columns, and of one list of names", () => {
    const both = flats().groupBy("district", "rooms").aggregate({ rent: "count" }).records();
    expect(both.map(({ district, rooms, rent }) => [district, rooms, rent])).toEqual([
      ["bay", 1, 1],
      ["bay", 3, 1],
      ["hill", 2, 1],
      [null, 1, 1],
    ]);
    expect(flats().groupBy(["district", "rooms"]).length).toBe(4);
    expect(() => [...flats().groupBy("rooms")].map(({ key }) => key.room)).toThrow(
      'record.room: there is no column "room"; there are rooms.',
    );
    expect([...flats().groupBy("rooms")].map(({ key, rows }) => [key.rooms, rows.length])).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
    ]);
  });
  it("describes each column in each group, as pandas does", () => {
    const summaries = flats().groupBy("district").describe();
    expect(
      summaries.map(({ column, group, count, missing, mean }) => [
        column,
        group["district"],
        count,
        missing,
        mean,
      ]),
    ).toEqual([
      ["rooms", "bay", 2, 0, 2],
      ["rooms", "hill", 2, 0, 2],
      ["rooms", null, 1, 0, 1],
      ["rent", "bay", 2, 0, 1000],
      ["rent", "hill", 1, 1, 900],
      ["rent", null, 1, 0, 400],
      ["day", "bay", 2, 0, NaN],
      ["day", "hill", 2, 0, NaN],
      ["day", null, 0, 1, NaN],
    ]);
    expect(inspect(summaries)).toBe(`3 groups by district
  column  district  count  mean       std  min    25%  median     75%   max
  rooms   bay           2     2    1.4142    1    1.5       2     2.5     3
  rooms   hill          2     2    0         2    2         2     2       2
  rooms   null          1     1       NaN    1    1         1     1       1
  rent    bay           2  1000  424.26    700  850      1000  1150    1300
  rent    hill          1   900       NaN  900  900       900   900     900
  rent    null          1   400       NaN  400  400       400   400     400
day of bay (date): 2 different values, 2024-01-01 to 2024-02-01.
day of hill (date): 2 different values, 2024-01-02 to 2024-01-03.
day of null (date): 0 different values; 1 missing.`);
    expect(
      flats()
        .filter(() => false)
        .groupBy("district")
        .describe(),
    ).toHaveLength(0);
  });
  it("refuses what a column has not", () => {
    const groups = flats().groupBy("rooms");
    expect(() => groups.aggregate({ rnt: "mean" })).toThrow(
      /^Groups\.aggregate: there is no column "rnt"; .* is a function: \{ "rnt": \(group\) => group\.column\("rent"\)\.mean\(\) \}\.$/,
    );
    expect(() => groups.aggregate({ district: "mean" })).toThrow(
      /^Groups.aggregate: district is a column of the kind string, which has no mean; describe\(\) says/,
    );
    expect(() => groups.aggregate({ rooms: "sum" })).toThrow(/rooms is what the rows are grouped by/);
    expect(() => groups.aggregate({ rent: "average" as "mean" })).toThrow(
      /rent must be one of "count", "sum"/,
    );
  });
});
