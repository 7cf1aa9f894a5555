// Makes invisible characters visible: those that move a terminal's cursor, change the direction of text, or take no
// room. A stranger may have put them into a name, a note or a path. Loads nothing.

/**
 * Controls of C0 but for tab and line feed, of C1, marks and overrides of direction, what takes no room, other line ends, and
 * letters of tags. A joiner within an emoji, or between letters of a script that joins, is no other text's disguise.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![\p{Extended_Pictographic}\u{fe0f}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Malayalam}\p{Script=Kannada}\p{Script=Gujarati}\p{Script=Sinhala}\p{M}])[\u200c\u200d]/gu;
/** Codes of colour alone are left by `coloured`. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /(\x1b\[[\d;]{0,20}m)/;

/** The text with such characters written as escapes, `\u202e`; line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** A name within a line: line ends and tabs are escaped too. */
export function visibleLine(text: string): string {
  return visible(text)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
}

/** As `visible`, but a terminal's colour codes stay. */
export function coloured(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : visible(part)))
    .join("");
}

function escaped(character: string): string {
  if (character === "\r") return String.raw`\r`;
  const code = character.codePointAt(0)!;
  if (code < 0x100) return String.raw`\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000
    ? String.raw`\u${code.toString(16).padStart(4, "0")}`
    : String.raw`\u{${code.toString(16)}}`;
}
