// Converts batches for their way from a worker to the session. Tensors become shared memory, which the other thread
// wraps without a copy; Node clones all else. `{ x: Tensor }` -> `{ x: { shared: Float32Array, shape: [2], dtype:
// "float32" } }`.
import { isPlainObject } from "../../../plain_object.ts";
import type { DType, TypedArray } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";

/** Marks the place of a tensor; no user's item has such a key. */
const SHARED = "mpslab:shared tensor";

interface SharedTensor {
  readonly [SHARED]: TypedArray;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

type ArrayOf = new (buffer: SharedArrayBuffer) => TypedArray;

const ARRAYS: Partial<Record<DType, ArrayOf>> = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

function share(tensor: Tensor): SharedTensor {
  const [device, dtype, shape] = [native.device(tensor), native.dtype(tensor), native.shape(tensor)];
  if (device !== "cpu") {
    throw new TypeError(
      `A worker's batch must be on the CPU, got a tensor on ${device}: move it in the session, batch.to("${device}").`,
    );
  }
  const Elements = ARRAYS[dtype];
  if (Elements === undefined) {
    throw new TypeError(
      `A worker's batch cannot hold ${dtype}: it takes ${Object.keys(ARRAYS).join(", ")}; convert it in the session.`,
    );
  }
  const { BYTES_PER_ELEMENT } = Elements as unknown as { BYTES_PER_ELEMENT: number };
  const elements = new Elements(new SharedArrayBuffer(native.numel(tensor) * BYTES_PER_ELEMENT));
  const target = native.shareTypedArray(elements, shape, dtype);
  target.copy_(tensor.detach());
  native.dispose(target);
  return { [SHARED]: elements, shape, dtype };
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  const changed = change(value);
  if (changed !== value) return changed;
  if (Array.isArray(value)) return value.map((item) => mapValues(item, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapValues(item, change)]));
}

/** Replaces a batch's tensors by shared memory. Runs in the worker, and frees the tensors there. */
export function shareTensors(batch: unknown): unknown {
  const given: Tensor[] = [];
  const shared = mapValues(batch, (value) => {
    if (!native.isTensor(value)) return value;
    given.push(value);
    return share(value);
  });
  for (const tensor of given) native.dispose(tensor);
  return shared;
}

/** Makes tensors over the shared memory. Runs in the session. */
export function wrapTensors(message: unknown): unknown {
  return mapValues(message, (value) => {
    if (!isPlainObject(value) || !(SHARED in value)) return value;
    const { [SHARED]: elements, shape, dtype } = value as unknown as SharedTensor;
    return native.shareTypedArray(elements, shape, dtype);
  });
}
