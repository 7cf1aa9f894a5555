// Lists operators that PyTorch composes of an operator that Metal lacks, which PyTorch's own list of operators does not
// show. `test/simulated_metal/supports.test.ts` compares the table with what really happens.

/**
 * Each operator with the missing operator that it calls, for some or all arguments. A name without an overload stands
 * for all overloads.
 */
export const COMPOSED_OF_MISSING: Readonly<Record<string, string>> = {
  adaptive_avg_pool3d: "_adaptive_avg_pool3d",
  linalg_eigvals: "linalg_eig",
  linalg_ldl_factor: "linalg_ldl_factor_ex",
  linalg_pinv: "linalg_svd",
  multilabel_margin_loss: "multilabel_margin_loss_forward",
  pdist: "_pdist_forward",
  pinverse: "linalg_svd",
  rrelu: "rrelu_with_noise",
  "std.out": "std.correction_out",
  svd: "linalg_svd",
  "var.out": "var.correction_out",
};

/** `MPSFallback.mm` always sends these to the CPU, even if parts of them have a kernel. */
export const ALWAYS_ON_CPU: ReadonlySet<string> = new Set([
  "linalg_svd",
  "linalg_svd.U",
  "embedding_renorm_",
]);

/** These compute in float64 for any argument; Metal has no float64. */
export const COMPUTED_IN_FLOAT64: ReadonlySet<string> = new Set(["float_power", "float_power_"]);
