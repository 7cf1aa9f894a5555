// Shows parity as a table: the worst tensor of each group, and the losses.
import { columns, type Table } from "../../../views/table.ts";
import type { Parity, ValueDelta } from "./result.ts";

export function parityTable(parity: Parity): Table {
  const { device, comparedWith, groups, losses, metrics, record, steps, within, notes } = parity;
  const rows = [
    ...groups.map(({ group, tensors, worst, within: agrees }) => [
      group,
      `${worst.name} (${worst.dtype}), worst of ${tensors}`,
      "",
      "",
      short(worst.largestDifference),
      worst.tolerances === null ? "not finite" : `${short(worst.tolerances)}×`,
      agrees ? "yes" : "no",
    ]),
    ...losses.map((delta) => valueRow("reductions", delta)),
    ...metrics.map((delta) => valueRow("metrics", delta)),
    ...(record?.deltas ?? []).map((delta) => valueRow(`record: ${record!.source}`, delta)),
  ];
  const others = [comparedWith, record?.source]
    .filter((name) => name !== null && name !== undefined)
    .join(" and ");
  return {
    caption: `${device} beside ${others} after ${steps} steps: ${within ? "within tolerance" : "beyond tolerance"}`,
    columns: columns("<group", "<what", "here", "there", "difference", "of its tolerance", "<within"),
    rows,
    marked: rows.flatMap((row, at) => (row.at(-1) === "no" ? [at] : [])),
    notes,
  };
}

function valueRow(group: string, { name, value, other, delta, within }: ValueDelta): string[] {
  const text = (number: number | null) => (number === null ? "none" : short(number));
  return [group, name, text(value), text(other), text(delta), "", within ? "yes" : "no"];
}

const short = (value: number): string => (value === 0 ? "0" : value.toPrecision(4));
