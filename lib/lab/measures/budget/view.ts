// Shows a budget as a table.
import { columns, type Table } from "../../../views/table.ts";
import { formatBytes, formatShare } from "../../../units.ts";
import type { Budget } from "./result.ts";

const MAX_LAYERS = 8;

export function budgetTable(budget: Budget): Table {
  const { batch, sequence, peakBytes, peakIn, layers, scaling, probes } = budget;
  const row = (what: string, bytes: number) => [what, formatBytes(bytes), formatShare(bytes / peakBytes)];
  const shown = layers
    .slice(0, MAX_LAYERS)
    .map(({ layer, savedBytes }) =>
      row(`· ${layer === "" ? "outside of layers" : `layer ${layer}`}`, savedBytes),
    );
  const others = scaling.map(
    (scaled) =>
      `batch ${scaled.batch}${scaled.sequence === null ? "" : `, sequence ${scaled.sequence}`}: ${formatBytes(scaled.peakBytes)}`,
  );
  return {
    caption: `Memory of one training step, batch ${batch}${sequence === null ? "" : `, sequence ${sequence}`}: ${formatBytes(peakBytes)}, highest in ${peakIn}`,
    columns: columns("<what", "bytes", "of the peak"),
    rows: [
      row("parameters", budget.parameterBytes),
      row("buffers", budget.bufferBytes),
      row("gradients", budget.gradientBytes),
      row("optimizer state", budget.optimizerBytes),
      row("activations", budget.activationBytes),
      ...shown,
      row("workspaces", budget.workspaceBytes),
    ],
    notes: [`Scaling: ${others.join("; ")}.`, `From steps of batch ${probes.join(" and ")} on the CPU.`],
  };
}
