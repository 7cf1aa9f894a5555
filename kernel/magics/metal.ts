// `%metal`: whether Apple's GPU can be used here, and if not, why; `%metal simulated 16GB` makes a device that behaves
// like one.
import { MagicError, sessionMagic } from "./magic.ts";

export const metal = sessionMagic({
  name: "metal",
  summary: "says whether Metal can be used here, or simulates a Mac's",
  details:
    "%metal simulated 16GB makes an mps device of this machine's processor and memory, with PyTorch's rules for memory and " +
    "queueing, for the rest of the session; 16GB is the Mac's memory. A last word unqueued runs each operator at once.",
  line: { kind: "word", words: ["simulated"], others: true },
  async run({ text }, session) {
    const { describeSimulation, simulate, simulation } = await session.simulatedMetal();
    const { readSimulation } = await session.simulationOptions();
    if (text !== "") {
      const options = readSimulation(text);
      if (options === null)
        throw new MagicError(
          `%metal takes nothing, or simulated and a size, as simulated 16GB; got ${text}.`,
        );
      return session.print(`Metal is simulated: ${describeSimulation(simulate(options))}.\n`);
    }
    const simulated = simulation();
    if (simulated !== null) return session.print(`Metal is simulated: ${describeSimulation(simulated)}.\n`);
    const { isAvailable, isBuilt, deviceCount } = await session.mps();
    if (isAvailable()) return session.print(`Metal: ${deviceCount()} device\n`);
    const reason = isBuilt()
      ? "libtorch has Metal, but finds no device that it can use"
      : `libtorch is built without Metal, as it is on ${process.platform} ${process.arch}`;
    session.print(`Metal is not available: ${reason}. %metal simulated 16GB stands in for it.\n`);
  },
});
