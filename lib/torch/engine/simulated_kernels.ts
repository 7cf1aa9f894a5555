// Lists the kernels that simulated Metal registers: those that the installed PyTorch has for Metal.
import { METAL_KERNELS, OWN_SPARSE_METAL_KERNELS, SPARSE_METAL_KERNELS } from "./metal_kernels.generated.ts";

/** Names of operators, including overloads, separated by spaces. */
export interface SimulatedKernels {
  readonly strided: string;
  /** Operators on sparse tensors that run by the function for all devices. */
  readonly sparse: string;
  /** Operators on sparse tensors that run by a function for Metal. */
  readonly ownSparse: string;
}

export const SIMULATED_KERNELS: SimulatedKernels = {
  strided: METAL_KERNELS,
  sparse: SPARSE_METAL_KERNELS,
  ownSparse: OWN_SPARSE_METAL_KERNELS,
};
