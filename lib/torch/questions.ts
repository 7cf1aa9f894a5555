// What the addon is asked about one tensor, as its shape: the number that the wrapper keeps goes with it, and spares
// Node-API the search for its tensor (`native/tensor/tensor_property.h`). Knows no operator.
import type { Native } from "./native.ts";
import type { Tensor } from "./tensor.ts";
import { disposedSlot, giveSlot } from "./slots.ts";
import { Wrapper } from "./wrapper.ts";

/** Answered with a list of integers. */
const LISTS = ["shape", "stride"] as const;

const VALUES = [
  "storageOffset",
  "dim",
  "numel",
  "dtype",
  "layout",
  "device",
  "isContiguous",
  "storage",
  "item",
  "requiresGrad",
  "isLeaf",
  "isDisposed",
  "graphNodes",
  "originOf",
] as const;

type List = (typeof LISTS)[number];
type Value = (typeof VALUES)[number];
export type Question = List | Value | "dispose";

/** What the addon gives for them. `number`: 0 where the wrapper has none. */
export type QuestionAddon = {
  readonly [Name in Value]: (number: number, tensor: Tensor) => ReturnType<Native[Name]>;
} & {
  /** In `exchange`, how many there are first; a list where they are too many for it. */
  readonly [Name in List]: (number: number, tensor: Tensor) => number[] | undefined;
} & {
  readonly exchange: Float64Array;
  /** In `exchange`, the number that the wrapper has from now on, 0 where it keeps its own. */
  dispose(number: number, tensor: Tensor): void;
};

export function makeQuestions(addon: QuestionAddon): Pick<Native, Question> {
  const { exchange } = addon;

  const value = (name: Value) => {
    const ask: (number: number, tensor: Tensor) => unknown = addon[name];
    return (tensor: Tensor) => ask(Wrapper.number(tensor), tensor);
  };
  const list = (name: List) => {
    const ask = addon[name];
    return (tensor: Tensor) => {
      const many = ask(Wrapper.number(tensor), tensor);
      if (many) return many;
      const length = exchange[0]!;
      const integers: number[] = [];
      for (let i = 1; i <= length; i++) integers.push(exchange[i]!);
      return integers;
    };
  };

  const disposeTensor = addon.dispose;
  const dispose = (tensor: Tensor) => {
    const slot = Wrapper.slot(tensor);
    disposeTensor(slot.number, tensor);
    const number = exchange[0]! | 0;
    if (number === 0) return;
    Wrapper.setSlot(tensor as unknown as Wrapper, disposedSlot(number));
    giveSlot(slot);
  };

  return Object.fromEntries([
    ["dispose", dispose],
    ...VALUES.map((name) => [name, value(name)]),
    ...LISTS.map((name) => [name, list(name)]),
  ]) as Pick<Native, Question>;
}
