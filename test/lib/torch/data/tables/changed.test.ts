// Other names of columns, values in place of missing ones, and tables below each other.
import { describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";

interface Flat {
  readonly rent: number;
  readonly rooms: number;
  readonly district: string | null;
}
const flats = (): data.Table<Flat> =>
  data.readCsv("rent,rooms,district\n900,2,Mitte\n1200.5,,\n") as unknown as data.Table<Flat>;

describe("rename", () => {
  it("gives columns other names, in their places, which the types know", () => {
    const renamed = flats().rename({ rent: "rentEuro", rooms: "count" });
    expect(renamed.names).toEqual(["rentEuro", "count", "district"]);
    expect(renamed.get(0).rentEuro + renamed.get(0).count).toBe(902);
    // @ts-expect-error the old name is none any more
    expect(() => renamed.get(0).rent).toThrow('there is no column "rent"');
  });
  it("two columns may change their names with each other", () => {
    expect(flats().rename({ rent: "rooms", rooms: "rent" }).records()[0]).toEqual({
      rooms: 900,
      rent: 2,
      district: "Mitte",
    });
  });
  it("refuses an unknown column, a name that another has, and none", () => {
    expect(() => flats().rename({ rnt: "price" } as object)).toThrow(
      'Table.rename: there is no column "rnt"; there are rent, rooms, district.',
    );
    expect(() => flats().rename({ rent: "rooms" })).toThrow('two columns would be called "rooms"');
    expect(() => flats().rename({ rent: 3 as unknown as string })).toThrow("rent must be a string, got 3");
    expect(() => flats().rename("rent" as unknown as object)).toThrow('expected an object as { old: "new" }');
  });
});

describe("fillMissing", () => {
  it("gives a value where a column misses one, and leaves the others", () => {
    const filled = flats().fillMissing({ rooms: 1, district: "unknown" });
    expect(filled.records()).toEqual([
      { rent: 900, rooms: 2, district: "Mitte" },
      { rent: 1200.5, rooms: 1, district: "unknown" },
    ]);
    expect(filled.get(0).district.length).toBe(5);
    expect(flats().column("rooms").missing).toBe(1);
  });
  it("a column that misses all takes the kind of the value", () => {
    const empty = data.readCsv("a,b\n1,\n2,\n").fillMissing({ b: "x" });
    expect(empty.records()).toEqual([
      { a: 1, b: "x" },
      { a: 2, b: "x" },
    ]);
  });
  it("refuses a value of another kind, one that is missing itself, and an unknown column", () => {
    expect(() => flats().fillMissing({ rooms: "two" as unknown as number })).toThrow(
      'Table.fillMissing: rooms is a column of the kind number, got "two".',
    );
    expect(() => flats().fillMissing({ rooms: Number.NaN })).toThrow("rooms needs a value, got NaN");
    expect(() => flats().fillMissing({ rnt: 1 } as object)).toThrow('there is no column "rnt"');
    expect(() => flats().fillMissing(0 as unknown as object)).toThrow(
      "expected an object as { rooms: 1 }, got 0",
    );
  });
});

describe("concat", () => {
  it("puts the rows of others below, whatever the order of their columns", () => {
    const more = data.readCsv("district,rooms,rent\nWedding,3,800\n");
    const all = flats().concat(more, more.head(0));
    expect(all.names).toEqual(["rent", "rooms", "district"]);
    expect(all.column("district").values()).toEqual(["Mitte", null, "Wedding"]);
    expect(all.column("rooms").values()).toEqual([2, Number.NaN, 3]);
    expect(flats().concat().length).toBe(2);
  });
  it("refuses tables with other columns, or of other kinds", () => {
    const less = flats().select("rent", "rooms") as unknown as data.Table<Flat>;
    expect(() => flats().concat(less)).toThrow('the other table has no column "district"; select');
    expect(() => less.concat(less, flats())).toThrow('only table 2 has the column "district"');
    const words = data.readCsv("rent,rooms,district\nx,1,Mitte\n") as unknown as data.Table<Flat>;
    expect(() => flats().concat(words)).toThrow(
      'rent is a column of the kind number in one table and string in another; read both with types: { "rent": "string" }.',
    );
    expect(() => flats().concat([flats()] as unknown as data.Table<Flat>)).toThrow("expected tables, got");
  });
});
