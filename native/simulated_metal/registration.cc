// Registers the device's kernels with libtorch's dispatcher. Each operator with a kernel for the CPU gets it
// for the device as well; composed operators need none. Runs nothing.
#include "registration.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <torch/library.h>

#include "factories.h"
#include "kernel.h"

namespace mpslab::metal {
namespace {

/// Composed on the CPU, but of parts that depend on the device: for one that libtorch has no kernels of,
/// convolution ends in `convolution_overrideable`.
constexpr const char* kWhole[] = {"aten::convolution", "aten::convolution_backward"};

bool runsWhole(const std::string& name) {
  return std::find(std::begin(kWhole), std::end(kWhole), name) != std::end(kWhole);
}

/// libtorch chooses an attention kernel by a table that a build without Metal has no column for: it would
/// assert. What it chooses on a Mac where gradients are recorded is this composition (attention.cpp,
/// SDPBackend::math).
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const std::optional<at::Tensor>& mask, double dropout, bool causal,
                     std::optional<double> scale, bool groupedQueries) {
  std::optional<at::Tensor> added = mask;
  if (mask && mask->defined() && mask->scalar_type() == at::kBool) {
    added = at::zeros_like(*mask, query.options())
                .masked_fill_(mask->logical_not(), -std::numeric_limits<double>::infinity());
  }
  return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value, added, dropout, causal, {},
                                                            scale, groupedQueries));
}

}  // namespace

void registerKernels() {
  // Never destroyed: taking the kernels back at the process's end would find a dispatcher that is gone.
  static auto* library =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::MPS, __FILE__, __LINE__);
  static auto* differentiable =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradMPS, __FILE__, __LINE__);
  for (torch::Library* each : {library, differentiable})
    each->impl("scaled_dot_product_attention", TORCH_FN(attention));
  const auto own = registerFactories(*library);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const std::string full = c10::toString(name).substr(6);
    if (own.contains(full)) continue;
    const auto handle = dispatcher.findSchema(name);
    if (!handle) continue;
    const bool onHost = handle->hasKernelForDispatchKey(c10::DispatchKey::CPU);
    if (!onHost && !(runsWhole(name.name) && name.overload_name.empty())) continue;
    library->impl(full.c_str(),
                  torch::CppFunction::makeFromBoxedFunctor(std::make_unique<HostKernel>(*handle)));
  }
}

}  // namespace mpslab::metal
