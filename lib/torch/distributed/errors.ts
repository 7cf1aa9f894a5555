// The errors of processes that work together: each says who failed, and in which call.
import { isInterruption } from "../../session.ts";

/** The store could not be reached, or a rank did not come to the rendezvous in time. */
export class DistStoreError extends Error {
  override readonly name = "DistStoreError";
}

/** A collective or a message failed: a rank ended, was stopped, or came too late. */
export class DistBackendError extends Error {
  override readonly name = "DistBackendError";
  /** The rank of this process. */
  declare readonly rank: number;
  /** Ranks that did not report within a second of the failure: they have ended, or are stopped. */
  declare readonly silentRanks: readonly number[];

  constructor(message: string, rank: number, silentRanks: readonly number[], cause: unknown) {
    super(message, { cause });
    // Not enumerable: the message contains both, and printing an error also prints its enumerable properties.
    Object.defineProperty(this, "rank", { value: rank });
    Object.defineProperty(this, "silentRanks", { value: silentRanks });
  }
}

/** Whether an error came from libtorch, and not from Stop or from a check of an argument. */
export function isOfLibtorch(error: unknown): error is Error {
  if (!(error instanceof Error) || isInterruption(error)) return false;
  return (error.cause as Error | undefined)?.name === "libtorch";
}

/** libtorch's own text of an error. */
export function libtorchText(error: Error): string {
  return (error.cause as Error | undefined)?.message ?? error.message;
}
