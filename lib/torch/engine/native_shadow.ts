// Declares what the addon tells of operators whose results it compared with the CPU's. Types only.
import type { Tensor } from "../types/index.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { DType } from "../vocabulary/dtype.ts";

export interface NativeShadowOptions {
  /** The device whose operators are compared. */
  readonly device: DeviceName;
  /** The part of the loop's time that comparing may take; null where every call is compared. */
  readonly share: number | null;
  /** Decides with the share which calls are compared. */
  readonly seed: number;
  /** How many bounds of rounding are allowed. */
  readonly tolerance: number;
  /** The same by operator, where that differs. */
  readonly tolerances: Readonly<Record<string, number>>;
}

/** Calls of one operator whose tensors have like dtypes, sizes and strides. */
export interface ComparedKind {
  /** The dispatcher's name, without `aten::`. */
  readonly operator: string;
  readonly calls: number;
  readonly compared: number;
  readonly spentMs: number;
  /** Why one of its calls was not compared; empty where there was none. */
  readonly leftOut: string;
}

/** A tensor among a call's arguments. */
export interface ShadowTensor {
  /** On the CPU: the elements of its memory that the arguments see, from element `start` on, in one dimension. */
  readonly tensor: Tensor;
  /** Arguments of one number share their memory. */
  readonly memory: number;
  readonly start: number;
  readonly dtype: DType;
  readonly onDevice: boolean;
  /** It stands for a number: `x.mul(2)`. */
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
  /** Its place among the results of the call. */
  readonly place: number;
  /** How many results the schema names. */
  readonly returns: number;
  /** How shapes or dtypes differ; empty where elements do. */
  readonly shapes: string;
  /** Copies on the CPU; null where shapes differ. */
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
   * Compares from now on what operators give with what the CPU gives.
   *
   * @throws TypeError where a step is watched already, or captured
   */
  beginShadow(options: NativeShadowOptions): void;
  /** Ends that; null where nothing is watched. */
  endShadow(): {
    readonly elapsedMs: number;
    readonly spentMs: number;
    readonly kinds: readonly ComparedKind[];
    readonly finding: NativeFinding | null;
  } | null;
}
