// Printed text joined into few messages, in order, none of it held back.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TextBatches } from "../../../kernel/protocol/text_batches.ts";

let emitted: string[][];
let batches: TextBatches;
beforeEach(() => {
  vi.useFakeTimers();
  emitted = [];
  batches = new TextBatches((cell, name, text) => emitted.push([cell, name, text]));
});
afterEach(() => vi.useRealTimers());

it("text after a pause goes out at once, together with what came in the same turn", () => {
  batches.push("c1", "stdout", "a");
  batches.push("c1", "stdout", "b");
  expect(emitted).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(emitted).toEqual([["c1", "stdout", "ab"]]);
});

it("a loop that prints for a second makes about ten messages, and loses nothing", () => {
  for (let ms = 0; ms < 1000; ms++) {
    batches.push("c1", "stdout", `${ms}\n`);
    vi.advanceTimersByTime(1);
  }
  batches.flush();
  expect(emitted.length).toBeLessThanOrEqual(12);
  expect(emitted.map(([, , text]) => text).join("")).toBe(
    Array.from({ length: 1000 }, (_, ms) => `${ms}\n`).join(""),
  );
});

it("the last line before a long pause waits for one interval at most", () => {
  batches.push("c1", "stdout", "first\n");
  vi.advanceTimersByTime(1);
  batches.push("c1", "stdout", "last\n");
  vi.advanceTimersByTime(100);
  expect(emitted.at(-1)).toEqual(["c1", "stdout", "last\n"]);
});

it("each cell has its own text: what a timer of an earlier cell prints is not mixed in", () => {
  batches.push("c2", "stdout", "now ");
  batches.push("c1", "stdout", "late ");
  batches.push("c2", "stdout", "now");
  batches.flush();
  expect(emitted).toEqual([
    ["c2", "stdout", "now now"],
    ["c1", "stdout", "late "],
  ]);
});

it("stdout and stderr keep their order, unless they alternate so often that it would flood the client", () => {
  for (let line = 0; line < 1000; line++)
    batches.push("c1", line % 2 === 0 ? "stdout" : "stderr", `${line} `);
  batches.flush();
  expect(emitted.length).toBe(16);
  expect(emitted.slice(0, 3).map(([, name, text]) => `${name}: ${text}`)).toEqual([
    "stdout: 0 ",
    "stderr: 1 ",
    "stdout: 2 ",
  ]);
  const sent = emitted.flatMap(([, , text]) => (text as string).trim().split(" ").map(Number));
  expect(sent.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, line) => line));
});

it("a megabyte does not wait", () => {
  batches.push("c1", "stdout", "x".repeat(1 << 20));
  expect(emitted.map(([, , text]) => text).join("")).toBe("x".repeat(1 << 20));
});

it.each([
  ["lines", "a line of text\n".repeat(50_000), /\n$/],
  ["one long line", `a${"😀".repeat(200_000)}`, /😀$/],
])("much text goes out in portions, cut where %s can be cut", (_name, text, end) => {
  batches.push("c1", "stdout", text);
  batches.flush();
  const portions = emitted.map(([, , portion]) => portion ?? "");
  expect(portions.join("")).toBe(text);
  expect(portions.length).toBeGreaterThan(3);
  for (const portion of portions) {
    expect(portion.length).toBeLessThanOrEqual(1 << 17);
    expect(portion.slice(-4)).toMatch(end);
  }
});

it("a flush without text says nothing", () => {
  batches.flush();
  vi.advanceTimersByTime(1000);
  expect(emitted).toEqual([]);
});
