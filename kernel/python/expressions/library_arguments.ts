// Changes the arguments of some of the library's classes that PyTorch's take in another form: loaders, autocast, scalers.
import type { Arguments } from "./arguments.ts";
import { bound, code, LEVEL } from "../code.ts";
import { type Context, mark } from "../context.ts";
import { isTensor } from "../kinds.ts";
import type { Node } from "../source/syntax.ts";

export function withDevice(given: Arguments, device: string, node: Node): Arguments {
  return {
    ...given,
    keywords: [{ name: "device_type", value: code(JSON.stringify(device), "text"), node }, ...given.keywords],
  };
}

/** A tensor is a dataset of its rows. */
export function ofRows(given: Arguments): Arguments {
  const [source, ...others] = given.positional;
  if (source === undefined || !isTensor(source.value.kind)) return given;
  const rows = code(`[...${bound(source.value, LEVEL.arrow)}]`, `list ${source.value.kind}`);
  return { ...given, positional: [{ ...source, value: rows }, ...others] };
}

/** Threads make batches of a dataset that a module of its own makes. */
export function withoutWorkers(given: Arguments, context: Context, node: Node): Arguments {
  const workers = given.keywords.find(({ name }) => name === "num_workers");
  if (workers === undefined || workers.value.text === "0") return given;
  mark(
    context,
    node,
    'numWorkers takes a dataset of a module, await data.workerDataset("./dataset.ts"): this loader makes its batches itself',
  );
  return {
    ...given,
    keywords: given.keywords.filter(
      ({ name }) =>
        !["num_workers", "persistent_workers", "prefetch_factor", "worker_init_fn"].includes(name),
    ),
  };
}

/** `torch.cuda.amp.GradScaler(1024.0)` has no place for the device, which is the first elsewhere. */
export const ofCuda = (given: Arguments, node: Node): Arguments => ({
  ...given,
  positional: [{ value: code('"cuda"', "text"), spread: false, node }, ...given.positional],
});
