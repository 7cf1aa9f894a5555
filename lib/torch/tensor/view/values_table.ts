// Selects the values of a large tensor for a table: both ends of its last two dimensions, of the first of its
// matrices. Reads no other values from the device.
import type { Tensor } from "../../types/index.ts";
import { Slice } from "../../vocabulary/slice.ts";
import type { NestedList } from "../values.ts";
import { columns, type Table } from "../../../views/table.ts";
import { shortNumber } from "./markup.ts";

/** Shown at each end of a dimension that is longer than twice that. */
const EDGE_ROWS = 4;
const EDGE_COLUMNS = 4;
const GAP = "…";

/**
 * Makes the table of a strided tensor with at least one dimension: columns without headings, and a caption that names
 * the part, `[0, 0, :, :], the first of 12`, empty for the whole. Waits for the device once (counted).
 */
export function valuesTable(tensor: Tensor): Table {
  const leading = Math.max(0, tensor.ndim - 2);
  const matrix = tensor.detach().at(...Array.from({ length: leading }, () => 0));
  const table = matrix.ndim === 1 ? matrix.unsqueeze(0) : matrix;
  const [height = 0, width = 0] = table.shape;
  const ends = takeEnds(takeEnds(table, 0, EDGE_ROWS), 1, EDGE_COLUMNS);
  const values = ends.tolist() as NestedList[][];
  const rows = withGap(values, height, EDGE_ROWS).map((row) =>
    row === GAP ? gapRow(width) : withGap(row.map(valueText), width, EDGE_COLUMNS),
  );
  const matrices = tensor.shape.slice(0, leading).reduce((product, size) => product * size, 1);
  const place = [...Array.from({ length: leading }, () => "0"), ":", ":"].join(", ");
  return {
    caption: leading === 0 ? "" : `[${place}], the first of ${matrices.toLocaleString("en")}`,
    columns: columns(...(rows[0] ?? []).map(() => "")),
    rows,
  };
}

function takeEnds(tensor: Tensor, dim: number, edge: number): Tensor {
  const size = tensor.size(dim);
  if (size <= 2 * edge) return tensor;
  const positions = Array.from({ length: 2 * edge }, (_, at) => (at < edge ? at : size - 2 * edge + at));
  const before = Array.from({ length: dim }, () => new Slice(null, null, 1));
  return tensor.at(...before, positions);
}

/** Inserts GAP in place of the values that `takeEnds` left out. */
function withGap<Value>(values: readonly Value[], size: number, edge: number): (Value | typeof GAP)[] {
  if (size <= 2 * edge) return [...values];
  return [...values.slice(0, edge), GAP, ...values.slice(edge)];
}

const gapRow = (width: number) => Array.from({ length: Math.min(width, 2 * EDGE_COLUMNS + 1) }, () => GAP);

function valueText(value: NestedList): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : shortNumber(value);
  if (typeof value === "object" && "re" in value) {
    const sign = value.im < 0 || Object.is(value.im, -0) ? "-" : "+";
    return `${shortNumber(value.re)}${sign}${shortNumber(Math.abs(value.im))}j`;
  }
  return String(value);
}
