// Shows the result of `lab.architectures` as a table.
import { columns, type Table } from "../../../views/table.ts";
import { formatBytes } from "../../../units.ts";
import type { ArchitectureRow, Architectures } from "./result.ts";

export function architecturesTable({ device, steps, seed, rows }: Architectures): Table {
  const sound = rows.filter(isSound).length;
  return {
    caption: `${steps} training steps each on ${device}, seed ${seed}; growth is of live tensors from the second step to the last`,
    columns: columns("<architecture", "parameters", "steps", "<loss", "growth", "peak", "<fallbacks", "<<"),
    rows: rows.map((row) => [
      row.name,
      row.parameters.toLocaleString("en-US"),
      String(row.steps),
      lossText(row),
      row.growthBytes === null ? "" : formatBytes(row.growthBytes),
      formatBytes(row.peakBytes),
      fallbackText(row),
      row.error ?? "",
    ]),
    notes: [
      `${sound} of ${rows.length} ran to their end with finite losses and without growth.`,
      ...rows.map(({ name, source }) => `${name}: ${source}.`),
    ],
  };
}

/** Whether all steps ran, their losses were finite, and no byte was kept from step to step. */
function isSound({ error, finite, growthBytes }: ArchitectureRow): boolean {
  return error === null && finite && growthBytes !== null && growthBytes <= 0;
}

function lossText({ losses }: ArchitectureRow): string {
  const text = (loss: number | null | undefined) =>
    loss === undefined ? "" : loss === null ? "not finite" : loss.toPrecision(4);
  return losses.length === 0 ? "" : `${text(losses[0])} to ${text(losses.at(-1))}`;
}

function fallbackText({ fallbacks }: ArchitectureRow): string {
  if (fallbacks === null) return "not counted";
  return fallbacks.length === 0
    ? "none"
    : fallbacks.map(({ operator, calls }) => `${operator.replace("aten::", "")} ${calls} times`).join(", ");
}
