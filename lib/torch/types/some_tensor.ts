// Declares the type of any tensor, for the constraints of type parameters.

/**
 * By one property that nothing else has: an argument is compared with this and not with six hundred members. And its type
 * is then what the argument is; with `B extends Tensor` the checker infers `any` for what that says nothing of.
 *
 * It bears the name that users know a tensor by, since the checker's messages show constraints.
 */
export interface Tensor {
  requiresGrad: boolean;
}
