// Lines that begin with % in a cell: which there are, what they are called, where they run. Pure text work.

export interface Magic {
  readonly name: string;
  /** The rest of the line, trimmed. */
  readonly argument: string;
  /** 0-based line in the cell. */
  readonly line: number;
}
