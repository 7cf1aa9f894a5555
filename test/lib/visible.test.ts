// What nobody would see in a name is shown as a program writes it, and what people write stays.
import { expect, it } from "vitest";
import { coloured, visible, visibleLine } from "../../lib/visible.ts";

const character = (code: number) => String.fromCodePoint(code);

it.each([
  ["a terminal's codes", "a\x1b[2Kb", String.raw`a\x1b[2Kb`],
  ["a return to the line's begin", "safe\rbad", String.raw`safe\rbad`],
  ["backspaces", "bad\b\b\bok", String.raw`bad\x08\x08\x08ok`],
  ["codes in one character", "a\u009b2Jb", String.raw`a\x9b2Jb`],
  ["overrides of direction", "a\u202egpj.exe", String.raw`a\u202egpj.exe`],
  ["isolates", "a\u2066b\u2069", String.raw`a\u2066b\u2069`],
  ["what takes no room", "pay\u200bpal\ufeff", String.raw`pay\u200bpal\ufeff`],
  ["joiners between letters", "pay\u200dpal", String.raw`pay\u200dpal`],
  ["other line ends", "a\u2028b\u0085c", String.raw`a\u2028b\x85c`],
  ["letters of tags", `a${character(0xe0041)}`, String.raw`a\u{e0041}`],
])("%s", (_, text, shown) => {
  expect(visible(text)).toBe(shown);
  expect(visible(shown)).toBe(shown);
});

it.each(["Zoë's run, 数据 1\n\tline 2\r\nline 3", "👩‍🔬 naïve Ångström", "नमस्ते क्‍ष", "می‌خواهم"])(
  "%j stays",
  (text) => expect(visible(text)).toBe(text),
);

it("a name has one line", () => expect(visibleLine("a\nrun b\tc")).toBe(String.raw`a\nrun b\tc`));

it("colours of an error stay, other codes do not", () =>
  expect(coloured("\x1b[31mred\x1b[0m\x1b[2J")).toBe("\x1b[31mred\x1b[0m\\x1b[2J"));
