// Converts ATen's operator names to camelCase, and decides which operators are public.

/** `index_select` -> `indexSelect`, `nan_to_num_` -> `nanToNum_`, `atleast_1d` -> `atleast1d` */
export function camelCase(name: string): string {
  return name.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns an operator's public name in its module: `norm` for `linalg_norm` of `linalg`. */
export function publicName(name: string, module: string): string {
  return camelCase(name.startsWith(`${module}_`) ? name.slice(module.length + 1) : name);
}

/**
 * Operators for which PyTorch's Python takes or returns other things than ATen. `composed.ts` and `norm.ts` write them,
 * and `torch.ts` shows them.
 */
const COMPOSED = ["unique_consecutive", "nonzero", "cdist", "tensordot", "norm", "stft"];

/**
 * Functions for which PyTorch's Python takes a number in place of the first tensor, where ATen's operator takes tensors:
 * `should_allow_numbers_as_tensors` of torch/csrc/utils/python_arg_parser.cpp.
 */
export const NUMBER_FIRST: ReadonlySet<string> = new Set([
  "add",
  "div",
  "divide",
  "floor_divide",
  "mul",
  "multiply",
  "sub",
  "subtract",
  "true_divide",
]);

/** Methods that `tensor.ts` implements itself, or has as a property. */
const OWN_METHODS = new Set([
  ...COMPOSED,
  "data",
  "set_data",
  "item",
  "size",
  "stride",
  "storage_offset",
  "dim",
  "numel",
  "is_leaf",
  "requires_grad_",
  "retain_grad",
  "retains_grad",
  "output_nr",
  "to",
  "is_contiguous",
  "get_device",
  "is_pinned",
  "numpy_T",
  "mT",
  "mH",
  "matrix_H",
  "nonzero_numpy",
  "record_stream",
  "set_",
  "qscheme",
]);

/** Functions that `torch.ts` writes itself, or that only make sense inside libtorch. */
const OWN_FUNCTIONS = new Set([
  ...COMPOSED,
  "slice",
  "full",
  "size",
  "stride",
  "is_leaf",
  "record_stream",
  "from_file",
  "sparse_coo_tensor",
  "sparse_compressed_tensor",
  "sparse_csr_tensor",
  "sparse_csc_tensor",
  "sparse_bsr_tensor",
  "sparse_bsc_tensor",
  "sparse_sampled_addmm",
  "set_",
  "qscheme",
]);

/** Derivatives and parts of other operators, which are reached only through `torch.ops`. */
const INTERNAL =
  /^_|_backward(_|$)|_forward$|_jvp$|__|^(cudnn|miopen|mkldnn|native|quantized|fbgemm|hspmm|sspaddmm)_|_copy$|^sym_/;

export function isPublicMethod(name: string): boolean {
  return (!INTERNAL.test(name) || name === "index_copy") && !OWN_METHODS.has(name);
}

export function isPublicFunction(name: string): boolean {
  return (!INTERNAL.test(name) || name === "index_copy") && !OWN_FUNCTIONS.has(name);
}

const RESERVED = new Set(["var", "function", "in", "default", "with", "new", "this", "delete", "for", "if"]);

/** An argument's name in a signature. */
export function parameterName(name: string): string {
  const camel = camelCase(name);
  return RESERVED.has(camel) ? `${camel}_` : camel;
}
