// Registers kernels with libtorch's dispatcher. Each operator with a CPU kernel gets that kernel for the
// device; composed operators need none.
#include "simulated_metal/kernels/registration.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <limits>
#include <sstream>

#include "simulated_metal/kernels/factories.h"
#include "simulated_metal/kernels/fallback.h"
#include "simulated_metal/kernels/kernel.h"

namespace mpslab::metal {
namespace {

/// Operators that are composed on the CPU, but of parts that depend on the device: for a device without
/// convolution kernels in libtorch, convolution ends in `convolution_overrideable`.
constexpr const char* kWhole[] = {"convolution", "convolution_backward"};

/// libtorch chooses an attention kernel from a table that has no column for Metal in a build without Metal,
/// and would fail an assertion. This composition is what it chooses on a Mac when gradients are recorded
/// (attention.cpp, SDPBackend::math).
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

/// ldexp is looked up in the same table. Without a kernel in it, libtorch multiplies by powers of two, as
/// here.
at::Tensor ldexp(const at::Tensor& self, const at::Tensor& exponent) {
  return at::mul(self, at::pow(2.0, exponent));
}

at::Tensor& ldexpOut(const at::Tensor& self, const at::Tensor& exponent, at::Tensor& out) {
  return at::mul_out(out, self, at::pow(2.0, exponent));
}

at::Tensor& ldexpInPlace(at::Tensor& self, const at::Tensor& exponent) {
  return self.mul_(at::pow(2.0, exponent));
}

/// The host's kernel would draw from a generator of its own. This one draws from the device's, and needs no
/// wait.
std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& input, double p, std::optional<bool> train) {
  const bool drops = train.value_or(true) && p > 0;
  const at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool));
  if (!drops) return {input.clone(), mask.fill_(true)};
  mask.bernoulli_(1 - p);
  return {input.mul(mask).mul_(p == 1 ? 0.0 : 1 / (1 - p)), mask};
}

}  // namespace

void registerKernels(const MetalKernels& kernels) {
  // Never destroyed: at the end of the process, removing the kernels would use a dispatcher that is gone.
  static auto* library =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::MPS, __FILE__, __LINE__);
  static auto* differentiable =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradMPS, __FILE__, __LINE__);
  for (torch::Library* each : {library, differentiable}) {
    each->impl("scaled_dot_product_attention", TORCH_FN(attention));
    each->impl("ldexp.Tensor", TORCH_FN(ldexp));
    each->impl("ldexp.out", TORCH_FN(ldexpOut));
    each->impl("ldexp_", TORCH_FN(ldexpInPlace));
  }
  auto own = registerFactories(*library);
  library->impl("native_dropout", TORCH_FN(dropout));
  own.insert("native_dropout");
  registerSparseKernels(kernels.sparse, *library);
  own.insert({"_to_sparse", "_to_sparse.sparse_dim"});
  const auto implement = [&](const std::string& name, bool composed) {
    if (own.contains(name)) return;
    const size_t dot = name.find('.');
    const auto handle = c10::Dispatcher::singleton().findSchema(
        {"aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    // Skips operators that only Metal's build has: elsewhere they are composed of others, and nothing calls
    // them here.
    if (!handle || !(composed || handle->hasKernelForDispatchKey(c10::DispatchKey::CPU))) return;
    library->impl(name.c_str(),
                  torch::CppFunction::makeFromBoxedFunctor(std::make_unique<HostKernel>(*handle)));
  };
  std::istringstream names(kernels.strided);
  for (std::string name; names >> name;) implement(name, false);
  for (const char* name : kWhole) implement(name, true);
  registerFallback(*library);
}

}  // namespace mpslab::metal
