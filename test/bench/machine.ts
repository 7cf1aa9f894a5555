// The machine that a figure was measured on: its name in a report, the folder of its results, and the targets that hold
// for it. Another processor, number of cores, GPU or libtorch is another machine.
import { availableParallelism, cpus } from "node:os";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  /** The NVIDIA GPU that libtorch uses; null for none. An Apple GPU is part of the processor. */
  readonly gpu: string | null;
  readonly libtorch: string;
}

export const thisMachine = (libtorch: string, gpu: string | null): Machine => ({
  processor: cpus()[0]!.model,
  cores: availableParallelism(),
  gpu,
  libtorch,
});

const parts = ({ processor, cores, gpu, libtorch }: Machine): readonly string[] => [
  processor,
  `${cores} cores`,
  ...(gpu === null ? [] : [gpu]),
  `libtorch ${libtorch}`,
];

/** Describes the machine for people: `AMD EPYC, 2 cores, libtorch 2.15.0`. */
export const describeMachine = (machine: Machine): string => parts(machine).join(", ");

/** Describes the machine for a path: `amd-epyc-2-cores-libtorch-2.15.0`. */
export const machineFolder = (machine: Machine): string =>
  parts(machine)
    .join(" ")
    .replace(/\((R|TM|C)\)/gi, "")
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, "-")
    .replace(/^-|-$/g, "");

/** The machines that a target holds for. */
export interface Scope {
  readonly name: string;
  holdsFor(cores: number): boolean;
}

/** Ratios to a peer that ran beside on the same machine, counts, and bytes. */
export const ANY_MACHINE: Scope = { name: "any machine", holdsFor: () => true };

/** Times, and shares of an epoch of a fixed length: set on machines of two cores. */
export const TWO_CORES: Scope = { name: "2 cores", holdsFor: (cores) => cores === 2 };
