// The outputs of cells from the kernel's messages: displays that are updated later, outputs that are cleared. Knows the
// messages of iopub and the outputs of a notebook's format.
import type { Json, Message } from "../../protocol/messages.ts";
import type { CodeCell, DisplayOutput, JsonObject, MimeBundle, Output } from "../notebook/format.ts";
import { joinStreams } from "./stream_text.ts";

/** Displays of a notebook by their ids: a cell may update what an earlier one has shown. */
export class Displays {
  readonly #shown = new Map<string, DisplayOutput[]>();

  add(id: string, output: DisplayOutput): void {
    this.#shown.set(id, [...(this.#shown.get(id) ?? []), output]);
  }

  update(id: string, { data, metadata }: Json): void {
    for (const output of this.#shown.get(id) ?? []) {
      [output.data, output.metadata] = [data as MimeBundle, metadata as JsonObject];
    }
  }
}

export class CellOutputs {
  readonly #cell: CodeCell;
  readonly #displays: Displays;
  /** `clear_output(wait)`: the outputs are removed when the next one comes. */
  #clearsWithNext = false;
  #isOver = false;

  constructor(cell: CodeCell, displays: Displays) {
    this.#cell = cell;
    this.#displays = displays;
    cell.outputs = [];
  }

  /** Messages that are no outputs are ignored. */
  take({ header: { msg_type: type }, content }: Message): void {
    if (this.#isOver) return;
    if ("execution_count" in content)
      this.#cell.execution_count = content["execution_count"] as number | null;
    if (type === "clear_output") {
      if (content["wait"] === true) this.#clearsWithNext = true;
      else this.#cell.outputs = [];
      return;
    }
    const id = (content["transient"] as { display_id?: string } | null | undefined)?.display_id;
    if (id !== undefined) this.#displays.update(id, content);
    const output = outputOf(type, content);
    if (output === null) return;
    if (this.#clearsWithNext) [this.#cell.outputs, this.#clearsWithNext] = [[], false];
    if (id !== undefined) this.#displays.add(id, output as DisplayOutput);
    this.#cell.outputs.push(output);
  }

  /**
   * Joins the printed text into one output for each stream. Ignores later outputs, because messages about the kernel's
   * own end are not the cell's.
   */
  end(): void {
    this.#isOver = true;
    this.#cell.outputs = joinStreams(this.#cell.outputs);
  }
}

function outputOf(type: string, content: Json): Output | null {
  const part = <Value>(name: string): Value => content[name] as Value;
  switch (type) {
    case "stream":
      return { output_type: type, name: part("name"), text: part("text") };
    case "display_data":
      return { output_type: type, data: part("data"), metadata: part("metadata") };
    case "execute_result":
      return {
        output_type: type,
        data: part("data"),
        metadata: part("metadata"),
        execution_count: part("execution_count"),
      };
    case "error":
      return {
        output_type: type,
        ename: part("ename"),
        evalue: part("evalue"),
        traceback: part("traceback"),
      };
    default:
      return null;
  }
}
