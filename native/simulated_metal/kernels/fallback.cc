// Follows ATen/mps/MPSFallback.mm: its texts, its variable, and the operators that always fall back.
// ATen/native/CPUFallback.cpp copies the tensors and runs the operator.
#include "simulated_metal/kernels/fallback.h"

#include <ATen/native/CPUFallback.h>
#include <caffe2/core/common.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "simulated_metal/profile/profiler.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

constexpr const char* kAlways[] = {"embedding_renorm_", "linalg_svd", "linalg_svd.U", "col2im"};

std::mutex mutex;
std::map<std::string, FallbackCount> counts;

int64_t deviceBytes(const c10::IValue& value) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    return tensor.defined() && tensor.is_mps() ? static_cast<int64_t>(tensor.nbytes()) : 0;
  }
  int64_t bytes = 0;
  if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) bytes += deviceBytes(element);
  }
  return bytes;
}

int64_t deviceBytes(c10::ArrayRef<c10::IValue> values) {
  int64_t bytes = 0;
  for (const c10::IValue& value : values) bytes += deviceBytes(value);
  return bytes;
}

/// PyTorch's TORCH_WARN_ONCE warns only of the first operator; this warns once of each.
bool isFirst(const std::string& name) {
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  return told.insert(name).second;
}

void fallBack(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string name = c10::toString(op.operator_name());
  if (isFirst(name)) {
    TORCH_WARN("The operator '", name,
               "' is not currently supported on the MPS backend and will fall back to run on the CPU. This "
               "may have performance implications.");
  }
  queue().synchronize();
  const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
  const int64_t given = deviceBytes(arguments);
  const auto execution = watchFallback(name, arguments, static_cast<size_t>(given));
  const auto began = Execution::Clock::now();
  runWatched(execution.get(), [&] { at::native::cpu_fallback(op, stack); });
  const double wallMs = Execution::milliseconds(began, Execution::Clock::now());
  const int64_t made = deviceBytes(torch::jit::last(*stack, op.schema().returns().size()));
  const std::lock_guard lock(mutex);
  FallbackCount& count = counts[name];
  count.name = name;
  ++count.calls;
  count.toCpuBytes += given;
  count.fromCpuBytes += made;
  count.wallMs += wallMs;
}

void refuse(const c10::OperatorHandle& op, torch::jit::Stack*) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "The operator '", op.schema().operator_name(),
      "' is not currently implemented for the MPS device. If you want this op to be considered for addition "
      "please comment on https://github.com/pytorch/pytorch/issues/141287 and mention use-case, that "
      "resulted "
      "in missing op as well as commit hash ",
      caffe2::GetBuildOptions().at("COMMIT_SHA"),
      ". As a temporary fix, you can set the environment variable `PYTORCH_ENABLE_MPS_FALLBACK=1` to use the "
      "CPU as a fallback for this op. WARNING: this will be slower than running natively on MPS.");
}

}  // namespace

std::vector<FallbackCount> fallbackCounts() {
  const std::lock_guard lock(mutex);
  std::vector<FallbackCount> list;
  for (const auto& [name, count] : counts) list.push_back(count);
  return list;
}

void registerFallback(torch::Library& aten) {
  static auto* rest =
      new torch::Library(torch::Library::IMPL, "_", c10::DispatchKey::MPS, __FILE__, __LINE__);
  const char* enabled = std::getenv("PYTORCH_ENABLE_MPS_FALLBACK");
  rest->fallback(enabled != nullptr && std::atoi(enabled) != 0
                     ? torch::CppFunction::makeFromBoxedFunction<&fallBack>()
                     : torch::CppFunction::makeFromBoxedFunction<&refuse>());
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const std::string name : kAlways) {
    const size_t dot = name.find('.');
    const auto handle = dispatcher.findSchema(
        {"aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    if (handle && !handle->hasKernelForDispatchKey(c10::DispatchKey::MPS))
      aten.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&fallBack>());
  }
}

}  // namespace mpslab::metal
