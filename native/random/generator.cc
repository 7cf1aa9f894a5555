// Creates generators, and finds the one that an argument names. `random.cc` reads and sets their states and
// seeds.
#include "random/generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include "addon/guard.h"
#include "device/devices.h"
#include "random/exports.h"
#include "tensor/generator_object.h"

namespace mpslab {
namespace {

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
  if (!wrapGeneratorObject(environment.env, info[0], generator)) {
    throwTypeError(environment, "wrapGenerator(): expected an object that wraps nothing yet.");
  }
  return info.Env().Undefined();
}

Napi::Value generatorDevice(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Generator generator = generatorArgument(environment, info[0], "device");
  return Napi::String::New(environment.env, generator.device().str());
}

}  // namespace

at::Generator generatorArgument(Environment& environment, Napi::Value value, const char* function) {
  if (const at::Generator* own = generatorOf(environment.env, value)) return *own;
  return at::globalContext().defaultGenerator(deviceArgument(environment, value, function));
}

void defineGenerators(Environment& environment, Napi::Object exports) {
  define<wrapGenerator>(environment, exports, "wrapGenerator");
  define<generatorDevice>(environment, exports, "generatorDevice");
}

}  // namespace mpslab
