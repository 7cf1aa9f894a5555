// Errors are legible on the ground that JupyterLab draws them on, in its light and in its dark theme.
import { expect, it } from "vitest";
import { STYLE } from "../../../kernel/errors/code_frame.ts";

type Rgb = readonly [number, number, number];

/** JupyterLab 4.6: text, and the ground of an error output (`--jp-rendermime-error-background`) on its page. */
const THEMES: Readonly<Record<string, { readonly text: Rgb; readonly ground: Rgb }>> = {
  light: { text: [33, 29, 29], ground: [255, 221, 221] },
  dark: { text: [255, 255, 255], ground: [81, 31, 27] },
};

/** JupyterLab's colours for \x1b[30m to \x1b[37m, and for the same in bold text. */
const COLOURS: readonly (readonly [plain: string, bold: string])[] = [
  ["#3e424d", "#282c36"],
  ["#e75c58", "#b22b31"],
  ["#00a250", "#007427"],
  ["#ddb62b", "#b27d12"],
  ["#208ffb", "#0065ca"],
  ["#d160c4", "#a03196"],
  ["#60c6c8", "#258f8f"],
  ["#c5c1b4", "#a1a6b2"],
];

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

function colourOf(style: string, text: Rgb): Rgb {
  const codes = [...style.matchAll(/\d+/g)].map(Number);
  const index = codes.find((code) => code >= 30 && code <= 37);
  if (index === undefined) return text;
  const hex = COLOURS[index - 30]![codes.includes(1) ? 1 : 0];
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

it.each(Object.keys(THEMES))("each style has a contrast of 4.5 in the %s theme", (theme) => {
  const { text, ground } = THEMES[theme]!;
  for (const [name, style] of Object.entries(STYLE))
    expect({ name, is: contrast(colourOf(style, text), ground) >= 4.5 }).toEqual({ name, is: true });
});

it("none of ANSI's colours would have it in both themes", () => {
  const legible = COLOURS.flatMap((_, at) => [`\x1b[${30 + at}m`, `\x1b[1;${30 + at}m`]).filter((style) =>
    Object.values(THEMES).every(({ text, ground }) => contrast(colourOf(style, text), ground) >= 4.5),
  );
  expect(legible).toEqual([]);
  expect(contrast(colourOf("\x1b[1;31m", [0, 0, 0]), THEMES["dark"]!.ground)).toBeCloseTo(2.11, 1);
});
