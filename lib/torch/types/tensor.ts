// A tensor as the compiler knows it: what every tensor can do, and what is known of this one. Pure types; knows no
// operator.
//
//     torch.zeros([2, 3])                     Tensor<[2, 3], "float32">: on whatever device is the default
//     torch.zeros([rows, 3])                  Tensor<[any, 3], "float32">: a batch of unknown size
//     (x: Tensor) => x                        Tensor: any tensor
//     cond ? zeros([2]) : zeros([3])          Tensor<[2], "float32"> | Tensor<[3], "float32">
//
// What is not known is `any`, as gradual typing has it: it goes wherever something known is asked for, and takes what
// comes. What is known and differs is refused: a `Tensor<[3, 3]>` where a `Tensor<[2, 3]>` is asked for.
//
// The members are of an interface without parameters, which all shapes share: the checker resolves it once. What a
// result is depends on the tensor that a member is called on, so each has a `this: A` of its own. It asks for nothing:
// with `this: Tensor<Shape>`, or the parameters of this interface, a union of two shapes could not be called.
//
// This file imports nothing, so that every room may name a tensor. The rooms above add members by augmentation
// (`declare module`): `tensor/` its operators and methods, `autograd/` gradients and hooks.

/** What every tensor has, whatever is known of it: see the rooms that augment it. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Members {}

/** A type alone: no tensor has it when it runs. */
declare const KNOWN: unique symbol;

/**
 * What `Tensor` stands for (`tensor.ts`). `any` is what is not known.
 *
 * The variance of its parameters is declared, so that two tensors are compared by what is known of them and not by six
 * hundred members.
 */
export interface Tensor<out Shape = any, out Type = any, out Device = any> extends Members {
  /** In the type alone. */
  readonly [KNOWN]?: readonly [Shape, Type, Device];
}
