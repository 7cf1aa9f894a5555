// Tables of results: the same cells as text and as HTML, sentences in lines that a page is wide enough for.
import { expect, it } from "vitest";
import { columns, type Table, tableHtml, tableText } from "../../../../lib/lab/core/table.ts";

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

it("as HTML: caption and notes stand outside of what scrolls, and are not broken at the table's width", () => {
  const html = tableHtml(TABLE);
  const scrolled = /<div style="overflow-x:auto">(.*)<\/table><\/div>/s.exec(html)![1]!;
  expect(scrolled).toContain(">sweep<");
  for (const sentence of ["Gates", "Throughput is not quotable."]) {
    expect(html).toContain(`>${sentence}<`);
    expect(scrolled).not.toContain(sentence);
  }
});

it("as HTML: only sentences may break, and nothing is markup", () => {
  const html = tableHtml({ ...TABLE, rows: [["a<b>", "1", "x & y"]] });
  expect(html).toMatch(/<td style="[^"]*white-space:nowrap">a&lt;b&gt;<\/td>/);
  expect(html).toMatch(
    /<td style="[^"]*white-space:pre-line;overflow-wrap:anywhere;min-width:9em">x &amp; y<\/td>/,
  );
});
