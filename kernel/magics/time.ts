// `%time`: how long a statement, or a cell, takes, and what it spends the time on.
import { type AtEnd, sessionMagic } from "./magic.ts";

export const time = sessionMagic({
  name: "time",
  summary: "times a statement once: wall clock, processor, and waiting for the device",
  details:
    "The statement is part of the cell: names that it declares stay, and its value is the cell's if it stands last. " +
    "The device is waited for before the clock stops.",
  line: { kind: "code", placeholder: "STATEMENT" },
  cell: { argument: { kind: "none" }, body: "code" },
  runs: "in place",
  async run(_, session): Promise<AtEnd> {
    const [{ formatTime }, accelerator] = await Promise.all([session.units(), session.accelerator()]);
    // What was queued before is not the statement's.
    accelerator?.synchronize();
    const waitedBeforeMs = accelerator?.waitedMs() ?? null;
    const cpuBefore = process.cpuUsage();
    const startMs = performance.now();
    return () => {
      const calledMs = performance.now();
      // The statement may have been what loaded the library; then there is nobody to ask yet.
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
  },
});
