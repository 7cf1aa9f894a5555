// Copies or shares tensor memory with typed arrays, and reads single elements. Only `fromTypedArray` copies.
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstring>

#include "addon/guard.h"
#include "addon/waiting.h"
#include "tensor/exports.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"
#include "tensor/tensor_property.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

/// The array type that holds a dtype's elements: complex numbers as pairs, 16-bit floats by their bits.
struct ArrayType {
  napi_typedarray_type type;
  const char* name;
  size_t elementBytes;
};

std::optional<ArrayType> arrayTypeOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat:
    case at::kComplexFloat:
      return ArrayType{napi_float32_array, "Float32Array", 4};
    case at::kDouble:
    case at::kComplexDouble:
      return ArrayType{napi_float64_array, "Float64Array", 8};
    case at::kHalf:
    case at::kBFloat16:
    case at::kUInt16:
      return ArrayType{napi_uint16_array, "Uint16Array", 2};
    case at::kLong:
      return ArrayType{napi_bigint64_array, "BigInt64Array", 8};
    case at::kUInt64:
      return ArrayType{napi_biguint64_array, "BigUint64Array", 8};
    case at::kInt:
      return ArrayType{napi_int32_array, "Int32Array", 4};
    case at::kUInt32:
      return ArrayType{napi_uint32_array, "Uint32Array", 4};
    case at::kShort:
      return ArrayType{napi_int16_array, "Int16Array", 2};
    case at::kChar:
      return ArrayType{napi_int8_array, "Int8Array", 1};
    case at::kByte:
    case at::kBool:
    case at::kFloat8_e5m2:
    case at::kFloat8_e4m3fn:
      return ArrayType{napi_uint8_array, "Uint8Array", 1};
    default:
      return std::nullopt;
  }
}

at::ScalarType dtypeArgument(Environment& environment, Napi::Value value) {
  const std::string name = value.ToString();
  const auto dtype = dtypeOf(name);
  if (!dtype)
    throwTypeError(environment,
                   "argument 'dtype' must be a dtype such as \"float32\", but got \"" + name + "\".");
  return *dtype;
}

std::vector<int64_t> shapeArgument(Environment& environment, Napi::Value value) {
  if (!value.IsArray()) throwTypeError(environment, "argument 'shape' must be an array of integers.");
  const auto list = value.As<Napi::Array>();
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Value element = look(environment, list.Get(i));
    if (element.kind != Value::Kind::Number || !(element.number >= 0 && element.number < 9e15) ||
        element.number != std::trunc(element.number)) {
      throwRangeError(environment, "argument 'shape' must hold integers from 0 up, but got " +
                                       describe(environment, element) + ".");
    }
    shape.push_back(static_cast<int64_t>(element.number));
  }
  return shape;
}

/// A typed array checked against a shape and a dtype.
struct Source {
  void* data;
  size_t bytes;
  std::vector<int64_t> shape;
  at::ScalarType dtype;
};

Source sourceArgument(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsTypedArray()) {
    throwTypeError(environment, "argument 'data' must be a typed array, but got " +
                                    describe(environment, look(environment, info[0])) + ".");
  }
  Source source;
  source.shape = shapeArgument(environment, info[1]);
  source.dtype = dtypeArgument(environment, info[2]);
  const auto expected = arrayTypeOf(source.dtype);
  if (!expected) {
    throwTypeError(environment,
                   "No typed array holds " + std::string(dtypeName(source.dtype)) + " elements.");
  }
  napi_typedarray_type type;
  size_t length = 0;
  napi_get_typedarray_info(environment.env, info[0], &type, &length, &source.data, nullptr, nullptr);
  if (type == napi_uint8_clamped_array) type = napi_uint8_array;
  if (type != expected->type) {
    throwTypeError(environment, "A " + std::string(dtypeName(source.dtype)) + " tensor is made from a " +
                                    expected->name + ", but got another typed array: convert it first.");
  }
  source.bytes = length * expected->elementBytes;
  // The count is a double, so that a shape whose product overflows is refused like any other that does not
  // fit.
  double elements = 1;
  for (const int64_t size : source.shape) elements *= static_cast<double>(size);
  const double given =
      static_cast<double>(source.bytes) / static_cast<double>(c10::elementSize(source.dtype));
  if (elements != given) {
    throwRangeError(environment, "Shape " + describeShape(source.shape) + " does not fit an array of " +
                                     std::to_string(length) + " elements.");
  }
  return source;
}

Napi::Value fromTypedArray(Environment& environment, const Napi::CallbackInfo& info) {
  const Source source = sourceArgument(environment, info);
  // A captured step keeps the elements as a constant; it must not see the operator that allocates their
  // memory.
  const at::RecordFunctionGuard unseen(!environment.capture && at::isRecordFunctionEnabled());
  at::Tensor tensor;
  {
    // A function that torch.func differentiates would wrap it, and a wrapper has no memory to copy to.
    const c10::impl::ExcludeDispatchKeyGuard unwrapped(c10::DispatchKey::FuncTorchDynamicLayerBackMode);
    tensor = at::empty(source.shape, source.dtype);
  }
  if (source.bytes != 0) std::memcpy(tensor.data_ptr(), source.data, source.bytes);
  if (environment.capture) environment.capture->fromNumbers.insert(tensor.unsafeGetTensorImpl());
  napi_value wrapper = wrap(environment, std::move(tensor));
  environment.collectInTime();
  return {environment.env, wrapper};
}

