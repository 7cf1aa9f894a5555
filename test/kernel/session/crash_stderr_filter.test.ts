// Tests what is shown of a dying process's stderr: its own report is held back, everything else is shown.
import { expect, it } from "vitest";
import { CrashStderrFilter } from "../../../kernel/session/crash_stderr_filter.ts";

const TRACE = "----- Native stack trace -----\n\n 1: 0xd3a3c0  [node]\n";

function heard(): { words: CrashStderrFilter; shown: string[] } {
  const shown: string[] = [];
  return { words: new CrashStderrFilter((text) => shown.push(text)), shown };
}

it("shows what was printed before the report, and holds the report back", () => {
  const { words, shown } = heard();
  words.push("terminate called\n");
  words.push(`Aborted\n${TRACE}`);
  words.push(" 2: 0xf50bdf v8::internal::Builtin_HandleApiCall\n");
  expect(shown.join("")).toBe("terminate called\nAborted\n");
});

it("shows all of it where the process lives on", () => {
  const { words, shown } = heard();
  words.push(TRACE);
  words.release();
  words.push("more\n");
  expect(shown.join("")).toBe(`${TRACE}more\n`);
});

it("hears that the heap was full", () => {
  const { words, shown } = heard();
  words.push("\n<--- Last few GCs --->\n\n[1] Mark-Compact\n");
  expect(words.heapFull).toBe(false);
  words.push("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n");
  expect(words.heapFull).toBe(true);
  expect(shown.join("")).toBe("\n");
});
