// What a cell is told that takes a table for one of pandas: the name that there is, tried before it is told.
import { afterAll, beforeAll, expect, it } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    'import { data, lab, nn, optim } from "mpslab";\n' +
      "type Flat = { rent: number; area: number; district: string };\n" +
      'const flats = data.readCsv("rent\\n1") as unknown as data.Table<Flat>;\n' +
      "const list = [1, 2]; const run = lab.logbook.draft();\n" +
      'const some = new data.Table({ rent: [1], area: [2], district: ["Mitte"] }) as data.Table<{ rent: number }>;\n' +
      "const moves = new data.Table({ day: [new Date()], area: [1] }) as data.Table<{ day: Date; area: number }>;\n" +
      'const unknown = data.readCsv("rent,area,district\\n1,2,Mitte") as data.Table;\n' +
      "const params = [...new nn.Linear(2, 1).parameters()];",
  );
});
afterAll(() => notebook.close());

it.each([
  ["flats.dropna()", "write flats.dropMissing()."],
  ["flats.fillna({ rent: 0 })", "write flats.fillMissing({ rent: 0 })."],
  ["flats.fillna(0)", "It is called fillMissing here: write flats.fillMissing({ area: 0, rent: 0 })."],
  ['flats.fillna("none")', 'write flats.fillMissing({ district: "none" }).'],
  ["unknown.fillna(0)", "It is called fillMissing here: write unknown.fillMissing({ column: 0 })."],
  [
    "unknown.fillMissing(0)",
    "takes a value for each column, by its name: write unknown.fillMissing({ column: 0 }).",
  ],
  ["unknown.fillMissing(params.length)", "write unknown.fillMissing({ column: params.length })."],
  [
    'unknown.groupBy("district").aggregate("mean")',
    'by its name: write unknown.groupBy("district").aggregate({ column: "mean" }).',
  ],
  ['unknown.rename("rent", "price")', 'by the old ones: write unknown.rename({ "rent": "price" }).'],
  [
    "new optim.Adam(params, { params })",
    "params is given by its place already: write new optim.Adam(params).",
  ],
  [
    "new optim.SGD(params, { params: params, lr: 0.1 })",
    "params is given by its place already: write new optim.SGD(params, { lr: 0.1 }).",
  ],
  ["new optim.SGD([{ params, learningRate: 0.1 }])", "called lr here: write lr: 0.1."],
  [
    'await lab.logbook.record({ name: "wide", claim: "Wider is better" })',
    'stands in its results, and what it was made with in its parameters: write { name: "wide", results: { claim: "Wider is better" } }.',
  ],
  [
    "await lab.logbook.record({ accuracy: 0.9, loss: 0.1, results: { rate: 1 } })",
    "write { results: { rate: 1, accuracy: 0.9, loss: 0.1 } }.",
  ],
  [
    "flats.corr()",
    'flats.toTensor(flats.columns.filter(({ kind }) => kind === "number").map(({ name }) => name)).t().corrcoef().',
  ],
  [
    'flats.pivot("district", "area", "rent")',
    'write flats.groupBy("district", "area").aggregate({ "rent": "mean" }).',
  ],
  [
    'flats.pivot_table({ values: "rent", index: "district", columns: "area" })',
    'write flats.groupBy("district", "area").aggregate({ "rent": "mean" }).',
  ],
  [
    'data.readCsv("flats.csv", { separator: ";" })',
    'The option separator is called delimiter here: write delimiter: ";".',
  ],
  [
    "await lab.logbook.record({ params: { rate: 0.1 } })",
    "The option params is called parameters here: write parameters: { rate: 0.1 }.",
  ],
  [
    'lab.logbook.best("accuracy")',
    'sorted so: write lab.logbook.runs().sortBy("accuracy", { descending: true }).get(0).',
  ],
  ["lab.logbook.compare(run, run)", "write lab.logbook.diff(run, run)."],
  ["lab.logbook.plot([run, run])", "plot takes its runs one by one: write lab.logbook.plot(run, run)."],
  [
    'lab.logbook.runs({ stage: "tuned" })',
    'is filtered: write lab.logbook.runs().filter((run) => run.stage === "tuned").',
  ],
  ['lab.logbook.record({ tags: ["tuned"] })', 'write { "tuned": "true" }.'],
  ['lab.logbook.record("wide")', 'write lab.logbook.record({ name: "wide" }).'],
  ['lab.log("loss", 0.4)', 'write lab.log({ "loss": 0.4 }).'],
  ["lab.logbook.log({ loss: 0.4 })", "logged by lab.log: write lab.log."],
  ["run.accuracy", "stands in its results: write run.results.accuracy."],
  ["run.parameters", "among its fields: write run.fields.parameters."],
  ["lab.logbook.diff(run)", "Expected 2 arguments, but got 1: b is missing."],
  ['lab.logbook.best("valLoss")', 'sorted table of runs: write lab.logbook.runs().sortBy("valLoss").get(0).'],
  ["flats.append(flats)", "write flats.concat(flats)."],
  ['flats.sort_values("rent")', 'write flats.sortBy("rent").'],
  ["flats.iloc(0)", "write flats.get(0)."],
  ["flats.at(0)", "write flats.get(0)."],
  ["flats.shape", "write [flats.length, flats.names.length]."],
  ["flats.info()", "write flats.columns."],
  ['flats.drop("rent")', 'write flats.select(flats.names.filter((name) => name !== "rent")).'],
  ["flats.rent", 'write flats.column("rent").'],
  ['flats.column("district").unique()', 'write [...new Set(flats.column("district").values())].'],
  [
    'flats.column("district").value_counts()',
    'write flats.groupBy("district").aggregate({ rows: (group) => group.length }).',
  ],
  [
    'flats.value_counts("district")',
    'write flats.groupBy("district").aggregate({ rows: (group) => group.length }).',
  ],
  ['flats.column("district").nunique()', 'write flats.column("district").describe().distinct.'],
  ['flats.column("rent").isna().sum()', 'write flats.column("rent").describe().missing.'],
  ["flats.isnull().sum()", "write flats.columns."],
  ['flats.drop({ columns: ["rent"] })', 'flats.names.filter((name) => !["rent"].includes(name))).'],
  ['flats.rename({ columns: { rent: "price" } })', 'write flats.rename({ rent: "price" }).'],
  [
    "flats.assign({ total: (row) => row.rent * 2, one: () => 1 })",
    'write flats.withColumn("total", (row) => row.rent * 2).withColumn("one", () => 1).',
  ],
  ["flats.apply((row) => row.rent)", "write [...flats].map((row) => row.rent)."],
  ["for (const [at, row] of flats.iterrows()) list.push(at, row.rent)", "write flats.records().entries()."],
  ["for (const row of flats.rows) list.push(row.rent)", "write flats.records()."],
  ['flats.sort_values("rent", { ascending: false })', 'write flats.sortBy("rent", { descending: true }).'],
  ['flats.sortBy("rent", { ascending: false })', 'write flats.sortBy("rent", { descending: true }).'],
  ['flats.sortBy(["rent", "area"], [true, false])', "{ descending: [false, true] })."],
  [
    'flats.groupBy("district").column("rent").mean()',
    'write flats.groupBy("district").aggregate({ "rent": "mean" }).',
  ],
  [
    'flats.groupBy("district")["rent"].mean()',
    'write flats.groupBy("district").aggregate({ "rent": "mean" }).',
  ],
  ['flats.groupBy("district").aggregate({ rent: "average" })', 'It is called mean here: write "mean".'],
  ['data.readCsv("f.csv", { types: { rent: "int" } })', 'It is called number here: write "number".'],
  ['data.readCsv("f.csv", { sep: ";", skiprows: 2 })', 'called delimiter here: write delimiter: ";".'],
  ['data.readCsv("f.csv", { parse_dates: ["day"] })', 'write types: { "day": "date" }.'],
  [
    'flats["total"] = flats["rent"] * flats.column("area")',
    'A table never changes, and withColumn returns a new one: write flats.withColumn("total", (row) => row.rent * row.area).',
  ],
  ['flats["one"] = 1', 'write flats.withColumn("one", () => 1).'],
  [
    "flats.query('rent > 500 and district == \"Mitte\"')",
    'chooses rows: write flats.filter((row) => row.rent > 500 && row.district === "Mitte").',
  ],
  ['flats.filter("rent > 500")', "chooses rows: write flats.filter((row) => row.rent > 500)."],
  ["flats.values", "A tensor holds columns of numbers: write flats.toTensor(flats.columns.filter("],
  [
    'flats.groupBy("district").apply((group) => group.length)',
    'write flats.groupBy("district").aggregate({ value: (group) => group.length }).',
  ],
  ["flats[0]", "A table is not indexed by brackets: write flats.get(0)."],
  ["flats[list.length].rent", "write flats.get(list.length)."],
  ['flats["rent"]', 'write flats.column("rent").'],
  ['flats.column("rent")[0]', 'A column is not indexed by brackets: write flats.column("rent").get(0).'],
  ["new data.DataLoader(list)[0]", "A loader is not indexed by brackets: for (const batch of loader) gives"],
  ["moves.get(0).day.month", "A date counts its months from 0: write (moves.get(0).day.getUTCMonth() + 1)."],
  ["moves.get(0).day.year", "write moves.get(0).day.getUTCFullYear()."],
  [
    'moves.filter((row) => row.day > "2024-02-10")',
    'A date is compared by its milliseconds: write row.day.getTime() > Date.parse("2024-02-10").',
  ],
  [
    "moves.filter((row) => row.day === new Date(0))",
    "=== compares two dates as objects (Object.is(a, b) asks whether both are one): write row.day.getTime() === (new Date(0)).getTime().",
  ],
  [
    'flats.groupBy("district").mean("rent")',
    'write flats.groupBy("district").aggregate({ "rent": "mean" }).',
  ],
  ['flats.groupBy("district").mean()', 'write flats.groupBy("district").describe().'],
  [
    'flats.groupBy("district").count()',
    'write flats.groupBy("district").aggregate({ rows: (group) => group.length }).',
  ],
  [
    'flats.groupBy("district").agg({ rent: "mean" })',
    'write flats.groupBy("district").aggregate({ rent: "mean" }).',
  ],
  ["list.count()", "write list.length."],
  [
    'flats.withColumn("perArea", flats.column("rent") / flats.column("area"))',
    "computed of each row: write (row) => row.rent / row.area.",
  ],
  [
    'flats.column("rent") * 2 - 1',
    'write flats.withColumn("computed", (row) => row.rent * 2 - 1).column("computed").',
  ],
  ['flats.column("rent").quantile(0.9)', 'write flats.column("rent").toTensor().quantile(0.9).'],
  [
    'flats.column("rent").div(flats.column("area"))',
    'write flats.column("rent").toTensor().div(flats.column("area").toTensor()).',
  ],
  ['flats.toTensor("rent", "area")', 'as one list: write flats.toTensor(["rent", "area"]).'],
  [
    'flats.sortBy("rent", "area", { descending: true })',
    'write flats.sortBy(["rent", "area"], { descending: true }).',
  ],
  [
    'flats.groupBy("district").aggregate({ rent: ["mean", "std"] })',
    'write rent: "mean", "rent std": (group) => group.column("rent").std().',
  ],
  [
    'flats.join(some, { leftOn: "rent", rightOn: "rent", how: "left" })',
    'one name in both tables: write flats.join(some, { on: "rent", how: "left" }).',
  ],
  [
    'flats.join(unknown, { left_on: "district", right_on: "name" })',
    'write flats.join(unknown.rename({ "name": "district" }), { on: "district" }).',
  ],
  [
    'lab.plot.box(flats.groupBy("district"), { y: "rent" })',
    'the field of its groups by name: write lab.plot.box(flats, { x: "district", y: "rent" }).',
  ],
  [
    'lab.plot.points(flats.groupBy("district"), { x: "area", y: "rent" })',
    'write lab.plot.points(flats, { color: "district", x: "area", y: "rent" }).',
  ],
  ["flats.rows", "A table counts its rows: write flats.length."],
  [
    'lab.plot.points(flats, { x: "area", y: "rent", xlabel: "m2" })',
    'The option xlabel is called xTitle here: write xTitle: "m2".',
  ],
])("%s", async (code, advice) => {
  const [first = ""] = await notebook.problems(code);
  expect(first).toContain(advice);
});

