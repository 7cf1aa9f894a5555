// The one error of the compiler: the text is not TypeScript that a cell may hold.

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
