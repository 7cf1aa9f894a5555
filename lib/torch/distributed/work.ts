// A collective or a message that was started; returned under `asyncOp: true`.
import { native } from "../engine/native.ts";
import type { NativeOperation } from "../engine/native_distributed.ts";
import { explainFailure } from "./failures.ts";
import type { Activity, ProcessGroup } from "./process_group.ts";

/** What belongs to an operation besides the addon's object. */
export interface WorkParts {
  readonly operation: NativeOperation;
  readonly group: ProcessGroup;
  readonly activity: Activity;
  /** Called once when the operation has finished: copies results back to their device. */
  readonly finish: () => void;
}

/**
 * A collective or a message under way. Its tensors must not be used before it has finished.
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

  /** Whether it has finished or failed. */
  isCompleted(): boolean {
    return native.distributed.operationIsDone(this.#parts.operation);
  }

  /**
   * Waits until it has finished. Stop ends the wait, but the operation goes on.
   *
   * @throws DistBackendError if a rank failed or did not take part in time
   */
  wait(): void {
    try {
      native.distributed.waitForOperation(this.#parts.operation);
    } catch (error) {
      throw explainFailure(error, this.#parts.group, this.#parts.activity);
    }
    this.#finish();
  }

  /** A promise that resolves when it has finished, while other code runs; rejected with what `wait` would throw. */
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

  /** The rank in the world from which a received message came. Ask for it after the operation has finished. */
  sourceRank(): number {
    return this.#parts.group.ranks[native.distributed.sourceRank(this.#parts.operation)] ?? -1;
  }
}
