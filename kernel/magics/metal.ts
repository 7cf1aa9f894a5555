// `%metal`: reports whether Apple's GPU can be used here, and if not, why. `%metal simulated 16GB` simulates one.
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
  const { availability, deviceCount } = await session.mps();
  const { reason } = availability();
  session.print(
    reason === null
      ? `Metal: ${deviceCount()} device\n`
      : `Metal is not available: ${reason} %metal simulated 16GB stands in for it.\n`,
  );
};
