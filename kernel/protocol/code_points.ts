// Converts cursor positions: the protocol counts Unicode code points, JavaScript UTF-16 units. All conversion happens
// here.

/** UTF-16 offset of a position in code points; positions outside the text move to its nearest end. */
export function toOffset(text: string, codePoints: number): number {
  let offset = 0;
  for (let passed = 0; passed < codePoints && offset < text.length; passed++) {
    offset += (text.codePointAt(offset) as number) > 0xffff ? 2 : 1;
  }
  return offset;
}

export function toCodePoints(text: string, offset: number): number {
  let passed = 0;
  for (let at = 0; at < offset && at < text.length; passed++) {
    at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  }
  return passed;
}
