// Declares the addon's functions for custom kernels (`native/device/shaders.cc`). Types only.
import type { Tensor } from "../types/index.ts";
export interface NativeShaders {
  /** Compiles Metal source; on a Mac only. Returns the library's number. */
  compile(source: string): number;
  /** Loads a library: on a Mac a .metallib or its bytes, on simulated Metal a shared library of the host. */
  load(file: string | Uint8Array): number;
  names(library: number): string[];
  kernel(
    library: number,
    name: string,
  ): {
    readonly number: number;
    readonly maxThreadsPerThreadgroup: number;
    readonly threadExecutionWidth: number;
    readonly staticThreadgroupMemoryLength: number;
  };
  /** Queues a kernel. An argument for each buffer: a tensor of the device, or a constant's bytes. */
  launch(
    kernel: number,
    args: readonly (Tensor | Uint8Array)[],
    threads: readonly number[],
    groupSize: readonly number[] | null,
    errorBuffer: number | null,
  ): void;
}
