// Magics that the session runs, at their line of the cell: `%memory`, `%device`. Loads the library when the first one
// runs.
import { report } from "./report.ts";
import { outputCell } from "./cells.ts";

const MAGICS: Record<string, (argument: string) => Promise<string>> = {
  async memory() {
    const [{ memory }, { device }, { formatBytes }] = await Promise.all([
      import("../../lib/lab/index.ts"),
      import("../../lib/torch/device.ts"),
      import("../../lib/lab/units.ts"),
    ]);
    const { allocatedBytes, peakBytes, driverBytes, recommendedBytes, footprintBytes } = memory();
    return (
      `${device()}: ${formatBytes(allocatedBytes)} allocated, peak ${formatBytes(peakBytes)}, ` +
      `${formatBytes(driverBytes)} held by the allocator, ${formatBytes(recommendedBytes)} recommended; ` +
      `process ${formatBytes(footprintBytes)}`
    );
  },
  async device(argument) {
    const { chooseDevice, device } = await import("../../lib/torch/device.ts");
    return argument === "" ? device() : chooseDevice(argument);
  },
};

/** What a compiled magic line calls. The compiler refuses names that do not exist. */
export async function runMagic(name: string, argument: string): Promise<void> {
  const magic = MAGICS[name];
  if (magic === undefined) throw new RangeError(`The session knows no magic %${name}.`);
  const text = `${await magic(argument)}\n`;
  const cell = outputCell();
  if (cell !== null) report({ type: "stream", cell: cell.id, name: "stdout", text });
}
