// Tables: rows and columns, tensors, and what they show.
import { deepStrictEqual } from "node:assert";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { data, functional, torch } from "../../../../../lib/index.ts";
import { areRecords } from "../../../../../lib/views/records.ts";

const table = () =>
  data.readCsv("name,age,fare,alive\nAda,36,7.5,true\nBob,,8,false\nCid,22,,true\nAda,54,1.25,\n");

it("is made of columns or of records as well", () => {
  const columns = new data.Table({ age: [22, 38], sex: ["male", null], at: new Float32Array([1, 2]) });
  expect(columns.records()).toEqual([
    { age: 22, sex: "male", at: 1 },
    { age: 38, sex: null, at: 2 },
  ]);
  const records = data.Table.fromRecords([{ a: 1 }, { a: 2, b: "x" }]);
  expect(records.records()).toEqual([
    { a: 1, b: null },
    { a: 2, b: "x" },
  ]);
});

it("takes bigints as numbers, and as words where a number does not hold one", () => {
  const columns = new data.Table({ id: [1n, null, 3n], wide: [1n, 2n ** 60n, null], mixed: [1, 2n, 3] });
  expect(columns.records()).toEqual([
    { id: 1, wide: "1", mixed: 1 },
    { id: NaN, wide: "1152921504606846976", mixed: 2 },
    { id: 3, wide: null, mixed: 3 },
  ]);
  expect(data.Table.fromRecords([{ id: 1n }]).column("id").kind).toBe("number");
});

describe("rows", () => {
  const names = (part: data.Table) => part.column("name").values().join(" ");
  it("head, tail and take", () => {
    expect(names(table().head(2))).toBe("Ada Bob");
    expect(names(table().tail(1))).toBe("Ada");
    expect(names(table().take([2, 0]))).toBe("Cid Ada");
    expect(table().head().length).toBe(4);
  });
  it("filter by a function of the record; a missing number passes no comparison", () => {
    expect(names(table().filter((row) => row.age > 30))).toBe("Ada Ada");
    expect(names(table().filter((row, index) => index > 0 && row.alive))).toBe("Cid");
  });
  it("sortBy puts missing values last, in either direction", () => {
    expect(table().sortBy("age").column("age").values()).toEqual([22, 36, 54, NaN]);
    expect(table().sortBy("age", { descending: true }).column("age").values()).toEqual([54, 36, 22, NaN]);
    expect(names(table().sortBy("name"))).toBe("Ada Ada Bob Cid");
  });
  it("sortBy several names, each in its direction", () => {
    const rows = data.readCsv("a,b\n2,1\n1,1\n1,\n1,3\n2,5\n");
    const ab = (part: data.Table) =>
      part
        .records()
        .map(({ a, b }) => `${a}${b}`)
        .join(" ");
    expect(ab(rows.sortBy(["a", "b"]))).toBe("11 13 1NaN 21 25");
    expect(ab(rows.sortBy(["a", "b"], { descending: [false, true] }))).toBe("13 11 1NaN 25 21");
    expect(ab(rows.sortBy(["a", "b"], { descending: true }))).toBe("25 21 13 11 1NaN");
    expect(() => rows.sortBy(["a", "b"], { descending: [true] })).toThrow(
      "Table.sortBy: descending has 1 values, and there are 2 names.",
    );
  });
  it("dropMissing, of named columns or of all", () => {
    expect(names(table().dropMissing())).toBe("Ada");
    expect(names(table().dropMissing("age"))).toBe("Ada Cid Ada");
    expect(names(table().dropMissing(["age", "fare"]))).toBe("Ada Ada");
    expect(names(table().dropMissing("age", "fare"))).toBe("Ada Ada");
    const wanted = ["age", "fare"];
    expect(names(table().dropMissing(...wanted))).toBe("Ada Ada");
  });
  it.each<[string, () => unknown]>([
    ["get", () => table().get(0).ag],
    ["records", () => table().records()[1]!.ag],
    ["iteration", () => Array.from(table(), ({ ag }) => ag)],
    ["filter", () => table().filter((row) => row.ag > 30)],
    ["withColumn", () => table().withColumn("old", (row) => row.ag > 30)],
    ["a part of a split", () => data.randomSplit(table(), [0.5, 0.5])[0]!.get(0).ag],
    ["a joined table", () => table().select("name", "age").join(table(), { on: "name" }).get(0).ag],
  ])("%s gives records of which a field that is no column is an error", (_, read) =>
    expect(read).toThrow(/^record\.ag: there is no column "ag"; there are name, age, /),
  );
  it("are plain data otherwise: JSON, a clone, a copy, a promise, a text, a table and a file hold them", async () => {
    const rows = table().records();
    const [ada] = rows;
    const values = { name: "Ada", age: 36, fare: 7.5, alive: true };
    expect(JSON.parse(JSON.stringify(ada))).toEqual(values);
    expect(structuredClone(ada)).toStrictEqual(values);
    expect({ ...ada }).toStrictEqual(values);
    deepStrictEqual(data.Table.fromRecords(rows).get(0), ada);
    expect(await Promise.resolve(ada)).toBe(ada);
    expect(inspect(ada)).toBe("{ name: 'Ada', age: 36, fare: 7.5, alive: true }");
    expect("age" in ada! && !("ag" in ada!)).toBe(true);
    expect(areRecords(rows)).toBe(true);
    ada!.ag = 1;
    expect(ada!.ag).toBe(1);
    const folder = mkdtempSync(path.join(tmpdir(), "records-"));
    torch.save(table().records(), path.join(folder, "rows.pt"));
    expect(torch.load(path.join(folder, "rows.pt"))).toEqual(table().records());
    rmSync(folder, { recursive: true });
  });
  it("a column may be called __proto__", () => {
    expect(Object.entries(data.readCsv("__proto__,b\n1,\n").select("__proto__").get(0))).toEqual([
      ["__proto__", 1],
    ]);
  });
  it("are a dataset: randomSplit divides them", () => {
    const [train, test] = data.randomSplit(table(), [0.5, 0.5], new torch.Generator().manualSeed(0));
    const all = [...table().take(train!.indices as number[]), ...table().take(test!.indices as number[])];
    expect(all.map(({ name }) => name).toSorted()).toEqual(["Ada", "Ada", "Bob", "Cid"]);
    expect(train!.get(0)).toHaveProperty("fare");
  });
});

