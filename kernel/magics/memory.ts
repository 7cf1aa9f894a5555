// `%memory`: what the device, this process and the machine hold, and how much each may.
import { totalmem } from "node:os";
import { sessionMagic } from "./magic.ts";

export const memory = sessionMagic({
  name: "memory",
  summary: "shows the memory of the device, of the session and of the machine, with their limits",
  details: "lab.memory() gives the same numbers to a program.",
  line: { kind: "none" },
  async run(_, session) {
    const [lab, { device }, { formatBytes, formatShare }] = await Promise.all([
      session.lab(),
      session.device(),
      session.units(),
    ]);
    const sample = lab.memory();
    const of = (bytes: number, limit: number) =>
      `${formatBytes(bytes)} of ${formatBytes(limit)} (${formatShare(bytes / limit)})`;
    const machineBytes = machineLimit();
    const machine = [
      sample.availableBytes === null ? null : `${of(sample.availableBytes, machineBytes)} available`,
      sample.swapBytes === null ? null : `${formatBytes(sample.swapBytes)} of swap in use`,
      sample.pressure === null ? null : `pressure ${sample.pressure}`,
    ];
    const rows = [
      [
        device(),
        `${formatBytes(sample.allocatedBytes)} allocated, peak ${formatBytes(sample.peakBytes)}, ` +
          `${of(sample.driverBytes, sample.recommendedBytes)} of the recommended held by the allocator`,
      ],
      ["session", `${formatBytes(sample.footprintBytes)} resident`],
      ["machine", machine.filter((part) => part !== null).join(", ")],
    ] as const;
    session.print(rows.map(([owner, text]) => `${owner.padEnd(8)} ${text}\n`).join(""));
  },
});

/** Of a container, its own limit. */
function machineLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
