// Reads one tensor's properties (shape, dtype, item, ...) from the addon, and disposes of it. Each call passes the
// number kept in the JavaScript wrapper, with which the addon finds the tensor in its pool
// (`native/tensor/tensor_property.h`). If the number is 0, the addon unwraps the object through Node-API, which takes
// longer than a small addition.
import type { Tensor } from "../types/index.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { DType, Layout } from "../vocabulary/dtype.ts";
import { disposedSlot, giveSlot } from "./slots.ts";
import { Wrapper } from "./wrapper.ts";

/** The properties that can be read of one tensor. */
export interface TensorProperties {
  shape(tensor: Tensor): number[];
  stride(tensor: Tensor): number[];
  storageOffset(tensor: Tensor): number;
  dim(tensor: Tensor): number;
  numel(tensor: Tensor): number;
  dtype(tensor: Tensor): DType;
  /** How elements lie in memory: `strided`, or one of the sparse layouts. */
  layout(tensor: Tensor): Layout;
  device(tensor: Tensor): DeviceName;
  isContiguous(tensor: Tensor): boolean;
  /** Bytes and address of the storage, shared by views of it. */
  storage(tensor: Tensor): { readonly bytes: number; readonly address: bigint };
  /** How often operators have written its memory, as PyTorch's `_version`; null for a tensor of inference mode. */
  tensorVersion(tensor: Tensor): number | null;
  /** A number, bigint (int64 beyond 2^53), boolean or `{ re, im }` of a tensor of one element. */
  item(tensor: Tensor): number | bigint | boolean | { re: number; im: number };
  /** Frees the tensor now. Idempotent. A later use throws UseAfterDisposeError that names its cell. */
  dispose(tensor: Tensor): void;
  isDisposed(tensor: Tensor): boolean;
  /** Returns the origin that `setOrigin` had set when the tensor was made. */
  originOf(tensor: Tensor): string;
  /** Nodes of the graph behind a tensor, 100,000 at most. */
  graphNodes(tensor: Tensor): number;
  requiresGrad(tensor: Tensor): boolean;
  isLeaf(tensor: Tensor): boolean;
}

/** Properties that are lists of integers. */
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
  "tensorVersion",
  "item",
  "requiresGrad",
  "isLeaf",
  "isDisposed",
  "graphNodes",
  "originOf",
] as const;

type List = (typeof LISTS)[number];
type Value = (typeof VALUES)[number];

/** The addon's functions behind these properties. `number` is 0 if the wrapper has none. */
export type PropertyAddon = {
  readonly [Name in Value]: (number: number, tensor: Tensor) => ReturnType<TensorProperties[Name]>;
} & {
  /** Writes the numbers into `exchange`, their count first. Returns a list if they are too many for it. */
  readonly [Name in List]: (number: number, tensor: Tensor) => number[] | undefined;
} & {
  readonly exchange: Float64Array;
  /** Writes into `exchange` the number that the wrapper has from now on, 0 if it keeps its own. */
  dispose(number: number, tensor: Tensor): void;
};

export function makePropertyReaders(addon: PropertyAddon): TensorProperties {
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
  ]) as unknown as TensorProperties;
}
