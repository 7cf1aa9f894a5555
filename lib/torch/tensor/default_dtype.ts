// Sets the default dtype of floating-point numbers: of factories, of `torch.tensor([1.5])`, and of results that
// operators compute from integers. libtorch has one default for the whole process. Types always say float32 for a
// default, and no call is refused for it.
import { isMainThread } from "node:worker_threads";
import { describe } from "../vocabulary/arguments.ts";
import { type DType, isDType, isFloatingDType } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";

/**
 * Returns the dtype of a JavaScript number where no dtype is named: float32, unless `setDefaultDtype` chose another.
 */
export function getDefaultDtype(): DType {
  return native.defaultDtype();
}

/**
 * Sets the dtype of floating numbers whose dtype is not named: `torch.setDefaultDtype("float64")`. Complex numbers get
 * twice its size, at least complex64 except for float16. Source: torch.set_default_dtype of torch/__init__.py.
 *
 * @throws TypeError for a dtype that is not a floating one; Error in a worker thread
 */
export function setDefaultDtype(dtype: DType): void {
  const call = "torch.setDefaultDtype";
  if (typeof dtype !== "string" || !isDType(dtype))
    throw new TypeError(`${call}: ${describe(dtype)} is no dtype; "float64" is one.`);
  if (!isFloatingDType(dtype))
    throw new TypeError(
      `${call}: ${dtype} is no floating dtype; the default is one of float32, float64, float16 and bfloat16, and complex numbers and integers go by it.`,
    );
  if (!isMainThread)
    throw new Error(
      `${call}: the default dtype is the whole process's, and other threads are at work: set it in the session, before the workers start, or name the dtype here.`,
    );
  native.setDefaultDtype(dtype);
}

/** The default dtype of complex numbers, as c10/core/DefaultDtype.cpp pairs them. */
export function defaultComplexDtype(): DType {
  const dtype = getDefaultDtype();
  if (dtype === "float64") return "complex128";
  return dtype === "float16" ? "complex32" : "complex64";
}
