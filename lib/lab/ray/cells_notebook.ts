// Writes cells as the text of a notebook that a node runs, and reads what became of each from the notebook that comes back.
import { PAYLOAD_TYPE } from "../remote/agent_messages.ts";
import type { Ended } from "../remote/failed_cell.ts";
import type { RanPoint } from "./point_messages.ts";

type Text = string | readonly string[];

interface Output {
  readonly output_type: string;
  readonly text?: Text;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ename?: string;
  readonly evalue?: string;
}

interface FileCell {
  readonly cell_type: string;
  readonly outputs?: readonly Output[];
  readonly metadata: {
    readonly papermill?: { readonly status: "pending" | "running" | "completed" | "failed" };
  };
}

export interface RanCell {
  readonly printed: string;
  /** Null for a cell that was not reached. */
  readonly end: Ended | null;
}

export function notebookOf(sources: readonly string[]): string {
  const cells = sources.map((source, at) => ({
    cell_type: "code",
    id: `cell-${at}`,
    metadata: {},
    source,
    outputs: [],
    execution_count: null,
  }));
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
}

export function ranCells({ status, notebook }: RanPoint): RanCell[] {
  const { cells } = JSON.parse(notebook) as { readonly cells: readonly FileCell[] };
  // Papermill puts a sentence above a cell that failed.
  return cells
    .filter(({ cell_type: type }) => type === "code")
    .map((cell) => ({ printed: printedBy(cell), end: endOf(cell, status) }));
}

function printedBy({ outputs = [] }: FileCell): string {
  return outputs.map(({ output_type: type, text }) => (type === "stream" ? joined(text) : "")).join("");
}

function endOf({ outputs = [], metadata }: FileCell, status: RanPoint["status"]): Ended | null {
  switch (metadata.papermill?.status) {
    case "completed":
      return { status: "ok", payloads: outputs.flatMap(({ data = {} }) => data[PAYLOAD_TYPE] ?? []) };
    case "failed": {
      const error = outputs.find(({ output_type: type }) => type === "error");
      return { status: "error", name: error?.ename ?? "Error", message: error?.evalue ?? "it failed" };
    }
    case "running":
      return { status: status === "timeout" ? "deadline" : "restarted" };
    default:
      return null;
  }
}

function joined(text: Text = ""): string {
  return typeof text === "string" ? text : text.join("");
}