it("advises neither what is no column nor the opposite of what was asked", async () => {
  expect((await notebook.problems("flats.price"))[0]).not.toContain("write");
  expect((await notebook.problems('flats.sortBy("rent", { ascending: !list })'))[0]).toBe(
    "1:24 TS2561: sortBy has no option ascending; it has descending.",
  );
});

it("refuses one value or a list where each column has its own", async () => {
  for (const given of ["[0]", "null", "undefined", "new Date()"])
    expect(await notebook.problems(`unknown.fillMissing(${given})`), given).toHaveLength(1);
  expect((await notebook.problems('unknown.rename("rent")'))[0]).not.toContain("write");
  expect(await notebook.problems("unknown.fillMissing({ rent: 0, district: 'none' })")).toEqual([]);
});

it("makes no function of an operand", async () => {
  const [first = ""] = await notebook.problems("flats.filter(list.at(0) / list)");
  expect(first).not.toContain("() =>");
});

it("knows the columns of tables below each other that only one of them knows", async () => {
  expect(await notebook.problems("const area: string = unknown.concat(flats).get(0).area;")).toEqual([
    expect.stringContaining("Type 'number' is not assignable to type 'string'"),
  ]);
  expect(await notebook.problems("const b: string = flats.concat(unknown).get(0).rent;")).toEqual([
    expect.stringContaining("Type 'number' is not assignable to type 'string'"),
  ]);
  expect(await notebook.problems("const c: string = some.concat(flats).get(0).area;")).toEqual([
    expect.stringContaining("Type 'number' is not assignable to type 'string'"),
  ]);
  expect(await notebook.problems("unknown.concat(flats).filter((row) => row.area > 1 && row.other)")).toEqual(
    [],
  );
});

it("refuses a test that assigns instead of comparing", async () => {
  expect(await notebook.problems('flats.filter((row) => row.district = "Mitte")')).toEqual([
    expect.stringMatching(/TS2540: Cannot assign to 'district' because it is a read-only property/),
  ]);
});
