// Declares a tensor as the compiler sees it: the members of every tensor, and what is known of this one.
//
//     torch.zeros([2, 3])                     Tensor<[2, 3], "float32">: on the default device, whichever it is
//     torch.zeros([rows, 3])                  Tensor<[any, 3], "float32">: a batch of unknown size
//     (x: Tensor) => x                        Tensor: any tensor
//     cond ? zeros([2]) : zeros([3])          Tensor<[2], "float32"> | Tensor<[3], "float32">
//
// What is not known is `any`, as in gradual typing: it is assignable to anything known, and anything is assignable to
// it. What is known and differs is refused: a `Tensor<[3, 3]>` for a parameter of type `Tensor<[2, 3]>`.
//
// All shapes share one interface of members without parameters, which the checker resolves once. A result depends on
// the tensor that a member is called on, so each member has its own `this: A`, without a constraint. With `this:
// Tensor<Shape>`, or with parameters of this interface, a union of two shapes could not be called.
//
// This file imports nothing, so that every folder may name a tensor. Other folders add members by augmentation
// (`declare module`): `tensor/` its operators and methods, `autograd/` gradients and hooks.

/** The members of every tensor, whatever is known of it. Other folders augment it. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Members {}

/** A type only: no tensor has this property at run time. */
declare const KNOWN: unique symbol;

/**
 * The type behind the public name `Tensor` (`tensor.ts`). An unknown part is `any`.
 *
 * The variance of its parameters is declared, so that two tensors are compared by what is known of them and not by six
 * hundred members.
 */
export interface Tensor<out Shape = any, out Type = any, out Device = any> extends Members {
  /** Exists in the type only. */
  readonly [KNOWN]?: readonly [Shape, Type, Device];
}
