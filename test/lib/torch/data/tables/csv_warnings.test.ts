// What a CSV file's reader says of columns that it reads otherwise than they may be meant.
import { describe, expect, it } from "vitest";
import { data } from "../../../../../lib/index.ts";

describe("a column of words that is nearly one of numbers", () => {
  const warnings: string[] = [];
  const warned = async (text: string, options?: data.CsvOptions): Promise<string[]> => {
    const keep = ({ message }: Error): unknown => warnings.push(message);
    // Those of other calls come first.
    await new Promise(setImmediate);
    process.on("warning", keep);
    data.readCsv(text, options);
    await new Promise(setImmediate);
    process.off("warning", keep);
    return warnings.splice(0);
  };
  const numbers = (count: number): string => Array.from({ length: count }, (_, at) => `${at}.5,k`).join("\n");

  it("is named with the lines that are none", async () => {
    expect(await warned(`rent,w\n${numbers(20)}\nunknown,k\n${numbers(7)}\n,k\n?,k\n`)).toEqual([
      'data.readCsv: the text: rent is a column of words: 27 values are numbers, line 22 "unknown", line 31 "?" are not; if they stand for missing values, list them: missing: ["unknown", "?"].',
    ]);
    expect(await warned(`rent,w\nask,k\n${numbers(9)}\n`)).toEqual([
      'data.readCsv: the text: rent is a column of words: 9 values are numbers, line 2 "ask" is not; if it stands for a missing value, list it: missing: ["ask"].',
    ]);
  });
  it("is named where dates are written in two ways", async () => {
    const days = (count: number) =>
      Array.from({ length: count }, (_, day) => `2024-04-${10 + day},k\n`).join("");
    expect(await warned(`moved,w\n${days(9)}15/05/2024,k\n`)).toEqual([
      'data.readCsv: the text: moved is a column of words: 9 values are dates, line 11 "15/05/2024" is not; if it stands for a missing value, list it: missing: ["15/05/2024"].',
    ]);
    const mixed = "moved,w\n01.03.2024,k\n2024-04-15,k\n15/05/2024,k\n,k\n01.06.2024,k\n";
    expect(await warned(mixed)).toEqual([]);
    expect(await warned(mixed, { dateFormat: "%d.%m.%Y" })).toEqual([
      'data.readCsv: the text: moved is a column of words: 3 values are dates, line 4 "15/05/2024" is not; if it stands for a missing value, list it: missing: ["15/05/2024"].',
    ]);
  });
  it("is named with the option that reads how its values are written", async () => {
    const column = (values: readonly string[]) => `x;w\n${values.map((value) => `${value};k`).join("\n")}\n`;
    const advice = async (values: readonly string[], options?: data.CsvOptions) =>
      (await warned(column(values), options))
        .join()
        .replace("data.readCsv: the text: x is a column of words, ", "");
    expect(await advice(["658,50", "", "43,6", "n/a"])).toBe(
      'which are numbers with a decimal comma; read them with decimal: ",".',
    );
    expect(await advice(["658,50", "1.144,39"])).toBe(
      'which are numbers with a decimal comma; read them with decimal: ",", thousands: ".".',
    );
    expect(await advice(["950", "1,200", "12,000.5"])).toBe(
      'which are numbers with commas between thousands; read them with thousands: ",".',
    );
    expect(await advice(["24.12.2024", "1.1.2024"])).toBe(
      'which are dates that begin with the day; read them with dateFormat: "%d.%m.%Y".',
    );
    expect(await advice(["12/24/2024", "1/1/2024"])).toBe(
      'which are dates that begin with the month; read them with dateFormat: "%m/%d/%Y".',
    );
    expect(await advice(["1/2/2024"])).toBe(
      'which are dates that begin with the day; read them with dateFormat: "%d/%m/%Y"; or dates that begin with the month; read them with dateFormat: "%m/%d/%Y".',
    );
    expect(await advice(["1,200", "3,500"])).toContain(
      'between thousands; read them with thousands: ","; or numbers with a',
    );
    expect(await advice(["2 words", "1,5 words", "1.1.2024", "7 %"])).toBe("");
    const gaps = 'which are numbers with spaces between thousands; read them with decimal: ",", thousands: ';
    expect(await advice(["1 200,50", "99,00"])).toBe(`${gaps}" ".`);
    expect(await advice(["1\u00a0200,50", "99,00"])).toBe(`${gaps}"\\u00a0".`);
    expect(await advice(["1'200.50"])).toContain(`read them with thousands: "'".`);
    expect(await advice(["24.12.24 18:30"])).toContain('read them with dateFormat: "%d.%m.%y %H:%M".');
  });
  it("is named beside options that read other columns", async () => {
    const text = "price;day\n1.200,50;24.12.2024\n99,00;1.1.2024\n";
    expect(await warned(text, { decimal: ",", dateFormat: "%d.%m.%y" })).toEqual([
      'data.readCsv: the text: price is a column of words, which are numbers with points between thousands; read them with thousands: ".".',
      'data.readCsv: the text: day is a column of words, which are dates that begin with the day; another format reads them, dateFormat: "%d.%m.%Y".',
    ]);
    const options = { decimal: ",", thousands: ".", dateFormat: "%d.%m.%Y" };
    expect(data.readCsv(text, options).columns.map(({ kind }) => kind)).toEqual(["number", "date"]);
    expect((await warned("a;b\n1.234;k\n", { decimal: "," }))[0]).toContain(
      'read them with thousands: "."; or numbers with a decimal point; make them',
    );
  });
  it("is named with what computes its numbers, where no option reads them", async () => {
    const text = "a %;b;c\n2,5%;1.5;1,5\n;;\n-3 %;2.5;2\n";
    const [first = "", second = ""] = await warned(text, { decimal: "," });
    expect(first).toContain(
      "a % is a column of words, which are numbers with a percent sign; make them with .with",
    );
    expect(second).toContain(
      "b is a column of words, which are numbers with a decimal point; make them with .with",
    );
    const computed = (sentence: string): unknown =>
      new Function("table", `return table${/\.withColumn.*(?=\.$)/.exec(sentence)![0]}`)(
        data.readCsv(text, { decimal: "," }),
      );
    expect((computed(first) as data.Table).column("a %").values()).toEqual([2.5, Number.NaN, -3]);
    expect((computed(second) as data.Table).column("b").values()).toEqual([1.5, Number.NaN, 2.5]);
  });
  it("is named together with others that are written alike", async () => {
    expect(await warned('a,b,c\n"1,5","2,5",k\n')).toEqual([
      'data.readCsv: the text: a and b are columns of words, which are numbers with a decimal comma; read them with decimal: ",".',
    ]);
  });
  it("is named together with others that fewer options would read", async () => {
    expect(await warned("a;b;c\n1,5;1.200,50;k\n2,5;99,00;k\n")).toEqual([
      'data.readCsv: the text: a and b are columns of words, which are numbers with a decimal comma; read them with decimal: ",", thousands: ".".',
    ]);
  });
  it("is the only one, where another character divides each line", async () => {
    const one =
      'data.readCsv: the text: there is one column, and each of its lines has ";"; if it divides them, ';
    expect(await warned("a;b\n1;2\n", { delimiter: "," })).toEqual([`${one}take delimiter: ";".`]);
    expect(await warned("# June\na;b\n1;2\n")).toEqual([
      `${one}and the first line is a comment, take comment: "#".`,
    ]);
    expect(data.readCsv("# June\na;b\n1;2\n", { comment: "#" }).names).toEqual(["a", "b"]);
    expect(await warned("note\nyes; all of it\nno; none\n")).toEqual([]);
  });
  it("is not where more than one in ten is a word, or its numbers are codes", async () => {
    expect(await warned(`rent,w\nask,k\n${numbers(8)}\n`)).toEqual([]);
    expect(await warned(`zip,w\n02134,k\n${numbers(30)}\nx,k\n`)).toEqual([]);
    expect(await warned(`rent,w\n${numbers(30)}\n`)).toEqual([]);
  });
});
