// Declares the type of any tensor, for the constraints of type parameters.

/**
 * Identifies a tensor by one property that no other type has. The checker compares an argument with this and not with
 * six hundred members. The inferred type is then the argument's own; with `B extends Tensor` the checker infers `any`
 * for every unknown part.
 *
 * It bears the name that users know a tensor by, since the checker's messages show constraints.
 */
export interface Tensor {
  requiresGrad: boolean;
}
