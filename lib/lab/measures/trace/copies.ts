// Lists the copies that one run of a step makes between kinds of devices, each with its bytes and its line. It marks
// copies of data that this run copied before and has not changed since.
import { native } from "../../../torch/engine/native.ts";
import type { ObservedCall } from "../../../torch/engine/observe.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { crossing, kindOf } from "./phases.ts";

export interface DeviceCopy {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly line: string | null;
  /**
   * The line on which this run of the step copied the same elements, unchanged since, to the same kind of device
   * before; null if it did not. Runs are not compared with each other: `lab.trace` runs the step several times with one
   * batch, but training has a new batch each time.
   */
  readonly stagedBefore: { readonly line: string | null } | null;
}

/** A copied tensor. It is held so that its memory is not reused meanwhile. */
interface Staged {
  readonly source: Tensor;
  readonly elements: string;
  readonly version: number;
  readonly line: string | null;
}

export class Copies {
  #staged: Staged[] = [];

  /** Returns the copy that a call made; null for any other call. */
  of(call: ObservedCall, line: string | null): DeviceCopy | null {
    const found = crossing(call);
    if (found === null || native.layout(found.source) !== "strided") return null;
    const { source, to } = found;
    const elements = `${to} ${elementsOf(source)}`;
    const version = versionOf(source);
    this.#staged = this.#staged.filter((staged) => !native.isDisposed(staged.source));
    const before = this.#staged.find((staged) => staged.elements === elements && staged.version === version);
    this.#staged.push({ source, elements, version, line });
    return {
      from: kindOf(source),
      to,
      bytes: source.nbytes,
      line,
      stagedBefore: before === undefined ? null : { line: before.line },
    };
  }
}

/** The tensor's memory, and the part of it that the tensor shows. */
function elementsOf(tensor: Tensor): string {
  const { address } = native.storage(tensor);
  return [
    address,
    native.storageOffset(tensor),
    ...native.shape(tensor),
    "by",
    ...native.stride(tensor),
  ].join(" ");
}

/**
 * The version counter, which grows with each change in place. A tensor of inference mode has none; it then equals no
 * other.
 */
function versionOf(tensor: Tensor): number {
  try {
    return Number(native.call(native.operator("_version"), tensor));
  } catch {
    return Number.NaN;
  }
}
