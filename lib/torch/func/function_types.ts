// The types of functions that transforms take and return. Here `any` stands for what is not known of a function: what it is
// called with, and the structure of tensors in which its gradients come.
import type { Tensor } from "../tensor/tensor.ts";

/** A value whose tensors have other shapes: nothing is known of them. */
export type Opened<Value> =
  IsAny<Value> extends true
    ? Structure
    : Value extends Tensor
      ? Tensor
      : Value extends readonly unknown[]
        ? { -readonly [At in keyof Value]: Opened<Value[At]> }
        : Value extends Readonly<Record<string, unknown>>
          ? { [Name in keyof Value]: Opened<Value[Name]> }
          : Value;

/** A function of tensors, of lists or objects of them, and of anything else. */
export type Func = (...inputs: any[]) => unknown;

/** Tensors in the structure of a function's arguments or results. */
export type Structure = any;

/** A function of tensors alone: it tells the compiler what the parameters of a lambda are. */
export type OfTensors = (...inputs: Tensor[]) => unknown;

/** What the first argument of a function is, of which its gradient has the structure. */
export type FirstOf<F extends Func> =
  Parameters<F> extends readonly [infer First, ...unknown[]] ? Opened<First> : Tensor;

type IsAny<Value> = 0 extends 1 & Value ? true : false;
