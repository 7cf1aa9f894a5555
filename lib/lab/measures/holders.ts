// Lists tensors that outlive the step that made them, by the line that made them. It observes steps while they run,
// collects garbage, and checks which of their tensors are still alive.
import { shapeText } from "../../torch/vocabulary/arguments.ts";
import { collectGarbage } from "../../torch/engine/garbage.ts";
import { native } from "../../torch/engine/native.ts";
import { observeCalls, tensorsAmong } from "../../torch/engine/observe.ts";
import type { Tensor } from "../../torch/tensor/tensor.ts";
import type { Steps } from "../core/run_steps.ts";
import { callersPlace, lineOf } from "../core/user_call_site.ts";
import { formatBytes } from "../../units.ts";

const MAX_SHOWN = 3;

interface Made {
  readonly tensor: WeakRef<Tensor>;
  readonly name: string;
  readonly place: string;
}

/**
 * Lists what a step leaves behind, largest first: `[512, 512] float32 of 1 MiB by exp at Cell [3]:7`. The step runs
 * twice: what the second run replaces, such as the last loss in a variable, is not a leak.
 */
export function* holdersOf(step: () => Steps<unknown>): Steps<string[]> {
  const made: Made[] = [];
  const stop = observeCalls(({ name, result, args }) => {
    const given = new Set(tensorsAmong(args));
    const place = callersPlace();
    for (const tensor of tensorsAmong(result)) {
      // In-place operators return what they were given.
      if (!given.has(tensor)) {
        made.push({ tensor: new WeakRef(tensor), name: name.replace("aten::", ""), place: place ?? "" });
      }
    }
  });
  let first: number;
  try {
    yield* step();
    first = made.length;
    yield* step();
  } finally {
    stop();
  }
  // The rest runs in a later job: within a job, a WeakRef keeps the object for which it was created or dereferenced.
  yield new Promise((resolve) => setImmediate(resolve));
  collectGarbage("full");
  return describe(made.slice(0, first));
}

function describe(made: readonly Made[]): string[] {
  const alive = made.flatMap(({ tensor, name, place }) => {
    const held = tensor.deref();
    if (held === undefined || native.isDisposed(held)) return [];
    const { bytes } = native.storage(held);
    const graph = native.gradFnName(held) === null ? "" : " with its graph";
    const where = place === "" ? "" : ` at ${lineOf(place)}`;
    const text = `${shapeText(native.shape(held))} ${native.dtype(held)} of ${formatBytes(bytes)} by ${name}${graph}${where}`;
    return [{ bytes, text }];
  });
  const texts = alive.toSorted((a, b) => b.bytes - a.bytes).map(({ text }) => text);
  return [...new Set(texts)].slice(0, MAX_SHOWN);
}
