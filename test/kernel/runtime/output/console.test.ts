// The stream behind `console` and `process.stdout`: a write that broke off must not silence those after it.
import { beforeEach, expect, it, vi } from "vitest";

const reports: unknown[] = [];
let breakOff = false;
vi.mock("../../../../kernel/runtime/output/report.ts", () => ({
  reportText(_cell: string, _name: string, text: string) {
    if (breakOff) throw new Error("unwound");
    reports.push(text);
  },
}));
vi.mock("../../../../kernel/runtime/cells.ts", () => ({ outputCell: () => ({ id: "cell" }) }));
const { CellStream } = await import("../../../../kernel/runtime/output/console.ts");

let stdout: InstanceType<typeof CellStream>;
beforeEach(() => {
  reports.length = 0;
  breakOff = false;
  stdout = new CellStream("stdout");
});

it("prints on after a write that broke off", () => {
  breakOff = true;
  expect(() => stdout.write("lost")).toThrow("unwound");
  breakOff = false;
  expect(stdout.write("heard")).toBe(true);
  expect(reports).toEqual(["heard"]);
});

it("calls back when the text is out, with or without an encoding", async () => {
  await new Promise((resolve) => stdout.write("a", resolve));
  await new Promise((resolve) => stdout.write("b", "utf8", resolve));
  expect(reports).toEqual(["a", "b"]);
});

it("joins characters whose bytes come in two writes", () => {
  const bytes = Buffer.from("é");
  stdout.write(bytes.subarray(0, 1));
  stdout.write(bytes.subarray(1));
  expect(reports).toEqual(["é"]);
});

it("prints what another stream is piped into it", async () => {
  const { Readable } = await import("node:stream");
  await new Promise((resolve) =>
    Readable.from(["x", "y"]).pipe(stdout, { end: false }).once("unpipe", resolve),
  );
  expect(reports).toEqual(["x", "y"]);
});

it("prints on after a package has ended it, as it would end a file", async () => {
  const { pipeline, Readable } = await import("node:stream");
  Readable.from(["x"]).pipe(stdout);
  await new Promise((resolve) => stdout.once("finish", resolve));
  await new Promise((resolve) => stdout.end("y", resolve));
  await new Promise((resolve) => pipeline(Readable.from(["z"]), stdout, resolve));
  stdout.destroy();
  expect(stdout.write("on")).toBe(true);
  expect(reports).toEqual(["x", "y", "z", "on"]);
});

it.each([[1], [null], [{}]])("%j is neither text nor bytes", (chunk) => {
  expect(() => stdout.write(chunk)).toThrow(
    /^process\.stdout\.write takes text or bytes, not .*: use console\.log\.$/,
  );
});
