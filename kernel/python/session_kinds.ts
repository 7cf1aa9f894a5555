// Reads what earlier cells have made from the types that the language server prints.
import type { Kind } from "./kinds.ts";

/**
 * `Tensor<[2, 3], "float32">` -> `tensor`; "" where the type says nothing that the converter uses.
 *
 * @param classes of cells above
 */
export function kindOfType(type: string, classes: ReadonlyMap<string, string>): Kind {
  const text = type
    .replace(/import\("[^"]*"\)\./g, "")
    .replace(/\b__mpslab_\w+\./g, "")
    .trim();
  if (classes.has(text)) return `object ${text}`;
  if (/^(number|boolean)$/.test(text)) return text;
  if (text === "string" || /^"[^"]*"$/.test(text)) return "text";
  if (text.startsWith("Record<string,")) return "dict";
  if (/^typeof [A-Za-z_$][\w$]*$/.test(text)) return "class of library";
  if (/^Set<|^Map</.test(text)) return text.startsWith("Set") ? "set" : "";
  if (/^(?:readonly )?Tensor(?:<.*>)?\[\]$/.test(text)) return "list tensor";
  if (/^(?:readonly )?(number|string)\[\]$/.test(text))
    return text.includes("number") ? "list number" : "list text";
  if (text.endsWith("[]") || /^(?:readonly )?\[.*\]$/s.test(text)) return "list";
  if (/^(?:Tensor|Parameter|Buffer)\b/.test(text)) return "tensor";
  const name = /^(?:(nn|optim|data|amp|lab|lrScheduler)\.)?([A-Z]\w*)(?:<.*>)?$/s.exec(text);
  if (name === null) return "";
  const [, space, of = ""] = name;
  if (space !== undefined) return `object ${space === "lrScheduler" ? "optim.lrScheduler" : space}.${of}`;
  if (OPTIMIZERS.has(of)) return `object optim.${of}`;
  if (of === "DataLoader" || of.endsWith("Dataset")) return `object data.${of}`;
  return LAYER.test(of) ? `object nn.${of}` : "";
}

const OPTIMIZERS = new Set(
  "SGD Adam AdamW Adagrad Adadelta Adamax NAdam RAdam RMSprop Rprop LBFGS ASGD SparseAdam Adafactor Muon".split(
    " ",
  ),
);
const LAYER =
  /^(?:Linear|Sequential|ModuleList|ModuleDict|Embedding|Conv\w+|\w+Norm\w*|Dropout\w*|ReLU|GELU|Tanh|Sigmoid|LSTM|GRU|RNN|MultiheadAttention|\w+Loss|Transformer\w*|Flatten|\w+Pool\w*)$/;
