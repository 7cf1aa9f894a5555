// No test depends on the speed of the machine: how long one may take is said once, in test/helpers/hang.ts, and none
// compares times that it took with a number.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { filesOf, root } from "./sources.ts";

/** A limit in milliseconds, of vitest, of a program that is started, of a socket or of a page. */
const LIMITS: readonly RegExp[] = [
  /\b(test|hook|receive|send)?[tT]imeout: ?\d[\d_]{3,}/,
  /^\s*\}, [\d_]+\);$/,
  /setConfig\(/,
  /setDefaultTimeout\(\d/,
];
/** An expectation of a time that was taken with a clock. */
const ELAPSED = /expect\([^;]*(performance\.now|Date\.now|hrtime)[^;]*\)\s*\.toBe(Less|Below|CloseTo)/;

const offences = (text: string): string[] => [
  ...text.split("\n").filter((line) => LIMITS.some((limit) => limit.test(line))),
  ...(ELAPSED.exec(text)?.slice(0, 1) ?? []),
];

const files = filesOf("test").filter(
  (file) => /\.(ts|mjs)$/.test(file) && !/^test\/(bench|house|cells|fixtures)\//.test(file),
);

it("no test has a limit of its own, nor expects work to take less than some time", () => {
  const found = files.flatMap((file) =>
    offences(readFileSync(path.join(root, file), "utf8")).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

it.each([
  "}, 60_000);",
  "  timeout: 20_000,",
  "vi.setConfig({ testTimeout: 120_000 });",
  "const heart = new Request({ receiveTimeout: 5000, linger: 0 });",
  "expect(performance.now() - begun).toBeLessThan(2);",
])("%s is one", (line) => {
  expect(offences(line)).not.toEqual([]);
});

it.each([
  "const loader = new data.DataLoader(squares, { timeout: 0.5 });",
  "const quick = { deadlineMs: 60_000 };",
  "}, HANG_MS);",
])("%s is none", (line) => {
  expect(offences(line)).toEqual([]);
});
