// Leaves secrets out of a notebook that somebody else is going to have: sources, what cells printed, tracebacks, metadata.
// Pictures stay as they are.
import { dataWithoutSecrets } from "../../../lib/secrets/json.ts";
import type { LeftOutParts } from "../../../lib/secrets/left_out.ts";
import { redact } from "../../../lib/secrets/redact.ts";
import type { Cell, MimeBundle, Notebook, Output } from "./format.ts";

export function notebookWithoutSecrets(notebook: Notebook, leftOut: LeftOutParts): Notebook {
  return {
    ...notebook,
    metadata: dataWithoutSecrets(notebook.metadata, leftOut),
    cells: notebook.cells.map((cell, at) => cellWithoutSecrets(cell, `cell ${at + 1}`, leftOut)),
  };
}

function cellWithoutSecrets(cell: Cell, place: string, leftOut: LeftOutParts): Cell {
  const language = cell.cell_type === "code" ? "cell" : "text";
  const clean = {
    ...cell,
    source: leftOut.of(place, redact(cell.source, language)),
    metadata: dataWithoutSecrets(cell.metadata, leftOut),
  };
  if (clean.cell_type !== "code") return clean;
  return {
    ...clean,
    outputs: clean.outputs.map((output) => outputWithoutSecrets(output, `${place}, output`, leftOut)),
  };
}

function outputWithoutSecrets(output: Output, place: string, leftOut: LeftOutParts): Output {
  const ofText = (text: string) => leftOut.of(place, redact(text, "text"));
  switch (output.output_type) {
    case "stream":
      return { ...output, text: ofText(output.text) };
    case "error":
      return { ...output, evalue: ofText(output.evalue), traceback: output.traceback.map(ofText) };
    default:
      return {
        ...output,
        data: dataOf(output.data, place, leftOut),
        metadata: dataWithoutSecrets(output.metadata, leftOut),
      };
  }
}

function dataOf(data: MimeBundle, place: string, leftOut: LeftOutParts): MimeBundle {
  return Object.fromEntries(
    Object.entries(data).map(([mime, value]) => {
      if (/^(?:image|audio|video|font)\/(?!svg)/.test(mime)) return [mime, value];
      return [
        mime,
        typeof value === "string"
          ? leftOut.of(place, redact(value, "text"))
          : dataWithoutSecrets(value, leftOut),
      ];
    }),
  );
}
