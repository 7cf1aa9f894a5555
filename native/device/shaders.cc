// Exports custom kernels to JavaScript. Libraries and kernels are named by number and stay for the process's
// life, because queued work may need them. `lib/torch/devices/mps/shading/` encodes the arguments as bytes.
#include "device/shaders.h"

#include <deque>
#include <mutex>

#include "addon/guard.h"
#include "device/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

std::mutex mutex;
std::deque<std::unique_ptr<ShaderLibrary>> libraries;
std::deque<std::shared_ptr<ShaderKernel>> kernels;

template <typename Kept, typename Made>
Napi::Value keep(const Napi::CallbackInfo& info, std::deque<Kept>& all, Made made) {
  const std::lock_guard lock(mutex);
  all.push_back(std::move(made));
  return Napi::Number::New(info.Env(), static_cast<double>(all.size() - 1));
}

ShaderLibrary& libraryOf(const Napi::Value& number) {
  const std::lock_guard lock(mutex);
  return *libraries.at(number.ToNumber().Uint32Value());
}

ShaderKernel& kernelOf(const Napi::Value& number) {
  const std::lock_guard lock(mutex);
  return *kernels.at(number.ToNumber().Uint32Value());
}

std::vector<uint8_t> bytesOf(const Napi::Value& value) {
  const auto bytes = value.As<Napi::Uint8Array>();
  return {bytes.Data(), bytes.Data() + bytes.ByteLength()};
}

std::vector<uint64_t> numbersOf(const Napi::Value& value) {
  const auto list = value.As<Napi::Array>();
  std::vector<uint64_t> numbers;
  for (uint32_t i = 0; i < list.Length(); ++i)
    numbers.push_back(static_cast<uint64_t>(list.Get(i).ToNumber().Int64Value()));
  return numbers;
}

Napi::Value compile(Environment&, const Napi::CallbackInfo& info) {
  return keep(info, libraries, compileShaders(info[0].ToString()));
}

Napi::Value load(Environment&, const Napi::CallbackInfo& info) {
  return keep(
      info, libraries,
      info[0].IsString() ? loadShaders(std::string(info[0].ToString())) : loadShaders(bytesOf(info[0])));
}

Napi::Value names(Environment&, const Napi::CallbackInfo& info) {
  const std::vector<std::string> all = libraryOf(info[0]).names();
  Napi::Array list = Napi::Array::New(info.Env(), all.size());
  for (uint32_t i = 0; i < all.size(); ++i) list.Set(i, all[i]);
  return list;
}

Napi::Value kernel(Environment&, const Napi::CallbackInfo& info) {
  const std::shared_ptr<ShaderKernel> found = libraryOf(info[0]).kernel(info[1].ToString());
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("maxThreadsPerThreadgroup", static_cast<double>(found->maxThreadsPerThreadgroup()));
  result.Set("threadExecutionWidth", static_cast<double>(found->threadExecutionWidth()));
  result.Set("staticThreadgroupMemoryLength", static_cast<double>(found->staticThreadgroupMemoryLength()));
  result.Set("number", keep(info, kernels, found));
  return result;
}

/// Takes a kernel's number, an argument for each buffer, threads, and group size and error buffer or null.
Napi::Value launch(Environment& environment, const Napi::CallbackInfo& info) {
  environment.checkStop();
  ShaderLaunch launch;
  const auto given = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < given.Length(); ++i) {
    const Napi::Value one = given.Get(i);
    if (one.IsTypedArray())
      launch.arguments.push_back({{}, bytesOf(one)});
    else
      launch.arguments.push_back({tensorOf(environment, one), {}});
  }
  launch.threads = numbersOf(info[2]);
  if (info[3].IsArray()) launch.groupSize = numbersOf(info[3]);
  if (info[4].IsNumber()) launch.errorBuffer = info[4].ToNumber().Uint32Value();
  kernelOf(info[0]).launch(launch);
  return info.Env().Undefined();
}

}  // namespace

void defineShaders(Environment& environment, Napi::Object exports) {
  Napi::Object shaders = Napi::Object::New(exports.Env());
  define<compile>(environment, shaders, "compile");
  define<load>(environment, shaders, "load");
  define<names>(environment, shaders, "names");
  define<kernel>(environment, shaders, "kernel");
  define<launch>(environment, shaders, "launch");
  exports.Set("shaders", shaders);
}

}  // namespace mpslab
