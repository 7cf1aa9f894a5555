// Words the verdict on growth, with its numbers, for the chart's line and for `lab.diagnose()`.
import { countEpochs } from "../charts/chart.ts";
import { type FlushedEpoch, GROWTH_THRESHOLD, type Growth, growth, growthRemedy } from "./growth.ts";
import { formatBytes, formatChange } from "../../units.ts";

/** A process that grows more slowly than this is not worth a line: the system counts pages. */
const FOOTPRINT_BYTES_PER_EPOCH = 2 ** 20;

/** A verdict that memory rises, in parts: `growing`, `8 MiB an epoch, +340% in ten epochs`, and what to make of it. */
export interface RiseText {
  readonly word: string;
  readonly rate: string;
  readonly details: readonly string[];
}

/** Null unless memory rises. */
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
      return [`rose by ${riseText(found)}, then flat`, ...outsideText(records)].join("; ");
    case "steady":
      return [
        `no growth: ${formatChange(found.rise ?? 0)} in ${countEpochs(found.epochs)}`,
        ...outsideText(records),
      ].join("; ");
    case "undecided":
      return `no verdict on growth: ${growthRemedy(records)}`;
  }
}

/** `8 MiB an epoch, +340% in ten epochs` */
function rateText({ bytesPerEpoch, riseOverTen }: Growth): string {
  const share = Number.isFinite(riseOverTen) ? formatChange(riseOverTen) : "from nothing";
  return `${formatBytes(bytesPerEpoch)} an epoch, ${share} in ten epochs`;
}

function riseText({ fromBytes, toBytes, lastRise }: Growth): string {
  const bytes = formatBytes(Math.max(0, (toBytes ?? 0) - (fromBytes ?? 0)));
  return lastRise === null ? bytes : `${bytes} until epoch ${lastRise + 1}`;
}

/** Growth while the device's tensors stay flat: on the host, in V8's heap, or in the process outside both. */
export function outsideText(records: readonly FlushedEpoch[]): string[] {
  const host = growth(records, "hostBytes");
  if (rises(host)) return [`the device's tensors are flat, but those on the CPU grow: ${rateText(host)}`];
  const heap = growth(records, "heapBytes");
  if (rises(heap)) return [`tensors are flat, but V8's heap grows: ${rateText(heap)}`];
  const driver = growth(records, "driverBytes");
  if (rises(driver)) return [`tensors are flat, but the allocator's blocks grow: ${rateText(driver)}`];
  const footprint = growth(records, "footprintBytes");
  if (rises(footprint) && footprint.bytesPerEpoch >= FOOTPRINT_BYTES_PER_EPOCH)
    return [`tensors and V8's heap are flat, but the process grows: ${rateText(footprint)}`];
  return [];
}

/** Whether memory still rises, slowly or fast. */
export function rises({ verdict }: Growth): boolean {
  return verdict === "growing" || verdict === "climbing";
}