/// The storage keeps the JavaScript array alive. The storage may be freed on any thread.
Napi::Value shareTypedArray(Environment& environment, const Napi::CallbackInfo& info) {
  const Source source = sourceArgument(environment, info);
  napi_ref reference;
  napi_create_reference(environment.env, info[0], 1, &reference);
  auto release = [dead = environment.dead, reference](void*) { dead->add(reference); };
  return {environment.env,
          wrap(environment, at::from_blob(source.data, source.shape, std::move(release), source.dtype))};
}

/// The storage that an array buffer holds, so that the array stays valid after the tensor is disposed. Node
/// calls the finalizer from its event loop, some time after the buffer was collected.
struct Lent {
  c10::Storage storage;
};

void finalizeArray(node_api_basic_env, void*, void* hint) { delete static_cast<Lent*>(hint); }

constexpr const char* kReadsElements =
    "the step reads elements on the host, and a replay does not come back to JavaScript: return the tensor "
    "from the "
    "step, and read it outside";

struct LentArray {
  napi_value array;
  napi_value buffer;
  /// nullptr for a tensor without elements.
  Lent* lent;
  /// Whether the storage could be resized before it was lent.
  bool wasResizable;
};

LentArray lend(Environment& environment, napi_value value) {
  const napi_env env = environment.env;
  environment.refuseInCapture(kReadsElements);
  const at::Tensor& tensor = tensorOf(environment, value);
  const auto type = arrayTypeOf(tensor.scalar_type());
  if (!type)
    throwTypeError(environment,
                   "No typed array holds " + std::string(dtypeName(tensor.scalar_type())) + " elements.");
  if (!tensor.device().is_cpu()) {
    throwTypeError(environment,
                   "data(): the tensor is on " + tensor.device().str() + ": copy it with .cpu() first.");
  }
  if (tensor.layout() != at::kStrided || !tensor.is_contiguous() || tensor.is_conj() || tensor.is_neg()) {
    throwTypeError(environment,
                   "data(): the tensor's elements are not contiguous: copy it with .contiguous() first.");
  }
  const size_t bytes = tensor.nbytes();
  LentArray made{};
  if (bytes == 0) {
    napi_create_arraybuffer(env, 0, nullptr, &made.buffer);
  } else {
    auto lent = std::make_unique<Lent>(tensor.storage());
    // Resizing the storage would free the memory that the array shows, so it is refused from now on, as
    // PyTorch does after numpy().
    c10::StorageImpl* storage = lent->storage.unsafeGetStorageImpl();
    made.wasResizable = storage->resizable();
    storage->set_resizable(false);
    const napi_status status = napi_create_external_arraybuffer(env, tensor.data_ptr(), bytes, finalizeArray,
                                                                lent.get(), &made.buffer);
    if (status != napi_ok) throw Napi::Error::New(env);
    made.lent = lent.release();
  }
  napi_create_typedarray(env, type->type, bytes / type->elementBytes, made.buffer, 0, &made.array);
  return made;
}

Napi::Value typedArray(Environment& environment, const Napi::CallbackInfo& info) {
  return {environment.env, lend(environment, info[0]).array};
}

/// When destroyed, detaches the lent array from the tensor's memory.
struct TakenBack {
  napi_env env;
  LentArray made;

  ~TakenBack() {
    // While the session's threads end, detaching is refused; then the finalizer frees the storage.
    if (made.lent == nullptr || napi_detach_arraybuffer(env, made.buffer) != napi_ok) return;
    if (made.wasResizable) made.lent->storage.unsafeGetStorageImpl()->set_resizable(true);
    made.lent->storage = c10::Storage();
  }
};

/// Calls the function with the array, and empties the array afterwards. Otherwise a program that never yields
/// would hold everything that it has ever read.
Napi::Value withTypedArray(Environment& environment, const Napi::CallbackInfo& info) {
  const TakenBack taken{environment.env, lend(environment, info[0])};
  return info[1].As<Napi::Function>().Call({taken.made.array});
}

Napi::Value item(Environment& environment, Handle& handle) {
  environment.refuseInCapture(kReadsElements);
  const at::Tensor& tensor = tensorOf(environment, handle);
  if (tensor.numel() != 1) {
    throwRangeError(environment, "item(): the tensor must have one element, but it has shape " +
                                     describeShape(tensor.sizes()) +
                                     ": take one with at(), or use tolist().");
  }
  if (!tensor.device().is_cpu() && !tensor.device().is_meta()) waitForDevice(environment, tensor.device());
  return {environment.env, toJavaScript(environment.env, tensor.item())};
}

}  // namespace

void defineData(Environment& environment, Napi::Object exports) {
  define<fromTypedArray>(environment, exports, "fromTypedArray");
  define<shareTypedArray>(environment, exports, "shareTypedArray");
  define<typedArray>(environment, exports, "typedArray");
  define<withTypedArray>(environment, exports, "withTypedArray");
  defineProperty<item>(environment, exports, "item");
}

}  // namespace mpslab
