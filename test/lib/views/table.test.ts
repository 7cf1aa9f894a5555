// Tables of results: the same cells as text and as HTML, sentences in lines that a page is wide enough for.
import { expect, it } from "vitest";
import { columns, type Table, tableText } from "../../../lib/views/table.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";

const TABLE: Table = {
  caption: "Gates",
  columns: columns("<gate", "step", "<<evidence"),
  rows: [
    [
      "device",
      "2",
      "mps: built and available; the session works on it, and so do the modules\nmatmul: ran on mps",
    ],
    ["sweep", "3", ""],
  ],
  marked: [1],
  notes: ["Throughput is not quotable."],
};

it("as text: names to the left, numbers to the right, sentences broken and indented, a star at what stands out", () => {
  expect(tableText(TABLE)).toBe(`Gates
  gate    step  evidence
  device     2  mps: built and available; the session works on it, and so do the
                  modules
                matmul: ran on mps
* sweep      3
Throughput is not quotable.`);
});

it("a word longer than a line stands alone in one", () => {
  const word = "x".repeat(70);
  const table = { ...TABLE, columns: columns("<<evidence"), rows: [[`see ${word} there`]], marked: [] };
  expect(tableText(table).split("\n").slice(2, 5)).toEqual(["  see", `    ${word}`, "    there"]);
});

it("without rows says what stands around them, and shows no headings", () => {
  const empty = { ...TABLE, rows: [], marked: [] };
  expect(tableText(empty)).toBe("Gates\nThroughput is not quotable.");
  const html = tableHtml(empty);
  expect(html).not.toContain("<table");
  expect(html).toMatch(/>Gates<.*>Throughput is not quotable\.</);
});

it("as HTML: caption and notes stand outside of the table, and nothing is markup", () => {
  const html = tableHtml({ ...TABLE, rows: [["a<b>", "1", "x & y"]], marked: [] });
  const table = /<table.*<\/table>/s.exec(html)![0];
  expect(table).toMatch(/<td [^>]*>a&lt;b&gt;<\/td><td [^>]*>1<\/td><td [^>]*>x &amp; y<\/td>/);
  for (const sentence of ["Gates", "Throughput is not quotable."]) {
    expect(html).toContain(`>${sentence}<`);
    expect(table).not.toContain(sentence);
  }
});

it("as HTML: a row goes on in a second line where the page is too narrow, every row at the same column", () => {
  const html = tableHtml({
    caption: "",
    columns: columns("batch", "device wait", "<name"),
    rows: [["4", "12.5 ms", "x".repeat(99)]],
  });
  expect(html.match(/<tr [^>]*display:flex;flex-wrap:wrap/g)).toHaveLength(2);
  // The longest word of the heading, the number with its unit, and no more of a name than a line has room for.
  const widths = [...html.matchAll(/<(th|td) [^>]*flex:0 0 ([\d.]+)em/g)].map(([, tag, width]) => [
    tag,
    width,
  ]);
  expect(widths).toEqual([
    ...["3.72", "4.96", "20.46"].map((width) => ["th", width]),
    ...["3.72", "4.96", "20.46"].map((width) => ["td", width]),
  ]);
});

it("as HTML: more than 20 rows stand in a box that the keyboard scrolls, and columns may have no headings", () => {
  const many = { caption: "Many", columns: columns(""), rows: Array.from({ length: 21 }, () => ["1"]) };
  expect(tableHtml(many)).toMatch(
    /<div role="region" tabindex="0" aria-label="Many" style="max-height:28em;overflow-y:auto"><table/,
  );
  expect(tableHtml({ ...many, rows: many.rows.slice(1) })).not.toContain("tabindex");
  expect(tableHtml(many)).not.toContain("<thead");
});

it("as HTML: what stands for no value is faint", () => {
  const table = { caption: "", columns: columns("age"), rows: [[{ quiet: "null" }], ["36"]] };
  expect(tableHtml(table)).toMatch(/color:var\(--jp-ui-font-color2, #888\)">null<\/td>/);
  expect(tableText(table)).toBe("   age\n  null\n    36");
});

it("points of a column that asks for it stand below each other, on a page with spaces as wide", () => {
  const table = {
    caption: "",
    columns: [{ heading: "mean", align: "right", points: true } as const],
    rows: [["12"], ["0.125"], ["NaN"]],
  };
  expect(tableText(table)).toBe("    mean\n  12\n   0.125\n     NaN");
  expect(tableHtml(table)).toContain(">12\u2008\u2007\u2007\u2007</td>");
});

it("breaks a heading within a word only where the word is longer than any column", () => {
  const headed = (heading: string) =>
    tableHtml({ caption: "", columns: [{ heading, align: "left" }], rows: [["a"]] });
  expect(headed("name")).toContain("overflow-wrap:normal;font-weight:600");
  expect(headed("n".repeat(40))).toContain("overflow-wrap:anywhere;font-weight:600");
});
