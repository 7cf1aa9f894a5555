// What a tensor says of itself. Knows no operator.
#include "addon.h"
#include "dtype.h"
#include "guard.h"
#include "tensor.h"

namespace mpslab {
namespace {

Napi::Value integers(Napi::Env env, at::IntArrayRef values) {
  napi_value array;
  napi_create_array_with_length(env, values.size(), &array);
  for (size_t i = 0; i < values.size(); ++i) {
    napi_value value;
    napi_create_double(env, static_cast<double>(values[i]), &value);
    napi_set_element(env, array, static_cast<uint32_t>(i), value);
  }
  return {env, array};
}

Napi::Value number(Napi::Env env, int64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

Napi::Value text(Napi::Env env, std::string_view value) {
  return Napi::String::New(env, value.data(), value.size());
}

Napi::Value shape(Environment& environment, const Napi::CallbackInfo& info) {
  return integers(info.Env(), tensorOf(environment, info[0]).sizes());
}

Napi::Value stride(Environment& environment, const Napi::CallbackInfo& info) {
  return integers(info.Env(), tensorOf(environment, info[0]).strides());
}

Napi::Value storageOffset(Environment& environment, const Napi::CallbackInfo& info) {
  return number(info.Env(), tensorOf(environment, info[0]).storage_offset());
}

Napi::Value dim(Environment& environment, const Napi::CallbackInfo& info) {
  return number(info.Env(), tensorOf(environment, info[0]).dim());
}

Napi::Value numel(Environment& environment, const Napi::CallbackInfo& info) {
  return number(info.Env(), tensorOf(environment, info[0]).numel());
}

Napi::Value dtype(Environment& environment, const Napi::CallbackInfo& info) {
  return text(info.Env(), dtypeName(tensorOf(environment, info[0]).scalar_type()));
}

Napi::Value layout(Environment& environment, const Napi::CallbackInfo& info) {
  return text(info.Env(), layoutName(tensorOf(environment, info[0]).layout()));
}

/// The one Metal device is `mps`, as `torch.device("mps")` compares; CUDA's have an index.
Napi::Value device(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Device device = tensorOf(environment, info[0]).device();
  return text(info.Env(), device.is_mps() ? "mps" : device.str());
}

Napi::Value isContiguous(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), tensorOf(environment, info[0]).is_contiguous());
}

Napi::Value storage(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  if (!tensor.has_storage()) throwTypeError(environment, "A sparse tensor has no single storage.");
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("bytes", number(info.Env(), static_cast<int64_t>(tensor.storage().nbytes())));
  result.Set("address", Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(tensor.storage().data())));
  return result;
}

}  // namespace

void defineProperties(Environment& environment, Napi::Object exports) {
  define<shape>(environment, exports, "shape");
  define<stride>(environment, exports, "stride");
  define<storageOffset>(environment, exports, "storageOffset");
  define<dim>(environment, exports, "dim");
  define<numel>(environment, exports, "numel");
  define<dtype>(environment, exports, "dtype");
  define<layout>(environment, exports, "layout");
  define<device>(environment, exports, "device");
  define<isContiguous>(environment, exports, "isContiguous");
  define<storage>(environment, exports, "storage");
}

}  // namespace mpslab
