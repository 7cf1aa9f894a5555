// Converts offsets of a text to line-character pairs and back. Both count UTF-16 units, with lines as in the Language
// Server Protocol.

export interface ServerPosition {
  readonly line: number;
  readonly character: number;
}

export interface ServerRange {
  readonly start: ServerPosition;
  readonly end: ServerPosition;
}

export class TextLines {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) this.#starts.push(index + end.length);
  }

  offset({ line, character }: ServerPosition): number {
    return (this.#starts[line] ?? 0) + character;
  }

  position(offset: number): ServerPosition {
    let line = this.#starts.length - 1;
    while (line > 0 && (this.#starts[line] ?? 0) > offset) line -= 1;
    return { line, character: offset - (this.#starts[line] ?? 0) };
  }
}
