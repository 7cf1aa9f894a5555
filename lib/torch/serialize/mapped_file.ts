// Maps files as memory. Bytes stay on the disk until they are used, and writes to them stay in memory.
import { bytesOf, type DType } from "../vocabulary/dtype.ts";
import { makeOperator } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

const fromFile = makeOperator("from_file");

/** A whole file as uint8 [bytes]. It must not change or become shorter while a part of it is in use. */
export function mapFile(path: string, bytes: number): Tensor {
  const isShared = false;
  return fromFile(path, isShared, bytes, { dtype: "uint8", device: "cpu" }) as Tensor;
}

/** A part of a mapped file as numbers [count]. It is a copy if the part does not begin at a multiple of their size. */
export function partOf(mapped: Tensor, begin: number, bytes: number, dtype: DType): Tensor {
  const part = mapped.narrow(0, begin, bytes);
  const aligned = begin % bytesOf(dtype) === 0 ? part : part.clone();
  return dtype === "uint8" ? aligned : aligned.view(dtype);
}
