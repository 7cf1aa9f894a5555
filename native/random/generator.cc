// Sources of random numbers that JavaScript holds. Their states and seeds are `random.cc`'s.
#include "random/generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include "device/devices.h"
#include "addon/addon.h"
#include "addon/guard.h"

namespace mpslab {
namespace {

/// Tells a generator from other objects that wrap something.
constexpr napi_type_tag kTag = {0x6d70736c61622067, 0x656e657261746f72};

void finalizeGenerator(node_api_basic_env, void* data, void*) { delete static_cast<at::Generator*>(data); }

at::Generator make(at::Device device) {
  if (device.is_cpu()) return at::detail::createCPUGenerator();
  at::globalContext().lazyInitDevice(device.type());
  return at::globalContext().getAcceleratorHooksInterface(device.type()).getNewGenerator(device.index());
}

/// `wrapGenerator(object, device)`, or `wrapGenerator(object, another)` for one in the same state.
Napi::Value wrapGenerator(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Generator* another = generatorOf(environment.env, info[1]);
  auto generator = std::make_unique<at::Generator>(
      another != nullptr ? another->clone() : make(deviceArgument(environment, info[1], "new Generator")));
  if (napi_type_tag_object(environment.env, info[0], &kTag) != napi_ok ||
      napi_wrap(environment.env, info[0], generator.get(), finalizeGenerator, nullptr, nullptr) != napi_ok) {
    throwTypeError(environment, "wrapGenerator(): expected an object that wraps nothing yet.");
  }
  (void)generator.release();
  return info.Env().Undefined();
}

Napi::Value generatorDevice(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Generator generator = generatorArgument(environment, info[0], "device");
  return Napi::String::New(environment.env, generator.device().str());
}

}  // namespace

const at::Generator* generatorOf(napi_env env, napi_value value) {
  bool tagged = false;
  void* data = nullptr;
  if (napi_check_object_type_tag(env, value, &kTag, &tagged) != napi_ok || !tagged) return nullptr;
  return napi_unwrap(env, value, &data) == napi_ok ? static_cast<const at::Generator*>(data) : nullptr;
}

at::Generator generatorArgument(Environment& environment, Napi::Value value, const char* function) {
  if (const at::Generator* own = generatorOf(environment.env, value)) return *own;
  return at::globalContext().defaultGenerator(deviceArgument(environment, value, function));
}

void defineGenerators(Environment& environment, Napi::Object exports) {
  define<wrapGenerator>(environment, exports, "wrapGenerator");
  define<generatorDevice>(environment, exports, "generatorDevice");
}

}  // namespace mpslab
