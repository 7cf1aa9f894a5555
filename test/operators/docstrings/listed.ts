// Examples of PyTorch's docstrings that do not print the same here, each with the reason.
const NOT_HERE = "is not among the operators here";
const SHOWN_ALIKE = "a parameter shows as a tensor here, without `Parameter containing:`";
const PRUNING = "there is no torch.nn.utils.prune here";
const NO_TENSOR = "a call without a tensor is refused here";

export const LISTED: Readonly<Record<string, string>> = {
  "_tensor.Tensor.dim_order": "dim_order is not here: stride() tells the order",
  "_tensor_docs.grad_dtype": "a gradient has its tensor's dtype here",
  "torch.frombuffer": "Python's array and bytes are typed arrays here: torch.fromTypedArray",
  "torch.from_file": "numpy writes the file, and no file is mapped here",
  "torch.narrow_copy": "narrow_copy is not here: narrow(...).clone()",
  "torch.set_flush_denormal": `set_flush_denormal ${NOT_HERE}`,
  "torch.sparse_compressed_tensor": "the size stands before the layout here, null where it is to be found",
  "torch.empty_permuted": "memory formats are texts here",
  "torch.quantized_batch_norm": `quantized_batch_norm ${NOT_HERE}`,
  "torch.quantized_max_pool1d": `quantized_max_pool1d ${NOT_HERE}`,
  "torch.quantized_max_pool2d": `quantized_max_pool2d ${NOT_HERE}`,
  "torch.Event": "events are those of a device: cuda.Event, mps.Event",
  "autograd.grad_mode.no_grad": SHOWN_ALIKE,
  "functional.einsum": "an equation is a text here, and no lists of numbers",
  "functional.atleast_1d": NO_TENSOR,
  "functional.atleast_2d": NO_TENSOR,
  "functional.atleast_3d": NO_TENSOR,
  "linalg.__init__._linalg.linalg__powsum": `_powsum ${NOT_HERE}`,
  "torch.native_channel_shuffle": `native_channel_shuffle ${NOT_HERE}: functional.channelShuffle`,
  "nn.modules.loss.LinearCrossEntropyLoss": "LinearCrossEntropyLoss is not among the layers here",
  "nn.modules.loss.CTCLoss": "a size is a number here, and the example's a tensor",
  "nn.modules.sparse.Embedding": SHOWN_ALIKE,
  "nn.utils.init.skip_init": "there is no torch.nn.utils.skip_init here",
  "nn.utils.prune.ln_structured": PRUNING,
  "nn.utils.prune.global_unstructured": PRUNING,
  "nn.utils.prune.custom_from_mask": PRUNING,
  "nn.utils.prune.is_pruned": PRUNING,
  "nn.utils.rnn.unpad_sequence": "PyTorch's transposes its input in place, and ours leaves it as it is",
  "utils.data.dataset.IterableDataset": "the docstring has two classes of one name, and a cell has one",
};
