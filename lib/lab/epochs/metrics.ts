// Gathers what `lab.log` is given in one epoch, and combines it when the epoch has ended. A tensor of a device with a
// queue is added up there: to read it inside the loop would make the host wait for everything queued before it.
//
//     lab.log({ loss })  lab.log({ loss })  ...   ->   sum on the device   -> flush ->   { loss: 0.312 }
import type { Tensor } from "../../torch/types/index.ts";
import { native } from "../../torch/engine/native.ts";
import { describe, isRecord, shapeText } from "../../torch/vocabulary/arguments.ts";
import { choice, readOptions, type Rules } from "../../torch/vocabulary/options.ts";

export interface LogOptions {
  /** What several calls in one epoch become: their mean, or the last value, as for a learning rate. Default: "mean". */
  readonly reduce?: "mean" | "last";
}

const CALL = "lab.log";
const RULES: Rules<LogOptions> = { reduce: choice("mean", ["mean", "last"]) };

/** The options of `lab.log`, and the values as the user gave them. */
export interface LogCall {
  readonly values: Readonly<Record<string, number | Tensor>>;
  readonly reduce: "mean" | "last";
}

/**
 * @throws TypeError that names a value which is neither a number nor a tensor; RangeError for a tensor of several
 *   elements
 */
export function readLogCall(values: unknown, options: LogOptions | undefined): LogCall {
  const { reduce } = readOptions(CALL, options, RULES);
  if (!isRecord(values))
    throw new TypeError(`${CALL} takes numbers by their names, as { loss }, not ${describe(values)}.`);
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number") continue;
    if (!native.isTensor(value))
      throw new TypeError(
        `${CALL}: ${name} must be a number or a Tensor of one element, got ${describe(value)}.`,
      );
    if (native.numel(value) !== 1)
      throw new RangeError(
        `${CALL}: ${name} has the shape ${shapeText(value.shape)}; log one number, as ${name}.mean().`,
      );
    if (value.dtype.startsWith("complex"))
      throw new TypeError(`${CALL}: ${name} is ${value.dtype}; log a real number, as ${name}.abs().`);
  }
  return { values: values as LogCall["values"], reduce };
}

interface Gathered {
  readonly reduce: "mean" | "last";
  calls: number;
  /** The sum of the values that were on the host; for `last`, the last of them. */
  value: number;
  /** The same for values that are still in a device's queue. */
  queued: Tensor | null;
}

/** The metrics of one epoch. */
export class EpochMetrics {
  readonly #gathered = new Map<string, Gathered>();

  add({ values, reduce }: LogCall): void {
    for (const [name, value] of Object.entries(values)) {
      const gathered = this.#gathered.get(name) ?? { reduce, calls: 0, value: 0, queued: null };
      if (gathered.reduce !== reduce)
        throw new RangeError(
          `${CALL}: ${name} has reduce: "${gathered.reduce}" in this epoch already, not "${reduce}"; give one of them a name of its own.`,
        );
      this.#gathered.set(name, gathered);
      if (typeof value !== "number" && value.device !== "cpu") gatherQueued(gathered, value);
      else gatherNumber(gathered, typeof value === "number" ? value : Number(native.item(value)));
      gathered.calls++;
    }
  }

  /** Reads the values that are on the device, which waits for it, and frees their tensors. */
  read(): Readonly<Record<string, number>> {
    const read = [...this.#gathered].map(([name, gathered]) => {
      const { reduce, calls, queued } = gathered;
      if (queued !== null) gathered.value += Number(native.item(queued));
      queued?.dispose();
      gathered.queued = null;
      return [name, reduce === "last" ? gathered.value : gathered.value / calls] as const;
    });
    return Object.fromEntries(read);
  }

  /** The metrics for which several calls were combined, and how. */
  get combined(): readonly (readonly [name: string, reduce: "mean" | "last"])[] {
    return [...this.#gathered].flatMap(([name, { reduce, calls }]) =>
      calls > 1 ? [[name, reduce] as const] : [],
    );
  }
}

function gatherNumber(gathered: Gathered, value: number): void {
  if (gathered.reduce === "mean") {
    gathered.value += value;
    return;
  }
  gathered.queued?.dispose();
  gathered.queued = null;
  gathered.value = value;
}

/** A copy for the epoch, because the user may change the tensor afterwards, or free it by `tidy`. */
function gatherQueued(gathered: Gathered, tensor: Tensor): void {
  const scalar = tensor.detach().reshape([]);
  // In float32: a sum in half precision would stop growing after some hundred batches, and Metal has no float64.
  const dtype = tensor.dtype === "float64" ? "float64" : "float32";
  const copy = scalar.to({ dtype, copy: true });
  const { queued } = gathered;
  gathered.value = gathered.reduce === "last" ? 0 : gathered.value;
  gathered.queued = queued === null || gathered.reduce === "last" ? copy : queued.add(copy);
  native.keep(gathered.queued);
  queued?.dispose();
  if (gathered.queued !== copy) copy.dispose();
}
