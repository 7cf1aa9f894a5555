// `%time`: measures how long a statement or a cell takes, and how much of it waits for the device.
import type { SessionHandler } from "./handler.ts";

export const time: SessionHandler<"time"> = async (_, session) => {
  const [{ formatTime }, accelerator] = await Promise.all([session.units(), session.accelerator()]);
  // Waits first, so that work which was queued before does not count.
  accelerator?.synchronize();
  const waitedBeforeMs = accelerator?.waitedMs() ?? null;
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  return () => {
    const calledMs = performance.now();
    // Null if the statement itself loaded the library.
    accelerator?.synchronize();
    const endMs = performance.now();
    const { user, system } = process.cpuUsage(cpuBefore);
    const parts = [
      `wall ${formatTime(endMs - startMs)}`,
      `CPU ${formatTime((user + system) / 1000)} (user ${formatTime(user / 1000)}, system ${formatTime(system / 1000)})`,
    ];
    if (accelerator !== null) {
      const waitedMs = accelerator.waitedMs();
      const inside = waitedMs === null || waitedBeforeMs === null ? null : waitedMs - waitedBeforeMs;
      const total = endMs - calledMs + (inside ?? 0);
      const where = inside === null ? " at the end, inside operators not counted" : "";
      parts.push(
        `waiting for ${accelerator.label} ${formatTime(accelerator.asynchronous ? total : 0)}${where}`,
      );
    }
    session.print(`${parts.join("; ")}\n`);
  };
};
