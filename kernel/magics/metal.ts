// `%metal`: reports whether Apple's GPU can be used here, and if not, why. `%metal simulated 16GB` simulates one.
import { MagicError, type SessionHandler } from "./handler.ts";

export const metal: SessionHandler<"metal"> = async ({ text }, session) => {
  const { readSimulation } = await session.simulationOptions();
  const options = text === "" ? null : readSimulation(text);
  if (text !== "" && options === null)
    throw new MagicError(`%metal takes nothing, or simulated and a size, as simulated 16GB; got ${text}.`);
  if (options !== null) session.leaveCudaOut(text);
  const { describeSimulation, simulate, simulation } = await session.simulatedMetal();
  const { isBuilt } = await session.mps();
  if (options !== null) {
    if (simulation() === null && isBuilt())
      return session.print("Metal is here, and nothing is simulated beside it.\n");
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
