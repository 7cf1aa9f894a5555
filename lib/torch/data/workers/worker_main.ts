// A loader's worker thread: makes the dataset from its module, then batches on request. It draws from its own random
// generator and uses one thread for operators, as PyTorch's workers do.
import { register } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { setDefaultDevice } from "../../engine/device.ts";
import { native } from "../../engine/native.ts";
import { END, makeFetch, type Wanted } from "../fetch.ts";
import { callText, noteCall, noteCallsIn } from "./running_call.ts";
import { shareTensors } from "./shared_values.ts";
import { inStage, stagesNow, stagesSince } from "../stages.ts";
import { threadUsage } from "./usage.ts";
import { type DatasetModule, makeDataset } from "./worker_dataset.ts";
import {
  type Answer,
  READY,
  setWorkerInfo,
  type Task,
  type WorkerData,
  type WorkerError,
} from "./worker_protocol.ts";

const { id, numWorkers, seed, origin, dropLast, hooks, answers, running, port } = workerData as WorkerData;

function send(answer: Answer): void {
  port.postMessage(answer);
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
}

function plainError(thrown: unknown): WorkerError {
  const call = callText(running);
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown), stack: "", call };
  return { name: thrown.name, message: thrown.message, stack: thrown.stack ?? "", call };
}

function answer(number: number, work: () => Answer): void {
  try {
    send(work());
  } catch (error) {
    send({ number, error: plainError(error) });
  } finally {
    noteCall("");
  }
}

const nothing = { batch: null, spent: [], usage: { heapBytes: 0, externalBytes: 0 } } as const;

process.on("exit", (exitCode) => send({ number: -1, exitCode }));

async function begin(): Promise<() => (wanted: Wanted) => unknown> {
  native.useOwnGenerator(seed);
  native.setNumThreads(1);
  setDefaultDevice("cpu");
  setWorkerInfo({ id, numWorkers, seed });
  if (hooks) register(hooks.url, { data: hooks.data });
  const module = (await import(origin.url)) as DatasetModule;
  const dataset = await makeDataset(module, origin);
  await module.workerInitFn?.(id);
  return () => makeFetch(dataset, { collateFn: module.collateFn, dropLast });
}

try {
  const beginPass = await begin();
  let fetch = beginPass();
  noteCallsIn(running);
  send({ number: READY, ...nothing });
  parentPort!.on("message", ({ number, wanted }: Task) => {
    answer(number, () => {
      if (wanted === null) {
        fetch = beginPass();
        return { number, ...nothing };
      }
      const before = stagesNow();
      const made = fetch(wanted);
      if (made === END) return { number, ended: true };
      noteCall("");
      const batch = inStage("transfer", () => shareTensors(made));
      return { number, batch, spent: stagesSince(before), usage: threadUsage() };
    });
  });
} catch (error) {
  send({ number: -1, error: plainError(error) });
}
