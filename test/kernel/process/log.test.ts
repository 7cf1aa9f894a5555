// The kernel's own log: every line at leisure, a flood in few lines, a huge line cut.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { limitedLog } from "../../../kernel/process/log.ts";

let written: string[];
let log: (line: string) => void;
beforeEach(() => {
  vi.useFakeTimers();
  written = [];
  log = limitedLog((line) => written.push(line));
});
afterEach(() => vi.useRealTimers());

it("lines at leisure are all written", () => {
  for (let line = 0; line < 40; line++) {
    log(`line ${line}`);
    vi.advanceTimersByTime(1000);
  }
  expect(written).toHaveLength(40);
});

it("of a flood the first lines are written, and later how many there were beside them", () => {
  for (let line = 0; line < 100_000; line++) log(`refused ${line}`);
  expect(written).toHaveLength(20);
  expect(written.at(-1)).toBe("refused 19");
  vi.advanceTimersByTime(10_000);
  log("afterwards");
  expect(written.slice(20)).toEqual(["99980 more of such lines were left out", "afterwards"]);
});

it("a huge line is cut", () => {
  log("x".repeat(1e6));
  expect(written[0]).toBe(`${"x".repeat(2000)} ...`);
});
