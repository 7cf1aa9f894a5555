// A collective or a message that was started: `asyncOp: true` returns one.
import { native } from "../engine/native.ts";
import type { NativeOperation } from "../engine/native_distributed.ts";
import { explainFailure } from "./failures.ts";
import type { Activity, ProcessGroup } from "./process_group.ts";

/** What belongs to an operation beside the addon's object. */
export interface WorkParts {
  readonly operation: NativeOperation;
  readonly group: ProcessGroup;
  readonly activity: Activity;
  /** Runs once when the operation is over: copies results back to their device. */
  readonly finish: () => void;
}

/**
 * A collective or a message under way. Its tensors must not be used before it is over.
 *
 *     const work = torch.distributed.allReduce(x, { asyncOp: true });
 *     await work.getFuture();
 */
export class Work {
  readonly #parts: WorkParts;
  #isFinished = false;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  /** Whether it is over, or has failed. */
  isCompleted(): boolean {
    return native.distributed.operationIsDone(this.#parts.operation);
  }

  /**
   * Waits until it is over. Stop ends the wait, and the operation goes on.
   *
   * @throws DistBackendError where a rank failed or did not come in time
   */
  wait(): void {
    try {
      native.distributed.waitForOperation(this.#parts.operation);
    } catch (error) {
      throw explainFailure(error, this.#parts.group, this.#parts.activity);
    }
    this.#finish();
  }

  /** A promise that resolves when it is over, while other code runs; rejected as `wait` throws. */
  async getFuture(): Promise<void> {
    try {
      await native.distributed.operationEnd(this.#parts.operation);
    } catch (error) {
      throw explainFailure(error, this.#parts.group, this.#parts.activity);
    }
    this.#finish();
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#parts.finish();
  }

  /** The rank in the world from which a received message came. To be asked when it is over. */
  sourceRank(): number {
    return this.#parts.group.ranks[native.distributed.sourceRank(this.#parts.operation)] ?? -1;
  }
}
