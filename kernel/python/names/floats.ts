// Knows which of the library's functions give tensors of fractions whatever they take: beside those, a whole number of Python's
// floats changes no dtype.
import { type Kind, isTensor } from "../kinds.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Without a dtype of their own they give float32. */
const MADE = words("rand randn zeros ones empty linspace logspace eye normal hannWindow hammingWindow");
/** They give fractions of whole numbers too. */
const ALWAYS = words(
  "exp expm1 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh tanh sigmoid erf softmax logSoftmax logsumexp mean std var norm div trueDivide reciprocal float half double bfloat16 randLike randnLike mse_loss mseLoss crossEntropy nllLoss binaryCrossEntropy binaryCrossEntropyWithLogits l1Loss smoothL1Loss huberLoss gelu silu linear conv1d conv2d layerNorm batchNorm dropout scaledDotProductAttention normalize",
);
/** What a tensor of fractions gives that is none. */
const OTHER = words(
  "eq ne lt le gt ge isnan isinf isfinite argmax argmin argsort nonzero long int short byte bool all any to type sort topk max min unique bincount countNonzero logicalNot logicalAnd logicalOr logicalXor signbit bucketize searchsorted typeAs view cummax cummin kthvalue median mode",
);

/**
 * The kind of a tensor that a call gives.
 *
 * @param of the kind of the tensor whose method it is, or of the first argument
 * @param dtype the text of the option, or undefined
 */
export function tensorKind(gives: Kind, name: string, of: Kind, dtype: string | undefined): Kind {
  if (!isTensor(gives)) return gives;
  if (dtype !== undefined) return /^"b?float/.test(dtype) ? "tensor float" : "tensor";
  if (MADE.has(name) || ALWAYS.has(name)) return "tensor float";
  return of === "tensor float" && !OTHER.has(name.replace(/_$/, "")) ? "tensor float" : gives;
}
