// Makes one batch from a list of items. Stacks tensors and typed arrays, turns numbers into a tensor, and batches
// arrays and plain objects by position or key.
import type { TypedArray } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkList, describe } from "../vocabulary/arguments.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { isTypedArray, requireDType, shareArray } from "../tensor/typed_arrays.ts";
import { packElements, scalarsDType } from "../tensor/values.ts";

/**
 * The batch of items of type `Item`: `[Tensor, number]` -> `[Tensor, Tensor]`; for items of unknown type, `any`. The
 * type tests for lists before typed arrays, because most items are lists, and testing for the eleven kinds of typed
 * arrays takes the compiler 2 ms.
 */
export type Collated<Item> = unknown extends Item ? any : CollatedKnown<Item>;

type CollatedKnown<Item> = Item extends readonly unknown[]
  ? { -readonly [K in keyof Item]: Collated<Item[K]> }
  : Item extends Tensor | number | boolean | bigint
    ? Tensor
    : Item extends string
      ? string[]
      : Item extends TypedArray
        ? Tensor
        : Item extends object
          ? { -readonly [K in keyof Item]: Collated<Item[K]> }
          : never;

function collateTensors(items: readonly Tensor[], where: string): Tensor {
  const [first, ...others] = items.map((item) => native.shape(item).join(", "));
  const other = others.find((shape) => shape !== first);
  if (other !== undefined) {
    throw new RangeError(
      `DataLoader: items${where} differ in shape, [${first}] and [${other}], so they do not stack; pass a collateFn that pads.`,
    );
  }
  return torchFunctions.stack(items);
}

const isNumber = (item: unknown): item is number | bigint | boolean =>
  typeof item === "number" || typeof item === "bigint" || typeof item === "boolean";

/** What `torch.tensor` makes of them, on the CPU. */
function numbersTensor(items: readonly (number | bigint | boolean)[]): Tensor {
  const inferred = scalarsDType(items);
  const { data, dtype } = packElements(items, inferred);
  const tensor = native.fromTypedArray(data, [items.length], dtype);
  return dtype === inferred ? tensor : tensor.to(inferred);
}

/** Wraps a row without a copy, in the array's own dtype: stacking copies it. */
const arrayTensor = (array: TypedArray): Tensor => shareArray(array, [array.length], requireDType(array));

/** A batch that is nested deeper than this contains itself. */
const MAX_LEVELS = 32;

function collateAt(items: readonly unknown[], where: string, level = 0): unknown {
  if (items.length === 0) throw new RangeError(`DataLoader: there are no items${where} to make a batch of.`);
  if (level > MAX_LEVELS)
    throw new RangeError(`DataLoader: items nest deeper than ${MAX_LEVELS} levels; pass a collateFn.`);
  const first = items[0];
  if (items.every((item) => native.isTensor(item))) return collateTensors(items, where);
  if (items.every(isTypedArray)) return collateTensors(items.map(arrayTensor), where);
  if (items.every(isNumber)) return numbersTensor(items);
  if (items.every((item) => typeof item === "string")) return [...items];
  if (items.every((item) => Array.isArray(item))) {
    const lengths = new Set(items.map((item) => item.length));
    if (lengths.size > 1) {
      throw new RangeError(
        `DataLoader: items${where} differ in length (${[...lengths].join(", ")}); pass a collateFn that pads.`,
      );
    }
    return items[0]!.map((_: unknown, i: number) =>
      collateAt(
        items.map((item) => item[i]),
        `${where}[${i}]`,
        level + 1,
      ),
    );
  }
  const plain = (item: unknown): item is Record<string, unknown> =>
    typeof item === "object" && item !== null && !Array.isArray(item) && !native.isTensor(item);
  if (items.every(plain)) {
    const keys = Object.keys(items[0]!);
    return Object.fromEntries(
      keys.map((key) => [
        key,
        collateAt(
          items.map((item) => item[key]),
          `${where}.${key}`,
          level + 1,
        ),
      ]),
    );
  }
  const others = items.filter((item) => typeof item !== typeof first).slice(0, 1);
  throw new TypeError(
    `DataLoader: items${where} cannot be batched: got ${[first, ...others].map((item) => describe(item)).join(" and ")}; ` +
      `pass a collateFn.`,
  );
}

/**
 * A batch from items of one kind: tensors are stacked along a new first dimension, numbers become a tensor [items] (of
 * the dtype that `torch.tensor` gives them), lists and objects are collated member by member, texts stay a list
 * (`torch/utils/data/_utils/collate.py`).
 *
 * @throws RangeError if shapes differ, TypeError if items are of different kinds
 */
export function defaultCollate<Item>(items: readonly Item[]): Collated<Item> {
  return collateAt(checkList("defaultCollate", "items", items), "") as Collated<Item>;
}
