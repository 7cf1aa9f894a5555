// Each fault passes other arguments to the CPU's kernel, or changes its results, if the arguments are like
// those in the report. Sizes in reports that no test could allocate are smaller here.
#include "simulated_metal/kernels/faults.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <atomic>

namespace mpslab::metal {
namespace {

using torch::jit::Stack;

struct Fault {
  FaultName known;
  std::vector<std::string> operators;
  /// Whether these arguments trigger the fault.
  bool (*meets)(const Stack& arguments);
  /// Changes the arguments before the kernel runs.
  void (*before)(Stack& stack) = nullptr;
  /// Changes the results after it. `given` are the original arguments.
  void (*after)(Stack& stack, const Stack& given) = nullptr;
};

std::atomic<const Fault*> planted{nullptr};

bool isContiguous(const Stack& arguments, size_t place) {
  return arguments[place].toTensor().is_contiguous();
}

/// Whether the tensor's memory is long enough to be read as if its elements were contiguous.
bool canBeReadStraight(const at::Tensor& tensor) {
  const int64_t elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size());
  return tensor.storage_offset() + tensor.numel() <= elements;
}

at::Tensor readStraight(const at::Tensor& tensor, at::IntArrayRef strides) {
  return at::as_strided(tensor, tensor.sizes(), strides, tensor.storage_offset());
}

void readStraight(Stack& stack, size_t place) {
  const at::Tensor& tensor = stack[place].toTensor();
  stack[place] = readStraight(tensor, c10::contiguous_strides(tensor.sizes()));
}

/// Makes the kernel write into a copy, so that its writes are lost.
void loseWrites(Stack& stack) { stack[0] = stack[0].toTensor().clone(); }
void giveBackGiven(Stack& stack, const Stack& given) { stack[0] = given[0]; }

constexpr int64_t kWrapsAt = 1 << 16;

/// Simulates a counter that overflows: matrices beyond its range are read from the beginning again.
void wrapBatches(Stack& stack, size_t place) {
  const at::Tensor& tensor = stack[place].toTensor();
  const int64_t first =
      std::max<int64_t>(1, kWrapsAt / std::max<int64_t>(1, tensor.size(1) * tensor.size(2)));
  if (tensor.numel() <= kWrapsAt || first >= tensor.size(0)) return;
  const int64_t beyond = std::min(first, tensor.size(0) - first);
  stack[place] = at::cat({tensor.narrow(0, 0, tensor.size(0) - beyond), tensor.narrow(0, 0, beyond)});
}

/// The position of the right factor: `mm(self, mat2)`, `addmm(self, mat1, mat2)`.
size_t placeOfFactor(const Stack& arguments) { return arguments.size() > 2 ? 2 : 1; }

const std::vector<Fault>& all() {
  static const std::vector<Fault> faults = {
      {.known = {"conv2d wrong for non-contiguous weights", "pytorch/pytorch#192212"},
       .operators = {"convolution"},
       .meets =
           [](const Stack& given) {
             return !isContiguous(given, 1) && canBeReadStraight(given[1].toTensor());
           },
       .before = [](Stack& stack) { readStraight(stack, 1); }},
      {.known = {"bmm wrong past 2^16 elements", "pytorch/pytorch#197636"},
       .operators = {"bmm"},
       .meets =
           [](const Stack& given) {
             return given[0].toTensor().numel() > kWrapsAt || given[1].toTensor().numel() > kWrapsAt;
           },
       .before =
           [](Stack& stack) {
             wrapBatches(stack, 0);
             wrapBatches(stack, 1);
           }},
      {.known = {"addcmul_ and addcdiv_ lost for non-contiguous outputs", "pytorch/pytorch#118115"},
       .operators = {"addcmul_", "addcdiv_"},
       .meets = [](const Stack& given) { return !isContiguous(given, 0); },
       .before = loseWrites,
       .after = giveBackGiven},
      {.known = {"softplus zero after moveaxis", "pytorch/pytorch#131736"},
       .operators = {"softplus"},
       .meets = [](const Stack& given) { return !isContiguous(given, 0); },
       .after = [](Stack& stack, const Stack&) { stack[0].toTensor().zero_(); }},
      {.known = {"layer_norm ignores where a slice begins", "pytorch/pytorch#131750"},
       .operators = {"native_layer_norm"},
       .meets = [](const Stack& given) { return given[0].toTensor().storage_offset() != 0; },
       .before =
           [](Stack& stack) {
             const at::Tensor& input = stack[0].toTensor();
             stack[0] = at::as_strided(input, input.sizes(), input.strides(), 0);
           }},
      {.known = {"batch_norm backward wrong for channels-last inputs", "pytorch/pytorch#175189"},
       .operators = {"native_batch_norm_backward"},
       .meets =
           [](const Stack& given) {
             return !isContiguous(given, 1) && canBeReadStraight(given[1].toTensor());
           },
       .before = [](Stack& stack) { readStraight(stack, 1); }},
      {.known = {"layer_norm weight gradients wrong for inputs without gradient", "pytorch/pytorch#183825"},
       .operators = {"native_layer_norm_backward"},
       .meets = [](const Stack& given) { return !given.back().toBoolList()[0]; },
       .after =
           [](Stack& stack, const Stack&) {
             for (size_t place : {1, 2})
               if (stack[place].isTensor() && stack[place].toTensor().defined())
                 stack[place].toTensor().mul_(1.5);
           }},
      // On the simulated device a linear layer is a product with its transposed weight.
      {.known = {"linear wrong for sliced weights", "pytorch/pytorch#161640"},
       .operators = {"addmm", "mm"},
       .meets =
           [](const Stack& given) {
             const at::Tensor weight = given[placeOfFactor(given)].toTensor().t();
             return weight.stride(1) == 1 && weight.size(0) > 1 && weight.stride(0) > weight.size(1) &&
                    canBeReadStraight(weight);
           },
       .before =
           [](Stack& stack) {
             const size_t place = placeOfFactor(stack);
             const at::Tensor weight = stack[place].toTensor();
             stack[place] = readStraight(weight, {1, weight.size(0)});
           }},
      {.known = {"cumsum of int64 gives its input", "pytorch/pytorch#90635"},
       .operators = {"cumsum"},
       .meets = [](const Stack& given) { return given[0].toTensor().scalar_type() == at::kLong; },
       .after = [](Stack& stack, const Stack& given) { stack[0].toTensor().copy_(given[0].toTensor()); }},
      {.known = {"scatter_ lost after permute", "pytorch/pytorch#115152"},
       .operators = {"scatter_"},
       .meets = [](const Stack& given) { return !isContiguous(given, 0); },
       .before = loseWrites,
       .after = giveBackGiven},
  };
  return faults;
}

}  // namespace

std::vector<FaultName> faults() {
  std::vector<FaultName> names;
  for (const Fault& fault : all()) names.push_back(fault.known);
  return names;
}

std::string plantedFault() { return planted.load() == nullptr ? std::string() : planted.load()->known.name; }

bool plantFault(const std::string& name) {
  const auto found =
      std::find_if(all().begin(), all().end(), [&](const Fault& fault) { return fault.known.name == name; });
  if (found == all().end() && !name.empty()) return false;
  planted = found == all().end() ? nullptr : &*found;
  return true;
}

bool isFaulty(const c10::OperatorHandle& op) {
  const Fault* fault = planted.load(std::memory_order_relaxed);
  if (fault == nullptr) [[likely]]
    return false;
  const std::string name = op.operator_name().name.substr(std::string("aten::").size());
  return std::find(fault->operators.begin(), fault->operators.end(), name) != fault->operators.end();
}

void callWrongly(const c10::OperatorHandle& op, Stack& stack) {
  const Fault& fault = *planted.load();
  const Stack given = stack;
  const bool meets = fault.meets(given);
  if (meets && fault.before != nullptr) fault.before(stack);
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
  if (meets && fault.after != nullptr) fault.after(stack, given);
}

}  // namespace mpslab::metal
