// `data.readCsv`: which kinds columns get, what is missing, and what it says of a file that is not right.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-csv-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PEOPLE = "name,age,member,joined\nAda,36,true,2024-05-01\nCharles,,false,\n";

function fileOf(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

describe("reads", () => {
  const records = [
    { name: "Ada", age: 36, member: true, joined: new Date("2024-05-01") },
    { name: "Charles", age: NaN, member: false, joined: null },
  ];
  it.each([
    ["a text of several lines", PEOPLE],
    ["a file", fileOf("people.csv", PEOPLE)],
    ["a file's URL", pathToFileURL(fileOf("people2.csv", PEOPLE))],
    ["a gzipped file", fileOf("people.csv.gz", gzipSync(PEOPLE))],
    ["bytes", new TextEncoder().encode(PEOPLE)],
    ["a byte order mark", fileOf("bom.csv", `\uFEFF${PEOPLE}`)],
    ["UTF-16, as Excel writes it", fileOf("utf16.csv", Buffer.from(`\uFEFF${PEOPLE}`, "utf16le"))],
    ["lines that end with a carriage return too", PEOPLE.replaceAll("\n", "\r\n")],
    ["semicolons", PEOPLE.replaceAll(",", ";")],
    ["tabs", PEOPLE.replaceAll(",", "\t")],
    ["empty lines, and none at the end", PEOPLE.replace("\nC", "\n\nC").trimEnd()],
  ])("%s", (_, source) => expect(data.readCsv(source).records()).toEqual(records));
});

it("quotes as in RFC 4180: delimiters, line breaks and doubled quotes inside", () => {
  const table = data.readCsv('name,note\n"Lovelace, Ada","said ""yes""\nand left"\n');
  expect(table.records()).toEqual([{ name: "Lovelace, Ada", note: 'said "yes"\nand left' }]);
});

describe("the kind of a column", () => {
  it.each([
    ["number", ["1", "-2.5", "+3e-2", ".5", "1.", " 7 ", "inf", "-Infinity"]],
    ["boolean", ["true", "False", "TRUE"]],
    ["date", ["2024-02-29", "2024-05-01T12:30", "2024-05-01 12:30:15.250", "2024-05-01T12:30:00+02:00"]],
    ["string", ["a", "1"]],
    ["string", ["1", "a"]],
    ["string", ["007", "8"]],
    ["string", ["12345678901234567", "1"]],
    ["string", ["1", "12345678901234567"]],
    ["string", ["true", "1"]],
    ["string", ["2024-02-31"]],
    ["string", ["01/05/2024"]],
    ["string", ["0x10"]],
    ["string", ["yes", "no"]],
  ] as const)("is %s for %j", (kind, values) => {
    const column = data.readCsv(`x\nNA\n${values.join("\n")}\n`).column("x");
    expect(column.kind).toBe(kind);
    expect(column.missing).toBe(1);
    if (kind === "string") expect(column.values()).toEqual([null, ...values]);
  });

  it("is that of `types` where it is named there", () => {
    const types = { zip: "string", day: "string", on: "boolean", n: "number" } as const;
    const table = data.readCsv("zip,day,on,n\n2134,2024-05-01,true,007\n", { types });
    expect(table.records()).toEqual([{ zip: "2134", day: "2024-05-01", on: true, n: 7 }]);
    const [record] = table.records();
    const sum: number = record!.n + 1;
    expect(sum).toBe(8);
  });

  it("is number for a column without a value", () => {
    expect(data.readCsv("a,b\n,1\n").column("a").kind).toBe("number");
  });

  it("of a date without a time zone is of UTC", () => {
    const { joined } = data.readCsv("joined,\n2024-05-01 12:30,\n").get(0);
    expect((joined as Date).toISOString()).toBe("2024-05-01T12:30:00.000Z");
  });
});

describe("options", () => {
  it("header names the columns of a file without a header line", () => {
    expect(data.readCsv("1,2\n3,4\n", { header: ["a", "b"] }).records()).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
  });
  it("missing adds to pandas' list, which defaultMissing turns off", () => {
    const text = "x,y\n1,a\n?,NA\n,?\n4,b\n";
    const table = data.readCsv(text, { missing: ["?"] });
    expect(table.column("x").values()).toEqual([1, NaN, NaN, 4]);
    expect(table.column("y").values()).toEqual(["a", null, null, "b"]);
    const own = data.readCsv(text, { missing: ["?"], defaultMissing: false });
    expect(own.column("x").values()).toEqual(["1", null, "", "4"]);
    expect(own.column("y").values()).toEqual(["a", "NA", null, "b"]);
  });
  it("decimal and thousands are signs of numbers, and of no other text", () => {
    const text = "n;m;w\n3,5;1.200,25;a,b\n-,25;-12.345.678;1,2,3\n4;7;1.5\n";
    const table = data.readCsv(text, { decimal: ",", thousands: "." });
    expect(table.records()).toEqual([
      { n: 3.5, m: 1200.25, w: "a,b" },
      { n: -0.25, m: -12345678, w: "1,2,3" },
      { n: 4, m: 7, w: "1.5" },
    ]);
    expect(data.readCsv("n;m\n1.5;2\n2,5;3\n", { decimal: "," }).column("n").values()).toEqual([
      "1.5",
      "2,5",
    ]);
  });
  it.each([
    ["%d.%m.%Y", "31.01.2024", "2024-01-31T00:00:00.000Z"],
    ["%m/%d/%y %I:%M %p", "1/31/24 12:05 AM", "2024-01-31T00:05:00.000Z"],
    ["%d %b %Y", "3 Feb 1999", "1999-02-03T00:00:00.000Z"],
    ["%B %Y", "march 2020", "2020-03-01T00:00:00.000Z"],
    ["%Y%m%dT%H%M%S.%f", "20240229T235959.250", "2024-02-29T23:59:59.250Z"],
  ])("dateFormat %s reads %s", (dateFormat, written, expected) => {
    const [day, none] = data.readCsv(`d,n\n${written},1\n,2\n`, { dateFormat }).column("d").values();
    expect([(day as Date).toISOString(), none]).toEqual([expected, null]);
  });
  it("dateFormat refuses days that no month has, and what is no format", () => {
    const column = data.readCsv("d,n\n31.02.2024,1\n", { dateFormat: "%d.%m.%Y" }).column("d");
    expect(column.values()).toEqual(["31.02.2024"]);
    expect(() => data.readCsv("d\n1\n", { dateFormat: "%d.%q" })).toThrow(
      /^data.readCsv: dateFormat has the sign "%q"; it may have each of %Y .* once\.$/,
    );
    expect(() => data.readCsv("d\n1\n", { dateFormat: "dd.MM.yyyy" })).toThrow(
      /must name the year, as "%d\.%m\.%Y" does/,
    );
  });
  it("comment, rows and delimiter", () => {
    const text = "# made by hand\na:b\n1:2\n# more\n3:4\n5:6\n";
    expect(data.readCsv(text, { comment: "#", rows: 2, delimiter: ":" }).records()).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
  });
  it("encoding", () => {
    const file = fileOf("latin.csv", Buffer.from("name\nJosé\n", "latin1"));
    expect(data.readCsv(file, { encoding: "windows-1252" }).records()).toEqual([{ name: "José" }]);
  });
});

it("a whole number of more digits than a number holds is one where others have fractions", () => {
  const values = (text: string) => data.readCsv(text).column("x").values();
  expect(values("x\n999999999999998592\n2.5\n")).toEqual([999999999999998592, 2.5]);
  expect(values("x\n2.5\n999999999999998592\n")).toEqual([2.5, 999999999999998592]);
  expect(values("x\n999999999999998592\n2\n")).toEqual(["999999999999998592", "2"]);
});

it("header lines as pandas reads them: doubled names get a number, empty ones their place", () => {
  expect(data.readCsv("a, a ,,b\n1,2,3,4\n").names).toEqual(["a", "a.1", "Unnamed: 2", "b"]);
  expect(data.readCsv("a,a,a.1,,Unnamed: 3\n1,2,3,4,5\n").names).toEqual([
    "a",
    "a.2",
    "a.1",
    "Unnamed: 3.1",
    "Unnamed: 3",
  ]);
});

it("a name that objects have already is a column as any other", () => {
  const table = data.readCsv("__proto__,constructor\n1,2\n");
  expect(Object.entries(table.get(0))).toEqual([
    ["__proto__", 1],
    ["constructor", 2],
  ]);
});

it("a file with a header line alone is a table without rows", () => {
  const table = data.readCsv("a,b\n");
  expect([table.length, table.names]).toEqual([0, ["a", "b"]]);
});

describe("a file that is not right", () => {
  it.each([
    [
      "too few fields",
      "a,b\n1,2\n3\n",
      /^data.readCsv: the text, line 3 has 1 field, and there are 2 columns; a missing value still has its delimiter\.$/,
    ],
    [
      "too many",
      'a,b\n"q\nr",1\n1,2,3\n',
      /^data.readCsv: the text, line 4 has 3 fields, .* a field that holds "," must stand in double quotes, and each/,
    ],
    [
      "a comment",
      "a,b\n# by hand\n1,2\n",
      /line 2 has 1 field, .*; if it is a comment, take comment: "#"\.$/,
    ],
    [
      "a title",
      "Prices of 2024\na,b\n1,2\n",
      /line 2 has 2 fields, .* the lines above the first record are no table/,
    ],
    [
      "an open quote",
      'a,b\n1,"2\n3,4\n',
      /^data.readCsv: the text, line 2: a double quote opens a field and is/,
    ],
    [
      "text behind a quote",
      'a,b\n1,"2"x\n',
      /^data.readCsv: the text, line 2: a field in double quotes goes on/,
    ],
  ])("with %s names the line", (_, text, message) => {
    expect(() => data.readCsv(text)).toThrow(RangeError);
    expect(() => data.readCsv(text)).toThrow(message);
  });

  it("a value that is not of its kind in types is named with its line and the ways out", () => {
    expect(() => data.readCsv("a\n1\nx\n", { types: { a: "number" } })).toThrow(
      new RangeError(
        'data.readCsv: the text, line 3: "x" in the column a is no number; list it in missing, or take types: { "a": "string" }.',
      ),
    );
    expect(() => data.readCsv("a;b\n1,5;k\n", { types: { a: "number" } })).toThrow(
      '"1,5" in the column a is no number; it may be one of numbers with a decimal comma; read them with decimal: ",".',
    );
  });

  it("a decimal comma where nothing else divides the lines is told, and read when it is said", () => {
    expect(() => data.readCsv("rent\n1,5\n")).toThrow(
      'line 2 has 2 fields, and there is 1 column; if its comma is a decimal sign, take decimal: ",".',
    );
    expect(data.readCsv("rent\n1,5\n", { decimal: "," }).column("rent").values()).toEqual([1.5]);
    expect(data.readCsv('rent,w\n"1,5",k\n', { decimal: "," }).column("rent").values()).toEqual([1.5]);
  });

  it.each([
    [
      "points between thousands and before decimals",
      () => data.readCsv("a;b\n1.234;k\n", { thousands: "." }),
      'decimal and thousands are both "."; 1.234,5 is read with decimal: ",", thousands: ".", and 1,234.5 with',
    ],
    [
      "too few names in header",
      () => data.readCsv("1;2\n", { header: ["a"] }),
      "line 1 has 2 fields, and there is 1 column; header names each column.",
    ],
    [
      "an encoding that there is not",
      () => data.readCsv(new TextEncoder().encode("a\n1\n"), { encoding: "utf16" }),
      'there is no encoding "utf16"; names are those of TextDecoder, as "utf-16le" and "windows-1252".',
    ],
    [
      "a column in types that the file has not",
      () => data.readCsv("a\n1\n", { types: { b: "number" } }),
      /the text has a\./,
    ],
    [
      "no file",
      () => data.readCsv(path.join(folder, "none.csv")),
      /data\.readCsv: there is no file .*none\.csv/,
    ],
    ["an address", () => data.readCsv("https://example.org/a.csv"), /is not on this machine; fetch it first/],
    [
      "bytes of another encoding",
      () => data.readCsv(fileOf("odd.csv", Buffer.from("name\nJosé\n", "latin1"))),
      /odd\.csv cannot be read as "utf-8"; if it was written by Excel, try encoding: "windows-1252"/,
    ],
    [
      "a damaged gzip file",
      () => data.readCsv(fileOf("cut.gz", gzipSync(PEOPLE).subarray(0, 30))),
      /cut\.gz is not a whole gzip file/,
    ],
    [
      "a gzip file that unpacks to more than it may",
      () => data.readCsv(fileOf("bomb.gz", gzipSync("1,2\n".repeat(1e6))), { maxBytes: 2 ** 20 }),
      /bomb\.gz unpacks to more than 1 MiB, which is maxBytes; if that is meant, give a larger maxBytes\.$/,
    ],
    [
      "a line of more fields than it may have",
      () => data.readCsv(`a,b\n${",".repeat(2e6)}\n`, { maxBytes: 2 ** 20 }),
      /the text has a line of 2,000,001 fields, as columns they take more than 1 MiB/,
    ],
    [
      "a delimiter of two characters",
      () => data.readCsv("a\n1\n", { delimiter: "::" }),
      /must be one character/,
    ],
  ])("%s", (_, read, message) => expect(read).toThrow(message));
});

it("keeps a word once however often it occurs, and nothing of the file's text", () => {
  const text = `word,n\n${"a word of some length,1\n".repeat(20_000)}`;
  const { data: held } = data.readCsv(text).column("word");
  expect(held).toMatchObject({ kind: "string", words: ["a word of some length"] });
});
