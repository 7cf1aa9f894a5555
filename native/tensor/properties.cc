// Reads a tensor's properties: shape, strides, dtype, device, storage.
#include <algorithm>

#include "tensor/exports.h"
#include "tensor/tensor_property.h"
#include "vocabulary/dtype.h"
#include "vocabulary/memory_layout.h"

namespace mpslab {
namespace {

/// Writes the integers into the shared array, their count first; JavaScript makes an array of them, which
/// takes a fifth of the time that Node-API takes. If there are too many for the shared array, returns an
/// array.
Napi::Value integers(Environment& environment, at::IntArrayRef values) {
  const napi_env env = environment.env;
  if (values.size() < kExchangePlaces) {
    environment.exchange[0] = static_cast<double>(values.size());
    std::copy(values.begin(), values.end(), environment.exchange + 1);
    return Napi::Env(env).Undefined();
  }
  Napi::Array array = Napi::Array::New(env, values.size());
  for (uint32_t i = 0; i < values.size(); ++i) array.Set(i, static_cast<double>(values[i]));
  return array;
}

Napi::Value number(Napi::Env env, int64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

Napi::Value text(Napi::Env env, std::string_view value) {
  return Napi::String::New(env, value.data(), value.size());
}

Napi::Value shape(Environment& environment, Handle& handle) {
  return integers(environment, tensorOf(environment, handle).sizes());
}

Napi::Value stride(Environment& environment, Handle& handle) {
  return integers(environment, tensorOf(environment, handle).strides());
}

Napi::Value storageOffset(Environment& environment, Handle& handle) {
  return number(environment.env, tensorOf(environment, handle).storage_offset());
}

Napi::Value dim(Environment& environment, Handle& handle) {
  return number(environment.env, tensorOf(environment, handle).dim());
}

Napi::Value numel(Environment& environment, Handle& handle) {
  return number(environment.env, tensorOf(environment, handle).numel());
}

Napi::Value dtype(Environment& environment, Handle& handle) {
  return text(environment.env, dtypeName(tensorOf(environment, handle).scalar_type()));
}

Napi::Value layout(Environment& environment, Handle& handle) {
  return text(environment.env, layoutName(tensorOf(environment, handle).layout()));
}

/// The only Metal device is named `mps`, so that it equals `torch.device("mps")`; CUDA's devices are named
/// with their index.
Napi::Value device(Environment& environment, Handle& handle) {
  const at::Device device = tensorOf(environment, handle).device();
  return text(environment.env, device.is_mps() ? "mps" : device.str());
}

Napi::Value isContiguous(Environment& environment, Handle& handle) {
  return Napi::Boolean::New(environment.env, tensorOf(environment, handle).is_contiguous());
}

/// How often operators have written the tensor's memory; null for a tensor made in inference mode, which has
/// no version counter.
Napi::Value version(Environment& environment, Handle& handle) {
  const c10::VariableVersion& counter =
      tensorOf(environment, handle).unsafeGetTensorImpl()->version_counter();
  if (!counter.enabled()) return Napi::Env(environment.env).Null();
  return number(environment.env, counter.current_version());
}

Napi::Value storage(Environment& environment, Handle& handle) {
  const at::Tensor& tensor = tensorOf(environment, handle);
  if (!tensor.has_storage()) throwTypeError(environment, "A sparse tensor has no single storage.");
  Napi::Object result = Napi::Object::New(environment.env);
  result.Set("bytes", number(environment.env, static_cast<int64_t>(tensor.storage().nbytes())));
  result.Set("address",
             Napi::BigInt::New(environment.env, reinterpret_cast<uint64_t>(tensor.storage().data())));
  return result;
}

/// `lieAlike(tensors, others, ...)`: whether all lists are as long as the first, and each of their tensors
/// lies in memory as the first list's tensor at its place does.
napi_value lieAlike(napi_env env, napi_callback_info info) {
  constexpr size_t kMostLists = 8;
  napi_value lists[kMostLists];
  size_t count = kMostLists;
  void* data;
  napi_get_cb_info(env, info, &count, lists, nullptr, &data);
  return guardedCall(*static_cast<Environment*>(data), [&](Environment& environment) -> napi_value {
    const Value first = look(environment, lists[0]);
    const uint32_t length = lengthOf(environment, first);
    bool alike = true;
    for (size_t list = 1; alike && list < count; ++list) {
      const Value other = look(environment, lists[list]);
      alike = lengthOf(environment, other) == length;
      for (uint32_t i = 0; alike && i < length; ++i)
        alike = liesAlike(tensorOf(environment, *elementAt(environment, other, i).handle),
                          tensorOf(environment, *elementAt(environment, first, i).handle));
    }
    return Napi::Boolean::New(environment.env, alike);
  });
}

}  // namespace

void defineProperties(Environment& environment, Napi::Object exports) {
  defineProperty<shape>(environment, exports, "shape");
  defineProperty<stride>(environment, exports, "stride");
  defineProperty<storageOffset>(environment, exports, "storageOffset");
  defineProperty<dim>(environment, exports, "dim");
  defineProperty<numel>(environment, exports, "numel");
  defineProperty<dtype>(environment, exports, "dtype");
  defineProperty<layout>(environment, exports, "layout");
  defineProperty<device>(environment, exports, "device");
  defineProperty<isContiguous>(environment, exports, "isContiguous");
  defineProperty<storage>(environment, exports, "storage");
  defineProperty<version>(environment, exports, "tensorVersion");
  napi_value function;
  napi_create_function(environment.env, "lieAlike", NAPI_AUTO_LENGTH, lieAlike, &environment, &function);
  exports.Set("lieAlike", Napi::Value(environment.env, function));
}

}  // namespace mpslab
