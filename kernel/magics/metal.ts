// `%metal`: reports whether Apple's GPU can be used here, and if not, why. `%metal simulated 16GB` simulates one.
import { MagicError, type SessionHandler } from "./handler.ts";
import type { SessionSide } from "./session_side.ts";

export const metal: SessionHandler<"metal"> = async ({ text }, session) => {
  const options = text === "" ? null : await simulationOf(text, session);
  if (options !== null) session.leaveCudaOut(text);
  const { describeSimulation, simulate, simulation } = await session.simulatedMetal();
  const { availability, deviceCount, isBuilt } = await session.mps();
  const isReal = simulation() === null && isBuilt();
  if (options !== null && isReal)
    return session.print("Metal is here, and nothing is simulated beside it.\n");
  const simulated = options === null ? simulation() : simulate(options);
  if (simulated !== null) return session.print(`Metal is simulated: ${describeSimulation(simulated)}.\n`);
  const { reason } = availability();
  session.print(
    reason === null
      ? `Metal: ${deviceCount()} device\n`
      : `Metal is not available: ${reason} %metal simulated 16GB stands in for it.\n`,
  );
};

async function simulationOf(text: string, session: SessionSide) {
  const { readSimulation } = await session.simulationOptions();
  const options = readSimulation(text);
  if (options !== null) return options;
  throw new MagicError(`%metal takes nothing, or simulated and a size, as simulated 16GB; got ${text}.`);
}
