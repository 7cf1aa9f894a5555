// `%memory`: what the device, this process and the machine hold.
import { sessionMagic } from "./magic.ts";

export const memory = sessionMagic({
  name: "memory",
  summary: "shows the memory of the current device",
  line: { kind: "none" },
  async run(_, session) {
    const [lab, { device }, { formatBytes }] = await Promise.all([
      session.lab(),
      session.device(),
      session.units(),
    ]);
    const { allocatedBytes, peakBytes, driverBytes, recommendedBytes, footprintBytes } = lab.memory();
    session.print(
      `${device()}: ${formatBytes(allocatedBytes)} allocated, peak ${formatBytes(peakBytes)}, ` +
        `${formatBytes(driverBytes)} held by the allocator, ${formatBytes(recommendedBytes)} recommended; ` +
        `process ${formatBytes(footprintBytes)}\n`,
    );
  },
});
