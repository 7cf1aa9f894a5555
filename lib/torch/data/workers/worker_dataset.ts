// Lets workers make their own dataset: calls a module's default export in each thread with equal arguments, because
// functions cannot be sent to a thread and data should not be.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { installedSession } from "../../../session.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { checkSource, isIndexed, type Source, type Wanted } from "../fetch.ts";
import { Subset } from "../datasets/parts.ts";

/** The exports of a dataset's module. */
export interface DatasetModule {
  readonly default: (...args: never[]) => unknown;
  /** Makes a batch of items, in the workers. */
  readonly collateFn?: (items: never) => unknown;
  /** Called once in each worker, after its dataset is made. */
  readonly workerInitFn?: (workerId: number) => unknown;
}

/** How another thread makes the same dataset. */
export interface Origin {
  readonly url: string;
  readonly args: readonly unknown[];
}

const origins = new WeakMap<object, { readonly origin: Origin; readonly module: DatasetModule }>();

/** The module's dataset, in this thread. */
export async function makeDataset(
  module: Partial<DatasetModule>,
  { url, args }: Origin,
): Promise<Source<unknown>> {
  if (typeof module.default !== "function") {
    throw new TypeError(
      `data.workerDataset: ${url} must have a default export that is a function and returns a dataset, got ${describe(module.default)}.`,
    );
  }
  return checkSource(
    `data.workerDataset: the default export of ${url}`,
    (await module.default(...(args as never[]))) as Source<unknown>,
  );
}

/**
 * A dataset for loaders with workers: `await data.workerDataset("./images.ts", "train")` calls the default export of
 * `images.ts` with "train", here and in each worker. The module may also export `collateFn` and `workerInitFn`. A path
 * counts from the notebook's folder. With the module's type, `data.workerDataset<typeof import("./images.ts")>(...)`, batches
 * have theirs.
 *
 * @throws TypeError for a module without such a default export, and for arguments that cannot be cloned
 */
export async function workerDataset<Module = Source<any>>(
  module: string | URL,
  ...args: readonly unknown[]
): Promise<MadeBy<Module>> {
  const call = "data.workerDataset";
  if (typeof module !== "string" && !(module instanceof URL)) {
    throw new TypeError(`${call}: the module must be a path or a URL, got ${describe(module)}.`);
  }
  try {
    structuredClone(args);
  } catch (error) {
    throw new TypeError(
      `${call}: the arguments must be plain data that another thread can be sent (${(error as Error).message}); make what else it needs in the module.`,
      { cause: error },
    );
  }
  const text = String(module);
  const url = text.startsWith("file:") ? text : pathToFileURL(resolve(text)).href;
  const session = installedSession();
  const loaded = (await (session ? session.importModule(url) : import(url)).catch((error: unknown) => {
    const why = existsSync(new URL(url)) ? `cannot be imported (${String(error)})` : "is not there";
    throw new Error(`${call}: the module ${url} ${why}.`, { cause: error });
  })) as DatasetModule;
  const origin = { url, args };
  const dataset = await makeDataset(loaded, origin);
  origins.set(dataset, { origin, module: loaded });
  return dataset as MadeBy<Module>;
}

/** The type of a module's dataset, or the given type if it is that of a dataset. */
type MadeBy<Module> = Module extends { readonly default: (...args: any) => infer Made }
  ? Awaited<Made>
  : Module;

export interface WorkerSource {
  readonly origin: Origin;
  readonly module: DatasetModule;
  readonly isStream: boolean;
  /** Translates indices of a part into indices of the module's dataset. */
  readonly translate: (wanted: Wanted) => Wanted;
}

/**
 * How workers make this dataset, or undefined if they cannot. Parts of a worker dataset stay parts; workers make the
 * whole one.
 */
export function workerSource(dataset: Source<unknown>): WorkerSource | undefined {
  if (dataset instanceof Subset) {
    const { indices } = dataset;
    const inner = workerSource(dataset.dataset as Source<unknown>);
    const translate = (wanted: Wanted) =>
      typeof wanted === "number" ? indices[wanted]! : wanted.map((index) => indices[index]!);
    return inner && { ...inner, translate: (wanted) => inner.translate(translate(wanted)) };
  }
  const made = origins.get(dataset);
  return made && { ...made, isStream: !isIndexed(dataset), translate: (wanted) => wanted };
}
