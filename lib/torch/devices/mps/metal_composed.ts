// Lists operators that PyTorch composes of one that Metal lacks. PyTorch's own list of operators does not contain
// this. `test/simulated_metal/supports.test.ts` compares the table with what happens.

/** Each with the operator that is missing, for some arguments or all; a name without an overload is of all overloads. */
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

/** `MPSFallback.mm` sends these to the CPU, also where parts of them have a kernel. */
export const ALWAYS_ON_CPU: ReadonlySet<string> = new Set([
  "linalg_svd",
  "linalg_svd.U",
  "embedding_renorm_",
]);

/** Computed in float64, whatever they are given; Metal has none. */
export const COMPUTED_IN_FLOAT64: ReadonlySet<string> = new Set(["float_power", "float_power_"]);
