// `%memory`: shows the memory of the device, this process and the machine, with their limits.
import { totalmem } from "node:os";
import type { SessionHandler } from "./handler.ts";

export const memory: SessionHandler<"memory"> = async (_, session) => {
  const [lab, { device }, { formatBytes, formatShare }] = await Promise.all([
    session.lab(),
    session.device(),
    session.units(),
  ]);
  const sample = lab.memory();
  const machineBytes = machineLimit();
  const machine = [
    sample.availableBytes === null
      ? null
      : `${formatBytes(sample.availableBytes)} of ${formatBytes(machineBytes)} available`,
    sample.swapBytes === null ? null : `${formatBytes(sample.swapBytes)} of swap in use`,
    sample.pressure === null ? null : `pressure ${sample.pressure}`,
  ];
  const held = `${formatBytes(sample.driverBytes)} held by the allocator`;
  const share = formatShare(sample.driverBytes / sample.recommendedBytes);
  const rows = [
    [device(), `${formatBytes(sample.allocatedBytes)} allocated, peak ${formatBytes(sample.peakBytes)}`],
    ["", `${held}, ${share} of the recommended ${formatBytes(sample.recommendedBytes)}`],
    ["session", `${formatBytes(sample.footprintBytes)} resident`],
    ["machine", machine.filter((part) => part !== null).join(", ")],
  ] as const;
  session.print(rows.map(([owner, text]) => `${owner.padEnd(8)} ${text}\n`).join(""));
};

/** The container's memory limit if there is one, else the machine's memory. */
function machineLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
