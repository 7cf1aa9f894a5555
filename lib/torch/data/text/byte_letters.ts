// Writes bytes as GPT-2's letters and reads them back: one visible Unicode letter for each byte, so that a JSON file can
// hold tokens that are no valid UTF-8. A space is "Ġ", "é" is "Ã©". encoder.py (GPT-2), byte_level.rs (tokenizers)

/** Bytes that are printable in Latin-1 keep their letter. */
const isPrintable = (byte: number) =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

/** The other bytes, in order, take the letters from this one on. */
const FIRST_SUBSTITUTE = 0x100;

function makeLetters(): string[] {
  let substitute = FIRST_SUBSTITUTE;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : substitute++),
  );
}

/** The letter of each byte. */
export const BYTE_LETTERS: readonly string[] = makeLetters();

const BYTES: ReadonlyMap<string, number> = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]));

/** The bytes of a token; one with other letters, as an added token may have, stands for its UTF-8. */
export function fromLetters(token: string): Uint8Array {
  const bytes = Array.from(token, (letter) => BYTES.get(letter));
  return bytes.includes(undefined) ? new TextEncoder().encode(token) : Uint8Array.from(bytes as number[]);
}
