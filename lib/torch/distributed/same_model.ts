// Compares the models of the ranks before they are trained together. c10d's own comparison reports the difference only
// on the rank that differs, and the others wait for it.
import { shapeText } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { exchange } from "./exchange.ts";
import type { ProcessGroup } from "./process_group.ts";

/** `0.weight: float32 [2, 4]` */
const textOf = ([path, tensor]: readonly [string, Tensor]): string =>
  `${path}: ${native.dtype(tensor)} ${shapeText(native.shape(tensor))}`;

/**
 * Throws on every rank where the parameters differ between two of them.
 *
 * @throws TypeError if the models differ, DistStoreError if a rank does not call this in time
 */
export function requireSameModel(
  call: string,
  group: ProcessGroup,
  parameters: readonly (readonly [string, Tensor])[],
): void {
  const texts = exchange(call, group, "the model", JSON.stringify(parameters.map(textOf)));
  const models = texts.map((text) => JSON.parse(text) as readonly string[]);
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
