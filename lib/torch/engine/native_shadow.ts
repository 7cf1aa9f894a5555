// Declares what the addon reports about operators whose results it compared with those of the CPU. Types only.
import type { Tensor } from "../types/index.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { DType } from "../vocabulary/dtype.ts";

export interface NativeShadowOptions {
  /** The device whose operators are compared. */
  readonly device: DeviceName;
  /** The share of the loop's time that comparing may take; null if every call is compared. */
  readonly share: number | null;
  /** The seed that decides, together with the share, which calls are compared. */
  readonly seed: number;
  /** By how many times the bound of rounding a result may be off. */
  readonly tolerance: number;
  /** The same for single operators that differ. */
  readonly tolerances: Readonly<Record<string, number>>;
}

/** Calls of one operator whose tensors have equal dtypes, sizes and strides. */
export interface ComparedKind {
  /** The dispatcher's name, without `aten::`. */
  readonly operator: string;
  readonly calls: number;
  readonly compared: number;
  readonly spentMs: number;
  /** Why a call of this kind was not compared; empty if all were. */
  readonly leftOut: string;
}

/** A tensor among a call's arguments. */
export interface ShadowTensor {
  /** On the CPU: the elements of the memory that the arguments see, from element `start` on, as one dimension. */
  readonly tensor: Tensor;
  /** Arguments with the same number share their memory. */
  readonly memory: number;
  readonly start: number;
  readonly dtype: DType;
  readonly onDevice: boolean;
  /** Whether it stands for a number, as in `x.mul(2)`. */
  readonly isNumber: boolean;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** `named`: a dtype, a layout or a memory format. */
export type ShadowValue =
  | ShadowTensor
  | { readonly named: string }
  | { readonly device: string }
  | { readonly re: number; readonly im: number }
  | readonly ShadowValue[]
  | number
  | bigint
  | boolean
  | string
  | null;

export interface ShadowArgument {
  readonly name: string;
  readonly keywordOnly: boolean;
  readonly value: ShadowValue;
}

/** A result that is further from the CPU's than rounding explains. */
export interface NativeFinding {
  readonly operator: string;
  readonly overload: string;
  readonly arguments: readonly ShadowArgument[];
  /** `result`, `result 1`, `grad_weight`, `self after the call`. */
  readonly result: string;
  /** Its index among the results of the call. */
  readonly place: number;
  /** How many results the schema names. */
  readonly returns: number;
  /** How shapes or dtypes differ; empty if the elements do. */
  readonly shapes: string;
  /** Copies on the CPU; null if shapes differ. */
  readonly device: Tensor | null;
  readonly cpu: Tensor | null;
  readonly worstAt: readonly number[];
  readonly deviceValue: number;
  readonly cpuValue: number;
  readonly exactValue: number;
  readonly allowed: number;
  readonly wrongElements: number;
  /** The user's lines of the stack. */
  readonly stack: string;
  /** The node of the backward that called the operator; empty in a forward. */
  readonly node: string;
}

export interface NativeShadow {
  /**
   * From now on compares the results of operators with those of the CPU.
   *
   * @throws TypeError if a step is already watched or captured
   */
  beginShadow(options: NativeShadowOptions): void;
  /** Ends the comparison; null if nothing was being compared. */
  endShadow(): {
    readonly elapsedMs: number;
    readonly spentMs: number;
    readonly kinds: readonly ComparedKind[];
    readonly finding: NativeFinding | null;
  } | null;
}
