// Declares the messages between a loader and its workers, and what a dataset can ask about its worker.
import type { Origin } from "./worker_dataset.ts";
import type { Wanted } from "../fetch.ts";
import type { StageMs } from "../stages.ts";
import type { WorkerUsage } from "./usage.ts";

/** Sent when a worker starts. */
export interface WorkerData {
  readonly id: number;
  readonly numWorkers: number;
  /** The loader's seed plus the worker's number, as in PyTorch. */
  readonly seed: bigint;
  readonly origin: Origin;
  readonly dropLast: boolean;
  /**
   * The module hooks with which Node loads the notebook's TypeScript, as the session registers them. Null in a plain
   * program.
   */
  readonly hooks: { readonly url: string; readonly data: unknown } | null;
  /** Element 0 counts answers, so that the session can wait for the next. */
  readonly answers: Int32Array;
  /** Memory in which the worker notes the dataset call that it is in (`running_call.ts`). */
  readonly running: Int32Array;
  readonly port: import("node:worker_threads").MessagePort;
}

/** `null` begins another pass. */
export interface Task {
  readonly number: number;
  readonly wanted: Wanted | null;
}

export interface WorkerError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** The call of the dataset that failed, `dataset.get(7)`; "" for none. */
  readonly call: string;
}

/** The number of an answer that is not a batch of a pass: a worker has started, or is ready for another pass. */
export const READY = -2;

/** `number` is that of the task; -1 if the worker could not start, or has ended by itself. */
export type Answer =
  | {
      readonly number: number;
      readonly batch: unknown;
      /** Milliseconds that each stage has taken in the worker. */
      readonly spent: StageMs;
      readonly usage: WorkerUsage;
    }
  | { readonly number: number; readonly ended: true }
  | { readonly number: number; readonly error: WorkerError }
  | { readonly number: -1; readonly exitCode: number };

export interface WorkerInfo {
  readonly id: number;
  readonly numWorkers: number;
  readonly seed: bigint;
}

let info: WorkerInfo | null = null;

/** Which worker this code runs in, so that a stream can take its share of the items; null in the session itself. */
export function getWorkerInfo(): WorkerInfo | null {
  return info;
}

export function setWorkerInfo(given: WorkerInfo): void {
  info = given;
}
