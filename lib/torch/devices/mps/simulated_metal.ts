// Switches simulated Metal on: an mps device on a machine without one. Notebooks run there with PyTorch's rules for
// memory, queueing and missing operators. It is off by default. `%metal simulated 16GB`, `mps.simulate(...)` or
// `MPSLAB_METAL` switch it on until the session ends. Times measured on it are not a GPU's.
import type { Simulation } from "../../engine/native_metal.ts";
import { deviceAppeared } from "../../engine/device.ts";
import { native } from "../../engine/native.ts";
import { SIMULATED_KERNELS } from "../../engine/simulated_kernels.ts";
import { checkChoice, checkOptions } from "../../vocabulary/arguments.ts";
import { SIMULATED_FAULTS, type SimulatedFault } from "../../vocabulary/simulated_faults.ts";
import { type SimulationOptions, checkSimulation } from "../../vocabulary/simulation_options.ts";

import { shownAs } from "../../../views/shown_as.ts";
import { simulationTable } from "./view.ts";

const GIB = 2 ** 30;

export interface PlantOptions {
  /**
   * A kernel that gives wrong results from now on, as one of Metal's once did, to try how it is found. Null repairs it.
   */
  readonly fault: SimulatedFault | null;
}

/**
 * The simulated device; null if there is none. With a fault, a kernel gives wrong results without an error until
 * another call repairs it:
 *
 *     mps.simulation({ fault: "conv2d wrong for non-contiguous weights" });
 *     lab.shadow(() => trainOneEpoch());
 *
 * @throws TypeError for a fault if no device is simulated, and for an unknown fault
 */
export function simulation(): Simulation | null;
export function simulation(options: PlantOptions): Simulation;
export function simulation(options?: PlantOptions): Simulation | null {
  if (options !== undefined) plant(options);
  const simulated = native.simulatedMetal();
  return simulated === null ? null : shownAs(simulated, simulationTable);
}

function plant(options: PlantOptions): void {
  const call = "mps.simulation";
  const { fault = null } = checkOptions<PlantOptions>(call, options, ["fault"]);
  if (fault !== null) checkChoice(call, "fault", fault, SIMULATED_FAULTS);
  if (native.simulatedMetal() === null)
    throw new TypeError(
      `${call}: a fault is planted in simulated Metal, and there is none here: begin with %metal simulated or mps.simulate().`,
    );
  native.plantMetalFault(fault);
}

/**
 * Makes an mps device of this machine's processor and memory. It recommends to use at most two thirds of the memory, as
 * a Mac of that size does.
 *
 * @throws TypeError if there is a Metal device already, simulated or not; RangeError for watermarks in the environment
 *   that PyTorch refuses
 */
export function simulate(options?: SimulationOptions): Simulation {
  const wished = checkSimulation(options);
  const present = simulation();
  if (present !== null) {
    if (present.memoryBytes === wished.memoryBytes && present.queueing === wished.queueing) return present;
    throw new TypeError(
      `mps.simulate: this session simulates Metal already, ${describeSimulation(present)}: restart it to choose anew.`,
    );
  }
  if (native.devices().built.includes("mps"))
    throw new TypeError("mps.simulate: this libtorch has Metal itself; nothing is simulated beside it.");
  native.simulateMetal(wished, SIMULATED_KERNELS);
  deviceAppeared();
  return simulation()!;
}

const gib = (bytes: number): string => `${Math.round((bytes / GIB) * 10) / 10} GiB`;

/** `a Mac with 16 GiB, 10.7 GiB recommended` */
export function describeSimulation(simulated: Simulation): string {
  const recommended = native.memoryStats("mps").recommendedBytes;
  const cap = simulated.cappedByHost
    ? `, limited to the ${gib(simulated.limitBytes!)} that this machine has free`
    : "";
  return `a Mac with ${gib(simulated.memoryBytes)} of memory, ${gib(recommended)} of it recommended${cap}${simulated.queueing ? "" : ", without queueing"}`;
}
