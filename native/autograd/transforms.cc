// Enters and leaves libtorch's function transforms, and wraps the tensors that pass their borders: vmap's
// stand for all examples of a batch, grad's are differentiated at their own level. The rules for each
// operator are libtorch's. Sources: torch/csrc/functorch/init.cpp, torch/_functorch/vmap.py.
#include <ATen/core/grad_mode.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/functorch/TensorWrapper.h>

#include <utility>

#include "addon/guard.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

namespace functorch = at::functorch;

int64_t integer(const Napi::CallbackInfo& info, size_t index) { return info[index].ToNumber().Int64Value(); }

/// A step whose operators run under a transform is no list of calls that could be repeated.
constexpr const char* kRefusal =
    "the step calls a function of torch.func, whose operators work on wrapped tensors: capture what is "
    "around it";

/// `pushVmap(batchSize, randomness)` returns the level of the transform. Randomness: 0 is an error, 1 is the
/// same for all examples, 2 is different.
Napi::Value pushVmap(Environment& environment, const Napi::CallbackInfo& info) {
  environment.refuseInCapture(kRefusal);
  const auto randomness = static_cast<functorch::RandomnessType>(integer(info, 1));
  const int64_t level = functorch::initAndPushDynamicLayer(functorch::TransformType::Vmap,
                                                           c10::SymInt(integer(info, 0)), randomness);
  return Napi::Number::New(environment.env, static_cast<double>(level));
}

/// `pushGrad()` returns the level of the transform.
Napi::Value pushGrad(Environment& environment, const Napi::CallbackInfo&) {
  environment.refuseInCapture(kRefusal);
  const int64_t level = functorch::initAndPushDynamicLayer(functorch::TransformType::Grad, std::nullopt,
                                                           std::nullopt, at::GradMode::is_enabled());
  return Napi::Number::New(environment.env, static_cast<double>(level));
}

/// `popTransforms(depth)` leaves transforms until so many are left: those inside are left, too.
Napi::Value popTransforms(Environment&, const Napi::CallbackInfo& info) {
  const auto wanted = static_cast<size_t>(integer(info, 0));
  while (functorch::getDynamicLayerStack().size() > wanted) functorch::popDynamicLayerAndDeleteMetadata();
  return info.Env().Undefined();
}

Napi::Value transformDepth(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(functorch::getDynamicLayerStack().size()));
}

/// `addBatchDimension(tensor, dim, level)`: what the function sees lacks the dimension.
Napi::Value addBatchDimension(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0], "argument 'tensor'");
  return {environment.env,
          wrap(environment, functorch::addBatchDim(tensor, integer(info, 1), integer(info, 2)))};
}

/// `removeBatchDimension(tensor, dim, level, batchSize)`: a result that no example had a part in is repeated.
Napi::Value removeBatchDimension(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0], "argument 'tensor'");
  const int64_t dim = integer(info, 1);
  const auto* batched = functorch::maybeGetBatchedImpl(tensor);
  const bool isOfLevel = batched != nullptr && batched->level() == integer(info, 2);
  if (isOfLevel) return {environment.env, wrap(environment, batched->value().movedim(batched->bdim(), dim))};
  c10::DimVector sizes(tensor.sizes());
  const int64_t at = c10::maybe_wrap_dim(dim, tensor.dim() + 1);
  sizes.insert(sizes.begin() + at, integer(info, 3));
  return {environment.env, wrap(environment, tensor.unsqueeze(at).expand(sizes))};
}

/// `wrapping(tensor)` returns what a transform made of a tensor: `{ level, dim, value }`, null for any other.
/// `dim` is null unless the tensor stands for the examples of a batch; the level is 0 after its transform.
Napi::Value wrapping(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0], "argument 'tensor'");
  const auto* batched = functorch::maybeGetBatchedImpl(tensor);
  auto* tracked = functorch::maybeGetTensorWrapper(tensor);
  if (batched == nullptr && tracked == nullptr) return info.Env().Null();
  Napi::Object found = Napi::Object::New(info.Env());
  const int64_t level = batched != nullptr ? batched->level() : tracked->level().value_or(0);
  found.Set("level", static_cast<double>(level));
  found.Set("dim", batched != nullptr ? Napi::Number::New(info.Env(), static_cast<double>(batched->bdim()))
                                      : info.Env().Null());
  found.Set("value", Napi::Value(info.Env(), wrap(environment,
                                                  batched != nullptr ? batched->value() : tracked->value())));
  return found;
}

/// `wrapForGrad(tensor, level)`
Napi::Value wrapForGrad(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0], "argument 'tensor'");
  return {environment.env, wrap(environment, functorch::makeTensorWrapper(tensor, integer(info, 1)))};
}

/// `unwrapForGrad(tensor, level)`: a tensor of another level stays as it is.
Napi::Value unwrapForGrad(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0], "argument 'tensor'");
  auto* wrapper = functorch::maybeGetTensorWrapper(tensor);
  if (wrapper == nullptr || wrapper->level() != integer(info, 1)) return info[0];
  return {environment.env, wrap(environment, wrapper->value())};
}

/// `substitute(tensor, other)` lets the wrapper of `tensor` stand for `other`. Returns a wrapper of the
/// tensor for which it stood.
Napi::Value substitute(Environment& environment, const Napi::CallbackInfo& info) {
  at::Tensor other = tensorOf(environment, info[1], "argument 'other'");
  const at::Tensor former =
      std::exchange(tensorOf(environment, info[0], "argument 'tensor'"), std::move(other));
  return {environment.env, wrap(environment, former)};
}

}  // namespace

void defineTransforms(Environment& environment, Napi::Object exports) {
  define<pushVmap>(environment, exports, "pushVmap");
  define<pushGrad>(environment, exports, "pushGrad");
  define<popTransforms>(environment, exports, "popTransforms");
  define<transformDepth>(environment, exports, "transformDepth");
  define<addBatchDimension>(environment, exports, "addBatchDimension");
  define<removeBatchDimension>(environment, exports, "removeBatchDimension");
  define<wrapping>(environment, exports, "wrapping");
  define<wrapForGrad>(environment, exports, "wrapForGrad");
  define<substitute>(environment, exports, "substitute");
  define<unwrapForGrad>(environment, exports, "unwrapForGrad");
}

}  // namespace mpslab
