// Marks the objects that hold generators with a type tag, so that no other wrapped object is taken for one.
#include "tensor/generator_object.h"

namespace mpslab {
namespace {

/// Distinguishes generators from other objects that wrap something.
constexpr napi_type_tag kTag = {0x6d70736c61622067, 0x656e657261746f72};

void finalizeGenerator(node_api_basic_env, void* data, void*) { delete static_cast<at::Generator*>(data); }

}  // namespace

const at::Generator* generatorOf(napi_env env, napi_value value) {
  bool tagged = false;
  void* data = nullptr;
  if (napi_check_object_type_tag(env, value, &kTag, &tagged) != napi_ok || !tagged) return nullptr;
  return napi_unwrap(env, value, &data) == napi_ok ? static_cast<const at::Generator*>(data) : nullptr;
}

bool wrapGeneratorObject(napi_env env, napi_value object, std::unique_ptr<at::Generator>& generator) {
  if (napi_type_tag_object(env, object, &kTag) != napi_ok ||
      napi_wrap(env, object, generator.get(), finalizeGenerator, nullptr, nullptr) != napi_ok)
    return false;
  (void)generator.release();
  return true;
}

}  // namespace mpslab
