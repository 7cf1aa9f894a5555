// The types of a notebook in memory. They follow file format 4, except that texts are strings here, and arrays of lines
// in the file (`text_lines.ts`). Metadata that this program does not know stays as it is.

/** Any JSON value; numbers that JavaScript would write otherwise are `LosslessNumber`. */
export type JsonObject = Record<string, unknown>;

export type MimeBundle = Record<string, unknown>;

export interface StreamOutput {
  readonly output_type: "stream";
  readonly name: string;
  text: string;
}

export interface DisplayOutput {
  readonly output_type: "display_data" | "execute_result";
  data: MimeBundle;
  metadata: JsonObject;
  readonly execution_count?: number | null;
}

export interface ErrorOutput {
  readonly output_type: "error";
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

export type Output = StreamOutput | DisplayOutput | ErrorOutput;

export interface CellMetadata extends JsonObject {
  tags?: string[];
}

interface AnyCell {
  id?: string;
  readonly source: string;
  readonly metadata: CellMetadata;
}

export interface CodeCell extends AnyCell {
  readonly cell_type: "code";
  outputs: Output[];
  execution_count: number | null;
}

export interface TextCell extends AnyCell {
  readonly cell_type: "markdown" | "raw";
}

export type Cell = CodeCell | TextCell;

export interface Notebook {
  readonly metadata: JsonObject;
  readonly nbformat: number;
  nbformat_minor: number;
  cells: Cell[];
}

export function hasTag(cell: Cell, tag: string): boolean {
  return cell.metadata.tags?.includes(tag) === true;
}

/** Whether there is something to run. */
export function isProgram(cell: Cell): cell is CodeCell {
  return cell.cell_type === "code" && cell.source.trim() !== "";
}

/** Outputs of an earlier run must not stand below a cell that this run does not reach. */
export function clearOutputs(notebook: Notebook): void {
  for (const cell of notebook.cells) {
    if (cell.cell_type === "code") [cell.outputs, cell.execution_count] = [[], null];
  }
}