describe("columns", () => {
  it("select, in that order", () => {
    expect(table().select(["fare", "name"]).names).toEqual(["fare", "name"]);
    expect(table().select("fare", "name").names).toEqual(["fare", "name"]);
    expect(() => table().select()).toThrow(/names must be one column's name or a list of them/);
  });
  it("withColumn adds one or replaces it", () => {
    const more = table().withColumn("old", (row) => row.age > 30);
    expect(more.names).toEqual(["name", "age", "fare", "alive", "old"]);
    expect(more.column("old").values()).toEqual([true, false, false, true]);
    const replaced = table().withColumn("age", [1, 2, 3, null]);
    expect(replaced.column("age").values()).toEqual([1, 2, 3, NaN]);
    expect(replaced.names).toEqual(table().names);
  });
  it("have values, and know which are missing", () => {
    const { kind, length, missing } = table().column("alive");
    expect({ kind, length, missing }).toEqual({ kind: "boolean", length: 4, missing: 1 });
    expect([...table().column("alive")]).toEqual([true, false, true, null]);
    expect(table().column("name").get(1)).toBe("Bob");
  });
  it("show themselves as names and kinds, not as a wall of statistics", () => {
    const { columns } = table();
    expect(inspect(columns)).toBe(`4 columns
  column  kind     missing
  name    string         0
  age     number         1
  fare    number         1
  alive   boolean        1`);
    expect(columns.map(({ name }) => name)).toEqual(table().names);
    expect(new data.Table(columns).records()).toEqual(table().records());
  });
  it("of words have classes and their codes", () => {
    const { classes, codes } = data.readCsv("w,n\nb,1\nNA,2\na,3\nb,4\n").column("w").categories();
    expect(classes).toEqual(["a", "b"]);
    expect(codes.tolist()).toEqual([1, -1, 0, 1]);
    expect(codes.dtype).toBe("int64");
    expect(functional.oneHot(codes.at([0, 2])).tolist()).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });
});

describe("toTensor", () => {
  it("of several columns is [rows, columns], of one name [rows]; missing values are NaN", () => {
    const x = table().toTensor(["age", "fare"]);
    expect([x.shape, x.dtype]).toEqual([[4, 2], "float32"]);
    expect(x.tolist()).toEqual([
      [36, 7.5],
      [NaN, 8],
      [22, NaN],
      [54, 1.25],
    ]);
    expect(table().head(1).toTensor("age", { dtype: "int64" }).tolist()).toEqual([36]);
    expect(table().column("fare").toTensor({ dtype: "float64" }).tolist()).toEqual([7.5, 8, NaN, 1.25]);
  });
  it("holds no memory of the table", () => {
    const original = new data.Table({ a: [1, 2] });
    original.toTensor("a", { dtype: "float64" }).fill_(9);
    expect(original.column("a").values()).toEqual([1, 2]);
  });
  it("of booleans and dates", () => {
    const days = data.readCsv("day,on\n1970-01-02,true\n1970-01-01,false\n");
    expect(days.toTensor("on", { dtype: "bool" }).tolist()).toEqual([true, false]);
    expect(days.toTensor("day", { dtype: "float64" }).tolist()).toEqual([86_400_000, 0]);
  });
  it("is what torch.tensor makes of a column, and of a list of columns: of one dtype, whatever the numbers are", () => {
    const [age, fare] = [table().column("age"), table().column("fare")];
    const one = torch.tensor(age);
    expect([one.shape, one.dtype, one.tolist()]).toEqual([[4], "float32", [36, NaN, 22, 54]]);
    expect(torch.tensor(table().head(1).column("age")).dtype).toBe("float32");
    expect(torch.tensor(table().head(1).column("age"), { dtype: "int64" }).tolist()).toEqual([36]);
    expect(torch.tensor([age, fare], { requiresGrad: true })).toMatchObject({
      shape: [2, 4],
      requiresGrad: true,
    });
    expect(torch.asTensor(fare, { dtype: "float64" }).tolist()).toEqual([7.5, 8, NaN, 1.25]);
    expect(() => torch.tensor(age, { dtype: "int64" })).toThrow(
      'torch.tensor: age misses 1 of 4 values, and int64 has no NaN for them; dropMissing("age") leaves those rows out.',
    );
    expect(() => torch.tensor([age, table().column("name")])).toThrow(
      "torch.tensor: name is a column of words",
    );
    expect(() => torch.tensor([age, [1, 2, 3, 4]] as never)).toThrow("Column");
  });
  it.each([
    [
      "words",
      () => table().toTensor(["age", "name"]),
      'Table.toTensor: name is a column of words; column("name").categories().codes are numbers of its classes.',
    ],
    [
      "a gap in whole numbers",
      () => table().toTensor("age", { dtype: "int64" }),
      'Table.toTensor: age misses 1 of 4 values, and int64 has no NaN for them; dropMissing("age") leaves those rows out.',
    ],
    [
      "dates in float32",
      () => data.readCsv("day\n2024-05-01\n").toTensor("day"),
      'Table.toTensor: day is a column of dates, whose milliseconds since 1970 no float32 holds; take dtype: "float64".',
    ],
    [
      "no name",
      () => table().toTensor([]),
      "Table.toTensor: names must be one column's name or a list of them, got an empty list.",
    ],
    [
      "an unknown one",
      () => table().toTensor("size"),
      'Table.toTensor: there is no column "size"; there are name, age, fare, alive.',
    ],
  ])("refuses %s", (_, call, message) => expect(call).toThrow(message));
});

describe("refuses", () => {
  it.each([
    [
      "columns of different lengths",
      () => new data.Table({ a: [1], b: [1, 2] }),
      "new data.Table: the columns differ in length: a 1, b 2.",
    ],
    [
      "a column of mixed kinds",
      () => new data.Table({ a: [1, "x"] }),
      'new data.Table: a holds values of different kinds, 1 and "x".',
    ],
    [
      "what no column holds",
      () => new data.Table({ a: [[1]] as never }),
      "new data.Table: a holds [1], and a column holds numbers, texts, booleans or dates.",
    ],
    [
      "records in the place of columns",
      () => new data.Table([{ a: 1 }] as never),
      "data.Table.fromRecords takes records.",
    ],
    [
      "numbers that a spread passes and head would lose",
      () => table().head(...([1, 2] as readonly number[])),
      "Table.head takes at most 1 argument (rows); 2 were given.",
    ],
    ["a row outside", () => table().get(4), "Table.get: row 4 is outside a table of 4 rows."],
    [
      "classes of numbers",
      () => table().column("age").categories(),
      'Column.categories: age is a column of the kind number, not of words; read it with types: { "age": "string" }.',
    ],
    [
      "a new column of another length",
      () => table().withColumn("a", [1]),
      "Table.withColumn: a has 1 values, and the table has 4 rows.",
    ],
  ])("%s", (_, call, message) => expect(call).toThrow(message));
});

it("shows its first rows, and a column its summary", () => {
  expect(inspect(table())).toBe(`Table of 4 rows and 4 columns
  name  age  fare  alive
  Ada    36  7.50  true
  Bob   NaN  8.00  false
  Cid    22   NaN  true
  Ada    54  1.25  null`);
  expect(inspect(table().column("age"))).toBe(`Column age, number, 4 values
  column  missing    mean     std  min  25%  median  75%  max
  age           1  37.333  16.042   22   29      36   45   54
Values: 36, NaN, 22, 54`);
  expect(inspect(data.readCsv(`a\n${"1\n".repeat(2000)}`)).split("\n")[0]).toBe(
    "Table of 2,000 rows and 1 column, the first 20",
  );
});

describe("join", () => {
  const left = () => data.readCsv("id,x\n1,a\n2,b\n,c\n4,d\n");
  const right = () => data.readCsv("id,x,y\n2,B,7\n2,BB,8\n9,N,9\n,M,0\n");
  it("inner, left and outer, each row as often as it has partners; a missing value has none", () => {
    const joined = (how: data.JoinKind) =>
      left()
        .join(right(), { on: "id", how })
        .records()
        .map((row) => [row.id, row.x, row.x_right, row.y]);
    const both = [
      [2, "b", "B", 7],
      [2, "b", "BB", 8],
    ];
    expect(joined("inner")).toEqual(both);
    expect(joined("left")).toEqual([
      [1, "a", null, NaN],
      ...both,
      [NaN, "c", null, NaN],
      [4, "d", null, NaN],
    ]);
    expect(joined("outer")).toEqual([
      [1, "a", null, NaN],
      ...both,
      [NaN, "c", null, NaN],
      [4, "d", null, NaN],
      [9, null, "N", 9],
      [NaN, null, "M", 0],
    ]);
  });
  it("by several columns", () => {
    const one = new data.Table({ a: [1, 1, 2], b: ["x", "y", "x"], n: [1, 2, 3] });
    const other = new data.Table({ a: [1, 2], b: ["y", "x"], m: [10, 20] });
    expect(one.join(other, { on: ["a", "b"] }).records()).toEqual([
      { a: 1, b: "y", n: 2, m: 10 },
      { a: 2, b: "x", n: 3, m: 20 },
    ]);
  });
  it("refuses columns of different kinds, whose values would never be equal, and names that clash", () => {
    const words = data.readCsv("id,y\n1,2\nx,3\n");
    expect(() => left().join(words, { on: "id" })).toThrow(
      'Table.join: id is a column of the kind number here and string there; read both with types: { "id": "string" }.',
    );
    expect(() => left().join(right(), { on: "id", suffix: "" })).toThrow(
      /both tables have "x"; give another suffix/,
    );
    expect(() => left().join(right(), { on: "key" as "id" })).toThrow(
      /^Table.join: there is no column "key"/,
    );
    expect(() => left().join(new data.Table({ a: [1] }) as unknown as data.Table, { on: "id" })).toThrow(
      /^Table.join: the other table: there is no column "id"; there are a\.$/,
    );
  });
});

describe("a table as a CSV file", () => {
  const table = new data.Table({
    name: ["Ada", 'Bob "B"', "north, east", " spaced ", null],
    rent: [500.5, -1e-7, NaN, 1e21, Infinity],
    let: [true, false, null, true, false],
    since: [new Date("2024-05-01"), null, new Date("2024-05-01T12:30:00.5Z"), new Date("1999-12-31"), null],
  });

  it("has names, quotes where they are needed, and empty fields for what is missing", () => {
    expect(table.toCsv().split("\n")).toEqual([
      "name,rent,let,since",
      "Ada,500.5,true,2024-05-01",
      '"Bob ""B""",-1e-7,false,',
      '"north, east",,,2024-05-01T12:30:00.500Z',
      '" spaced ",1e+21,true,1999-12-31',
      ",Infinity,false,",
      "",
    ]);
  });

  it("is read as the same table", () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "mpslab-csv-")), "table.csv");
    expect(table.toCsv(file)).toBe(readFileSync(file, "utf8"));
    expect(data.readCsv(file).records()).toEqual(table.records());
    const one = new data.Table({ word: ["a", null, "b"] });
    expect(data.readCsv(one.toCsv()).column("word").values()).toEqual(["a", null, "b"]);
  });
});
