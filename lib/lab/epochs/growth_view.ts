// Shows a verdict on growth in words and units.
import { formatBytes, formatChange } from "../../units.ts";
import { factsTable } from "../../views/facts.ts";
import type { Table } from "../../views/table.ts";
import type { Growth } from "./growth.ts";

export function growthTable(growth: Growth): Table {
  const { metric, verdict, fromBytes, toBytes, rise, epochs, bytesPerEpoch, riseOverTen, lastRise } = growth;
  const bytes = (count: number | null) => (count === null ? null : formatBytes(count));
  return factsTable(`Growth of ${metric}: ${verdict}`, [
    ["after the first complete flush", bytes(fromBytes)],
    ["after the last one", bytes(toBytes)],
    ["rise", rise === null ? null : formatChange(rise)],
    ["epochs between them", String(epochs)],
    ["an epoch, in the last third", formatBytes(bytesPerEpoch)],
    ["in ten epochs", formatChange(riseOverTen)],
    ["epoch of the last rise", lastRise === null ? "none" : String(lastRise)],
  ]);
}
