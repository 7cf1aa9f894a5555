// Compares the models of the ranks before they are trained together. c10d's own comparison tells the rank that differs
// alone, and the others wait for it.
import { shapeText } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { DistStoreError } from "./errors.ts";
import { type ProcessGroup, requireWorld } from "./process_group.ts";

/** `0.weight: float32 [2, 4]` */
const textOf = ([path, tensor]: readonly [string, Tensor]): string =>
  `${path}: ${native.dtype(tensor)} ${shapeText(native.shape(tensor))}`;

/** Comparisons that each group has made: their keys in the store differ. */
const compared = new WeakMap<ProcessGroup, number>();

/**
 * Throws on every rank where the parameters differ between two of them.
 *
 * @throws TypeError for another model, DistStoreError where a rank does not come here in time
 */
export function requireSameModel(
  call: string,
  group: ProcessGroup,
  parameters: readonly (readonly [string, Tensor])[],
): void {
  const { store, prefix, timeoutMs } = requireWorld(call);
  const count = (compared.get(group) ?? 0) + 1;
  compared.set(group, count);
  const keyOf = (rank: number): string => `${prefix}/model/${group.name}/${count}/${rank}`;
  const own = group.ranks[group.rank()]!;
  store.set(keyOf(own), JSON.stringify(parameters.map(textOf)));
  const models = group.ranks.map((rank) => {
    try {
      return JSON.parse(store.get(keyOf(rank), timeoutMs).toString()) as readonly string[];
    } catch (error) {
      if (!(error instanceof DistStoreError)) throw error;
      throw new DistStoreError(`${call}: rank ${own} waited ${timeoutMs} ms for the model of rank ${rank}.`, {
        cause: error,
      });
    }
  });
  const first = models[0]!;
  for (const [i, model] of models.entries()) {
    const at = Math.max(first.length, model.length);
    for (let j = 0; j < at; j++)
      if (first[j] !== model[j])
        throw new TypeError(
          `${call}: the ranks have other models. Rank ${group.ranks[0]} has ${first[j] ?? "no parameter more"}, where rank ${group.ranks[i]} has ${model[j] ?? "no parameter more"}: build the same model on all ranks.`,
        );
  }
}
