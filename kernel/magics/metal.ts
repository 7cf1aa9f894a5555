// `%metal`: reports whether Apple's GPU can be used here, and if not, why. `%metal simulated 16GB` simulates one.
import { thisSystem } from "../../lib/platform/system.ts";
import { MagicError, type SessionHandler } from "./handler.ts";

export const metal: SessionHandler<"metal"> = async ({ text }, session) => {
  const { describeSimulation, simulate, simulation } = await session.simulatedMetal();
  const { readSimulation } = await session.simulationOptions();
  if (text !== "") {
    const options = readSimulation(text);
    if (options === null)
      throw new MagicError(`%metal takes nothing, or simulated and a size, as simulated 16GB; got ${text}.`);
    return session.print(`Metal is simulated: ${describeSimulation(simulate(options))}.\n`);
  }
  const simulated = simulation();
  if (simulated !== null) return session.print(`Metal is simulated: ${describeSimulation(simulated)}.\n`);
  const { isAvailable, isBuilt, deviceCount } = await session.mps();
  if (isAvailable()) return session.print(`Metal: ${deviceCount()} device\n`);
  const reason = isBuilt()
    ? "libtorch has Metal, but finds no device that it can use"
    : `libtorch is built without Metal, as it is on ${thisSystem.name} ${thisSystem.architecture}`;
  session.print(`Metal is not available: ${reason}. %metal simulated 16GB stands in for it.\n`);
};
