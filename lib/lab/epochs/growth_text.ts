// Words the verdict on growth, with its numbers, for the chart's line, for gates, decisions and `lab.diagnose()`.
import {
  type FlushedEpoch,
  GROWTH_THRESHOLD,
  type Growth,
  type GrowthMetric,
  growth,
  growthRemedy,
  memoryGrowth,
  rises,
} from "./growth.ts";
import { formatBytes, formatChange } from "../../units.ts";
import { counted } from "../../words.ts";

/** The phrases for memory that rises while the device's tensors do not. */
const OUTSIDE_TENSORS: Readonly<Record<Exclude<GrowthMetric, "allocatedBytes">, string>> = {
  hostBytes: "the device's tensors are flat, but those on the CPU grow",
  heapBytes: "tensors are flat, but V8's heap grows",
  driverBytes: "tensors are flat, but the allocator's blocks grow",
  footprintBytes: "tensors are flat, but the process grows",
  outsideBytes: "tensors and V8's heap are flat, but the process grows",
};

/**
 * The verdict that the device's tensors rise, in parts: `growing`, `8 MiB an epoch, +340% in ten epochs`, and what the
 * reader should conclude.
 */
export interface RiseText {
  readonly word: string;
  readonly rate: string;
  readonly details: readonly string[];
}

/** Returns null unless the device's tensors rise. */
export function riseParts(
  records: readonly FlushedEpoch[],
  holders: readonly string[] = [],
): RiseText | null {
  const found = growth(records);
  if (!rises(found)) return null;
  const suspicion = `over ${GROWTH_THRESHOLD.rise * 100}% in ten epochs: suspect retained tensors`;
  return {
    word: found.verdict,
    rate: rateText(found),
    details: [
      ...(found.verdict === "growing" ? [suspicion] : []),
      ...(holders.length > 0 ? [`held by ${holders.join("; ")}`] : []),
    ],
  };
}

/** One line: `growing: 8 MiB an epoch, +340% in ten epochs (over 26%: suspect retained tensors), held by losses (...)`. */
export function growthText(records: readonly FlushedEpoch[], holders: readonly string[] = []): string {
  const found = growth(records);
  const heldBy = holders.length > 0 ? `, held by ${holders.join("; ")}` : "";
  switch (found.verdict) {
    case "growing":
      return `growing: ${rateText(found)} (over ${GROWTH_THRESHOLD.rise * 100}%: suspect retained tensors)${heldBy}`;
    case "climbing":
      return `climbing: ${rateText(found)}${heldBy}`;
    case "rose, then flat":
      return [`rose by ${riseText(found, records)}, then flat`, ...elsewhereText(records, holders)].join(
        "; ",
      );
    case "steady":
      return [
        `no growth: ${formatChange(found.rise ?? 0)} in ${counted(found.epochs, "epoch")}`,
        ...elsewhereText(records, holders),
      ].join("; ");
    case "undecided":
      return [`no verdict on growth: ${growthRemedy(records)}`, ...elsewhereText(records, holders)].join(
        "; ",
      );
  }
}

/** `8 MiB an epoch, +340% in ten epochs` */
function rateText({ bytesPerEpoch, riseOverTen }: Growth): string {
  const share = Number.isFinite(riseOverTen) ? formatChange(riseOverTen) : "from nothing";
  return `${formatBytes(bytesPerEpoch)} an epoch, ${share} in ten epochs`;
}

/** `growing, tensors 1 MiB to 6 MiB in 5 epochs, +490% in ten`: how gates and decisions quote the verdict. */
export function quotedGrowth({ metric, verdict, fromBytes, toBytes, epochs, riseOverTen }: Growth): string {
  const [from, to] = [fromBytes ?? 0, toBytes ?? 0].map(formatBytes);
  const share = Number.isFinite(riseOverTen) ? formatChange(riseOverTen) : "from nothing";
  return `${verdict}, ${MEASURED[metric]} ${from} to ${to} in ${counted(epochs, "epoch")}, ${share} in ten`;
}

const MEASURED: Readonly<Record<GrowthMetric, string>> = {
  allocatedBytes: "tensors",
  hostBytes: "tensors on the CPU",
  heapBytes: "V8's heap",
  driverBytes: "the allocator's blocks",
  footprintBytes: "the process",
  outsideBytes: "the process without V8's heap",
};

/**
 * `8 MiB until epoch 3`, counted from the end of the first epoch. If later flushes left garbage, memory may have
 * reached its level before that was seen: `until epoch 4 to 5`.
 */
function riseText({ toBytes, lastRise }: Growth, records: readonly FlushedEpoch[]): string {
  const whole = records.filter(({ cut = false }) => !cut);
  const first = whole.find(({ complete }) => complete)?.after.allocatedBytes ?? 0;
  const bytes = formatBytes(Math.max(0, (toBytes ?? 0) - first));
  if (lastRise === null) return bytes;
  const level = whole.find(({ epoch }) => epoch === lastRise)?.after.allocatedBytes ?? 0;
  // After an incomplete collection the bytes are only an upper bound.
  const below = whole.findLast(({ epoch, after }) => epoch < lastRise && after.allocatedBytes < level);
  const earliest = below === undefined ? lastRise : below.epoch + 1;
  return earliest < lastRise
    ? `${bytes} until epoch ${earliest + 1} to ${lastRise + 1}`
    : `${bytes} until epoch ${lastRise + 1}`;
}

/**
 * The text for growth while the device's tensors stay flat: on the host, in V8's heap, in the allocator, or in the rest
 * of the process.
 */
function elsewhereText(records: readonly FlushedEpoch[], holders: readonly string[]): string[] {
  const found = memoryGrowth(records);
  if (found.metric === "allocatedBytes") return [];
  const heldBy = found.metric === "hostBytes" && holders.length > 0 ? `, held by ${holders.join("; ")}` : "";
  return [`${OUTSIDE_TENSORS[found.metric]}: ${rateText(found)}${heldBy}`];
}
