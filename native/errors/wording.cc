// Rewords libtorch's messages. Decides which class of error a text means, removes the parts for libtorch's
// own developers or for Python, and adds what to do if libtorch does not say it. Works on texts only.
#include "errors/wording.h"

#include <initializer_list>
#include <regex>

namespace mpslab {
namespace {

bool containsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool saysOutOfMemory(std::string_view text) {
  return containsAny(text,
                     {"out of memory", "not enough memory", "can't allocate memory", "Invalid buffer size"});
}

bool saysUnsupported(std::string_view text) {
  return containsAny(
      text, {"Could not run '", "not implemented for", "not currently implemented for", "not supported on",
             "is not implemented", "without MPS backend", "is not supported for"});
}

bool saysDeviceMismatch(std::string_view text) {
  return containsAny(
      text, {"on the same device", "same device", "Expected tensor on device", "device type for generator"});
}

/// Comes before the check for wrong ranges, because a dtype is always named in one of these ways: `expected
/// scalar type Float but found Long`. Wrong shapes and indices are named in many ways.
bool saysWrongDtype(std::string_view text) {
  return containsAny(text, {"dtype", "scalar type", "ScalarType", "data type", "can't be cast",
                            "floating point", "same type"});
}

bool saysWrongRange(std::string_view text) {
  return containsAny(text, {"size",
                            "shape",
                            "imension",
                            "out of range",
                            "out of bounds",
                            "negative",
                            "overflow",
                            "index",
                            "length",
                            "must be in",
                            "must be greater",
                            "must be less",
                            "must be positive",
                            "must match",
                            "elements",
                            "to be less than",
                            "must be nonzero",
                            "unsupported range",
                            "singular",
                            "square matrices",
                            "non-empty",
                            "to be greater than",
                            "inconsistent with",
                            "duplicate dims",
                            "D tensor",
                            "a matrix",
                            "columns",
                            "positive-definite",
                            "distribution",
                            ">=",
                            "data points",
                            "subscript",
                            "operands",
                            "At least one of"});
}

Meaning meaningOf(std::string_view text) {
  if (saysOutOfMemory(text)) return Meaning::OutOfMemory;
  if (saysDeviceMismatch(text)) return Meaning::DeviceMismatch;
  if (saysUnsupported(text)) return Meaning::Unsupported;
  if (saysWrongDtype(text)) return Meaning::Type;
  if (saysWrongRange(text)) return Meaning::Range;
  return Meaning::Other;
}

/// Whether libtorch refuses a tensor because it is int64, which JavaScript's whole numbers become, also when
/// written 1.0. A text that asks for int64 (for an index or a class) is not such a refusal. `Long but found
/// Float` is one only if the int64 tensor came first.
bool refusesWholeNumbers(std::string_view text, std::string_view arguments) {
  if (arguments.find(" int64 [") == std::string_view::npos) return false;
  if (text.find("expected scalar type Long but found") != std::string_view::npos) {
    return arguments.find(" int64 [") == arguments.find(' ');
  }
  // These texts name no dtype. They mean one argument whose dtype differs from the others'.
  if (containsAny(text, {"equal to src.dtype", "q tensor must be same dtype"})) {
    return containsAny(arguments, {"src int64 [", "q int64 ["});
  }
  return containsAny(text, {"not implemented for 'Long'",
                            "ot: Long",
                            "ot Long",
                            "Float but found Long",
                            "ound dtype Long but expected",
                            "but found Long and",
                            "dtype is Long",
                            "long int !=",
                            "!= long int",
                            "Long and Float",
                            "Float and Long",
                            "desired output type Long",
                            "desired output type long int",
                            "Long did not match",
                            "did not match Long",
                            "source (Long)",
                            "source.dtype = Long",
                            "Integer division with addcdiv",
                            "Integers to negative integer powers",
                            "types other than float and double",
                            "Integral inputs not supported",
                            "only support floating point",
                            "only supports floating-point",
                            "must be either float or double dtype"});
}

/// Replacements for texts that use Python's spelling or C++'s types, or that do not say what to do.
struct Reworded {
  std::string_view says;
  Meaning meaning;
  /// Replaces the text; empty if the text stays.
  std::string_view text;
  std::string_view wayOut;
};

constexpr std::string_view kFloats =
    "Whole numbers make int64: write { dtype: \"float32\" } where they become a tensor, or convert it with "
    "x.float().";

constexpr Reworded kReworded[] = {
    {"invalid low watermark ratio", Meaning::Range, "",
     "Set PYTORCH_MPS_LOW_WATERMARK_RATIO, 1.4 by default, to at most the high one, before libtorch is "
     "loaded."},
    {"invalid high watermark ratio", Meaning::Range, "",
     "Set PYTORCH_MPS_HIGH_WATERMARK_RATIO to a number from 0 to 2, before libtorch is loaded."},
    {"Trying to resize storage that is not resizable", Meaning::Type,
     "the tensor's memory cannot be resized while an array shares it, as the one that data() gave does",
     "Resize a clone() of it."},
    {"m1 and m2 to have the same dtype", Meaning::Type, "the matrices must have the same dtype",
     "Convert one, as in x.to(\"float32\")."},
    {"backward through the graph a second time", Meaning::Other,
     "the operations that backward() needs were freed by the first backward()",
     "Keep them in the first one: backward(null, { retainGraph: true })."},
    {"appears to not have been used in the graph", Meaning::Other,
     "the outputs do not depend on one of the inputs",
     "Leave it out, or say { allowUnused: true } and get null for it."},
    {"a view of a leaf Variable that requires grad", Meaning::Type,
     "a view of a leaf tensor that requires gradients cannot be changed in place",
     "Change it inside torch.noGrad(() => ...), or use the operator without the underscore."},
    {"a leaf Variable that requires grad", Meaning::Type,
     "a leaf tensor that requires gradients cannot be changed in place",
     "Change it inside torch.noGrad(() => ...), or use the operator without the underscore."},
    {"has been modified by an inplace operation", Meaning::Other, "",
     "Use the operator without the underscore, or change a clone(). If an optimizer's step() changed a "
     "parameter, call backward() before it; a recurrent state that goes on to the next step needs detach()."},
    {"Setting requires_grad=True on inference tensor", Meaning::Type,
     "a tensor made in inferenceMode cannot require gradients outside of it",
     "Use a clone() of it, or make it in noGrad."},
    {"returned an invalid gradient at index", Meaning::Range, "",
     "A backward returns for each input a gradient of its shape."},
    {"Inplace update to inference tensor", Meaning::Type,
     "a tensor made in inferenceMode cannot be changed in place outside of it", "Change a clone() of it."},
    {"Inference tensors cannot be saved for backward", Meaning::Type,
     "a tensor made in inferenceMode cannot take part in recorded operations",
     "Use a clone() of it, or make it in noGrad."},
    {"grad can be computed only for real scalar outputs", Meaning::Type,
     "only real numbers have gradients without one being given, and this one is complex",
     "Reduce it, as with x.abs().sum(), or give a gradient."},
    {"attempted to run this operator with Meta tensors", Meaning::DeviceMismatch,
     "a tensor on the device meta has a shape and no values to read", "Make it on another device."},
    {"Cannot copy out of meta tensor", Meaning::DeviceMismatch,
     "a tensor on the device meta has a shape and no values to copy",
     "Make one of its shape: torch.emptyLike(x, { device: \"cpu\" })."},
    {"calling .item() on a Tensor", Meaning::Type,
     "inside of torch.func.vmap a tensor stands for all examples, and has no one number",
     "Compute with operators: torch.where(condition, a, b) chooses for each example."},
    {"may have escaped from inside a function being vmapped", Meaning::Type,
     "this tensor was made inside of a function that torch.func.vmap ran, and stands for nothing outside of "
     "it",
     "Return it from the function."},
    {"in randomness error mode", Meaning::Type,
     "torch.func.vmap refuses random operators unless it is told what they do",
     "{ randomness: \"different\" } draws for each example, \"same\" once for all."},
    {"Batch norm got a batched tensor", Meaning::Type,
     "inside of torch.func.vmap a batch norm cannot update running statistics, which all examples share",
     "Make it with { trackRunningStats: false }, or call model.eval() before."},
    {"vmap: inplace arithmetic", Meaning::Type,
     "inside of torch.func.vmap an operator cannot write to a tensor that all examples share",
     "Use the operator without the underscore."},
    {"Cannot access storage of BatchedTensorImpl", Meaning::Type,
     "inside of torch.func.vmap a tensor stands for all examples, and has no values of its own to read",
     "Return it, and read what vmap gives."},
    {"Cannot access storage of TensorWrapper", Meaning::Type,
     "inside of a function that torch.func differentiates, a tensor's values cannot be read as an array",
     "Print it, read x.item(), or return it beside the loss with { hasAux: true }."},
    {"Cannot access storage of", Meaning::Unsupported,
     "this operator reads elements in order, which a sparse tensor does not keep",
     "Convert it with x.toDense()."},
    {"cannot create std::vector", Meaning::Range, "the sizes are too large", ""},
    {"There were no tensor arguments", Meaning::Type, "at least one tensor must be given", ""},
    {"does not have a deterministic implementation", Meaning::Unsupported,
     "it has no deterministic algorithm, and torch.useDeterministicAlgorithms(true) wants one",
     "Put torch.useDeterministicAlgorithms(false) before it, or let it warn: "
     "torch.useDeterministicAlgorithms(true, { warnOnly: true })."},
    {"singular", Meaning::Range, "",
     "linalg.pinv() and linalg.lstsq() take singular matrices; a small multiple of torch.eye() makes one "
     "regular."},
    {"Dimension size must be non-negative", Meaning::Range, "sizes must be 0 or more", ""},
    {"p_in >= 0 && p_in <= 1", Meaning::Range, "the probabilities must lie between 0 and 1", ""},
    {"sum of probabilities <= 0", Meaning::Range, "the probabilities of a row must add up to more than 0",
     ""},
    {"desired ordering of dimensions", Meaning::Range,
     "the order must name every dimension of the tensor once", ""},
    {"duplicate dims are not allowed", Meaning::Range,
     "the order must name every dimension of the tensor once", ""},
    {"selected index k out of range", Meaning::Range, "k must lie between 0 and the size of the dimension",
     ""},
    {"positive-definite", Meaning::Range, "",
     "A small multiple of torch.eye() makes a nearly singular one positive-definite."},
    {"operands were provided", Meaning::Range, "",
     "Give one tensor for each group of letters before the arrow."},
    {"\" not implemented for '", Meaning::Unsupported, "", "Convert it to another dtype with x.to(...)."},
};

/// Cuts what is meant for libtorch's own developers (stack traces, lists of kernels, asserts), and the advice
/// to lift Metal's limit: `lib/torch/engine/out_of_memory.ts` gives all advice of an OutOfMemoryError, in one
/// list.
std::string withoutTails(std::string text) {
  for (const std::string_view tail :
       {"\nException raised from ", " Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=",
        " This could be because the operator doesn't exist", "\nC++ CapturedTraceback",
        "; you can make a copy of", "\nFor more information", "(Could this error message be improved?"}) {
    const size_t end = text.find(tail);
    if (end != std::string::npos) text.resize(end);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

bool isAssertion(std::string_view text) { return containsAny(text, {"INTERNAL ASSERT", "report a bug"}); }

/// Removes the operator's name before the text: `torch.cat(): expected ...`, `linalg.inv: The ...`,
/// `permute(sparse_coo): number ...`, or that of an operator within it, `mm: mat1 ...`. The message already
/// names the call.
std::string withoutName(const std::string& text) {
  static const std::regex name(R"(^[a-z][a-z0-9_.]*(?:\([\w ]*\))? ?: )");
  std::smatch found;
  return std::regex_search(text, found, name) ? found.suffix().str() : text;
}

/// Rewrites names of C++ and Python and the wording of assertions as a sentence.
std::string inPlainWords(std::string text) {
  static const std::pair<std::regex, const char*> kPhrases[] = {
      {std::regex(R"(^Expected (.+) to be true, but got false\.?)"), "$1 does not hold"},
      {std::regex(
           R"(one of the variables needed for gradient computation has been modified by an inplace )"
           R"(operation: \[\w+ (\[[\d, ]*\])\](?:, which is output (\d+) of (\w+),)? is at version (\d+); )"
           R"(expected version (\d+) instead.*)"),
       "a tensor that backward() needs was changed in place after it was used (shape $1, output $2 of $3, at "
       "version $4, expected $5)"},
      {std::regex(R"(, output  of )"), ""},
      {std::regex(R"( && )"), " and "},
      {std::regex(R"( \|\| )"), " or "},
      {std::regex(R"( i\.e\. )"), ": "},
      {std::regex(R"( ?\(while checking arguments for \w+\))"), ""},
      {std::regex("\"\\w+\" not implemented for '?(\\w+)'?"), "there is no kernel for $1"},
      {std::regex(R"(A must be batches of square matrices, but they are (\d+) by (\d+) matrices)"),
       "the matrices must be square, but they are $1 by $2"},
      {std::regex(R"(tensor for argument #\d+ ')"), "the argument '"},
      {std::regex(R"(\b(?:CPU|CUDA|MPS)([A-Z]\w*)Type\b)"), "$1"},
      {std::regex(R"(\bc10::complex<float>)"), "complex64"},
      {std::regex(R"(\bc10::complex<double>)"), "complex128"},
      {std::regex(R"(\bc10::complex<c10::Half>)"), "complex32"},
      {std::regex(R"(\bc10::Half\b)"), "float16"},
      {std::regex(R"(\bc10::BFloat16\b)"), "bfloat16"},
      {std::regex(R"(\bc10::(Float8_\w+)\b)"), "$1"},
      {std::regex(R"(\b(u?int(?:8|16|32|64))_t\b)"), "$1"},
      {std::regex(R"(\b(type|(?:input[12]|weight):) float\b)"), "$1 float32"},
      {std::regex(R"(\b(type|(?:input[12]|weight):) double\b)"), "$1 float64"},
      {std::regex(R"(\b(type|(?:input[12]|weight):) long int\b)"), "$1 int64"},
      {std::regex(R"(\bdtype float\b)"), "dtype float32"},
      {std::regex(R"(\bdtype double\b)"), "dtype float64"},
      {std::regex(R"(\bdtype long(?: int)?\b)"), "dtype int64"},
      {std::regex(R"(\bdtype int\b)"), "dtype int32"},
      {std::regex(R"(\bNone\b)"), "null"},
      {std::regex(R"(\bTrue\b)"), "true"},
      {std::regex(R"(\bFalse\b)"), "false"}};
  for (const auto& [theirs, ours] : kPhrases) text = std::regex_replace(text, theirs, ours);
  return text;
}

/// C++'s names of dtypes -> ours: `found Long` -> `found int64`.
std::string withDtypeNames(std::string text) {
  static constexpr std::pair<const char*, const char*> kNames[] = {{"ComplexFloat", "complex64"},
                                                                   {"ComplexDouble", "complex128"},
                                                                   {"BFloat16", "bfloat16"},
                                                                   {"Float", "float32"},
                                                                   {"Double", "float64"},
                                                                   {"Half", "float16"},
                                                                   {"Long", "int64"},
                                                                   {"Int", "int32"},
                                                                   {"Short", "int16"},
                                                                   {"Char", "int8"},
                                                                   {"Byte", "uint8"},
                                                                   {"Bool", "bool"}};
  for (const auto& [theirs, ours] : kNames) {
    const std::regex word(std::string("(types?:? |found |[Gg]ot:? |and |for |dtype |, )('?)") + theirs +
                          "\\b('?)");
    text = std::regex_replace(text, word, std::string("$1") + ours);
  }
  return text;
}

}  // namespace

Wording wordingOf(std::string_view libtorchText, std::string_view arguments) {
  if (isAssertion(libtorchText))
    return {Meaning::Internal, "libtorch failed an internal check",
            "Check shapes and dtypes; if they are right, report this message with its cause."};
  const std::string text = withDtypeNames(inPlainWords(withoutName(withoutTails(std::string(libtorchText)))));
  const std::string_view wayOut = refusesWholeNumbers(libtorchText, arguments) ? kFloats : std::string_view();
  for (const Reworded& reworded : kReworded) {
    if (libtorchText.find(reworded.says) == std::string_view::npos) continue;
    return {reworded.meaning, reworded.text.empty() ? text : std::string(reworded.text),
            wayOut.empty() ? reworded.wayOut : wayOut, true};
  }
  return {meaningOf(libtorchText), text, wayOut};
}

}  // namespace mpslab
