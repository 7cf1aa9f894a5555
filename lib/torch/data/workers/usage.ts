// Reports the memory of each loader worker, and what workers share with the session as threads of one process.
import { readdirSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

/** A worker's own memory when it last answered. */
export interface WorkerUsage {
  /** JavaScript objects. */
  readonly heapBytes: number;
  /** Buffers and tensors that JavaScript holds. */
  readonly externalBytes: number;
}

/** Usage of the whole process, the session included. */
export interface ProcessUsage {
  readonly residentBytes: number;
  /** Open files, pipes and sockets. */
  readonly descriptors: number;
}

/** Returns this thread's usage. */
export function threadUsage(): WorkerUsage {
  const { used_heap_size: heapBytes, external_memory: externalBytes } = getHeapStatistics();
  return { heapBytes, externalBytes };
}

export function processUsage(): ProcessUsage {
  // The folder itself is open while it is read.
  return { residentBytes: process.memoryUsage.rss(), descriptors: readdirSync("/dev/fd").length - 1 };
}
