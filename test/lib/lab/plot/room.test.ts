// What plots show where there is room: ten colours, numbers and every name of a matrix, whole captions of images.
import { expect, it } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { strictSvgOf } from "../vega.ts";

const { plot } = lab;
const list = <Value>(length: number, of: (at: number) => Value) => Array.from({ length }, (_, at) => of(at));
const layer = (chart: lab.Plot, at: number) =>
  chart.layer[at] as {
    mark: Record<string, unknown>;
    encoding: Record<string, { scale?: { range: unknown[] } }>;
  };
const rangeOf = (chart: lab.Plot, channel: string) => layer(chart, 0).encoding[channel]?.scale?.range;
const axis = (chart: lab.Plot, name: string) => chart.encoding[name]!["axis"] as Record<string, unknown>;

it("ten series have ten colours, and only the next ones another shape or dash", () => {
  const records = (count: number) => list(3 * count, (at) => ({ x: at, y: at, of: `series ${at % count}` }));
  const options = { x: "x", y: "y", color: "of" } as const;
  const ten = plot.points(records(10), options);
  expect(new Set(rangeOf(ten, "color")).size).toBe(10);
  expect(rangeOf(ten, "shape")).toBeUndefined();
  const eleven = plot.points(records(11), options);
  expect(rangeOf(eleven, "shape")).toEqual([...list(10, () => "circle"), "triangle-up"]);
  expect(rangeOf(plot(records(11), options), "strokeDash")).toEqual([...list(10, () => []), [6, 3]]);
});

it("a matrix has its numbers in its cells, white on dark colours", async () => {
  const chart = plot.heatmap([
    [1, -0.25],
    [-0.25, NaN],
  ]);
  expect((chart.data.values as { text: string }[]).map(({ text }) => text)).toEqual([
    "1",
    "-0.25",
    "-0.25",
    "",
  ]);
  const svg = await strictSvgOf(chart);
  expect(svg).toMatch(/fill="white">1</);
  expect(svg).toContain(">-0.25<");
});

it("a matrix without room for numbers has none", () => {
  const chart = plot.heatmap(list(30, () => list(30, (at) => at)));
  expect(chart.layer).toHaveLength(1);
  expect(chart.data.values).not.toContainEqual(expect.objectContaining({ text: expect.anything() }));
});

it("every row and every column of a matrix has its name", async () => {
  const names = (what: string, count: number) => list(count, (at) => `${what} number ${at}`);
  const chart = plot.heatmap(
    list(40, (row) => list(20, (column) => row * column)),
    { yLabels: names("row", 40), xLabels: names("column", 20) },
  );
  expect(axis(chart, "x")).toMatchObject({ labelAngle: -45, labelOverlap: false });
  const svg = await strictSvgOf(chart);
  for (const name of [...names("row", 40), ...names("column", 20)]) expect(svg).toContain(`>${name}<`);
});

it("images have the size that is asked for, and small ones at least 96 pixels", () => {
  const mark = (chart: lab.Plot) => layer(chart, 0).mark;
  expect(mark(plot.images(torch.rand([6, 28, 28])))).toMatchObject({ width: 96, height: 96, smooth: false });
  expect(mark(plot.images(torch.rand([3, 20, 40]), { size: 60 }))).toMatchObject({ width: 60, height: 30 });
  expect(() => plot.images(torch.rand([3, 20, 40]), { size: 5 })).toThrow(
    /size must be an integer of at least 8/,
  );
});

it("a caption is whole, in lines as wide as its image", () => {
  const captions = ["predicted a three, is an eight (0.51)", "ok"];
  const [long, short] = plot.images(torch.rand([2, 28, 28]), { captions }).data.values as {
    caption: string | string[];
  }[];
  expect(long!.caption).toBeInstanceOf(Array);
  expect((long!.caption as string[]).join(" ")).toBe(captions[0]);
  expect(short!.caption).toBe("ok");
});
