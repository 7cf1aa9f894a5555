// The error that the compiler throws for a text that is not valid TypeScript for a cell.

/** Positions are 0-based UTF-16 offsets into the cell's text. */
export class CellSyntaxError extends SyntaxError {
  override readonly name = "SyntaxError";
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

/** The parser cannot read the text, which may be another language's. */
export class UnparsableError extends CellSyntaxError {}
