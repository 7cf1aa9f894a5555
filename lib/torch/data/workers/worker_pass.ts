// Runs one pass over a dataset with workers: requests batches ahead of time from one worker after the other, and
// returns them in the order of the requests, as PyTorch does (_MultiProcessingDataLoaderIter).
import type { Wanted } from "../fetch.ts";
import { wrapTensors } from "./shared_values.ts";
import { inStage, stagesNow, stagesSince } from "../stages.ts";
import type { TimingRecord } from "../timings.ts";
import { type Answer, READY } from "./worker_protocol.ts";
import { errorOf, type Workers } from "./workers.ts";

export interface PassOptions {
  /** Indices of each batch, in order. */
  readonly batches: Iterable<Wanted>;
  /** Translates indices into those of the module's own dataset. */
  readonly translate: (wanted: Wanted) => Wanted;
  /** Batches asked for ahead, for each worker. */
  readonly prefetchFactor: number;
  /**
   * The number of the pass's first task. Numbers are never used twice, so answers to a pass that was broken off are
   * recognized.
   */
  readonly firstTask: number;
  /** Told how many numbers the pass has used. */
  readonly used: (nextTask: number) => void;
  /** Whether the workers have been through a pass before. */
  readonly again: boolean;
  /** Adds up the times of the stages. */
  readonly timings: TimingRecord;
}

export function* workerPass(
  workers: Workers,
  options: PassOptions,
): globalThis.Generator<unknown, void, undefined> {
  const { translate, prefetchFactor, timings } = options;
  const wanted = options.batches[Symbol.iterator]();
  /** Which worker each open task was given, in the order of tasks. */
  const asked = new Map<number, number>();
  const arrived = new Map<number, Answer>();
  const ended = new Set<number>();
  let nextTask = options.firstTask;
  let nextWorker = 0;

  function ask(): void {
    if (ended.size === workers.count) return;
    const { done, value } = wanted.next();
    if (done) return;
    while (ended.has(nextWorker)) nextWorker = (nextWorker + 1) % workers.count;
    workers.post(nextWorker, { number: nextTask, wanted: translate(value) });
    asked.set(nextTask++, nextWorker);
    options.used(nextTask);
    nextWorker = (nextWorker + 1) % workers.count;
  }

  if (options.again) {
    for (let worker = 0; worker < workers.count; worker++)
      workers.post(worker, { number: READY, wanted: null });
  }
  try {
    for (let i = 0; i < prefetchFactor * workers.count; i++) ask();
    for (let task = options.firstTask; asked.has(task); task++) {
      const worker = asked.get(task)!;
      const start = performance.now();
      // The worker's stream has ended, so it gets no more tasks.
      while (!arrived.has(task) && !ended.has(worker)) {
        const { answer, worker: from } = workers.receive(worker);
        if (!asked.has(answer.number)) continue;
        if ("ended" in answer) {
          ended.add(from);
          ask();
        }
        arrived.set(answer.number, answer);
      }
      const answer = arrived.get(task);
      asked.delete(task);
      arrived.delete(task);
      if (answer === undefined || "ended" in answer || "exitCode" in answer) continue;
      ask();
      if ("error" in answer) throw errorOf(worker, answer.error);
      const before = stagesNow();
      const batch = inStage("transfer", () => wrapTensors(answer.batch));
      timings.addStages(answer.spent);
      timings.addStages(stagesSince(before));
      timings.addBatch(performance.now() - start);
      yield batch;
    }
  } finally {
    wanted.return?.();
  }
}
