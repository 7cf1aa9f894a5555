// Runs custom kernels on a Mac with PyTorch's own libraries of shaders
// (ATen/native/mps/MetalShaderLibrary.h). Calls them as PyTorch's Python module does
// (torch/csrc/mps/Module.cpp).
#include <ATen/native/mps/MetalShaderLibrary.h>
#include <torch/version.h>

#include "device/autorelease_pool.h"
#include "device/shaders.h"

namespace mpslab {
namespace {

using at::native::mps::MetalKernelFunction;
using at::native::mps::MetalShaderLibrary;

class MetalKernel final : public ShaderKernel {
 public:
  explicit MetalKernel(std::shared_ptr<MetalKernelFunction> function) : function_(std::move(function)) {}

  uint64_t maxThreadsPerThreadgroup() const override { return function_->getMaxThreadsPerThreadgroup(); }
  uint64_t threadExecutionWidth() const override { return function_->getThreadExecutionWidth(); }
  uint64_t staticThreadgroupMemoryLength() const override {
    return function_->getStaticThreadGroupMemoryLength();
  }

  void launch(const ShaderLaunch& launch) override {
    const AutoreleasePool pool;
    function_->runCommandBlock([&] {
      function_->startEncoding();
      for (unsigned i = 0; i < launch.arguments.size(); ++i) {
        const ShaderArgument& argument = launch.arguments[i];
        if (argument.tensor.defined())
          function_->setArg(i, argument.tensor);
        else
          function_->setArg(i, argument.bytes.data(), argument.bytes.size());
      }
      if (launch.errorBuffer) function_->setErrorBufferIndex(*launch.errorBuffer);
      if (launch.threads.size() == 1) {
        function_->dispatch(launch.threads[0],
                            launch.groupSize ? std::optional(launch.groupSize->at(0)) : std::nullopt);
      } else if (launch.groupSize) {
        function_->dispatch(launch.threads, c10::ArrayRef<uint64_t>(*launch.groupSize));
      } else {
        function_->dispatch(launch.threads);
      }
    });
  }

 private:
  std::shared_ptr<MetalKernelFunction> function_;
};

class MetalLibrary final : public ShaderLibrary {
 public:
  explicit MetalLibrary(std::unique_ptr<MetalShaderLibrary> library) : library_(std::move(library)) {}

  std::vector<std::string> names() override {
    const AutoreleasePool pool;
    return library_->getFunctionNames();
  }
  std::shared_ptr<ShaderKernel> kernel(const std::string& name) override {
    const AutoreleasePool pool;
    return std::make_shared<MetalKernel>(library_->getKernelFunction(name));
  }

 private:
  std::unique_ptr<MetalShaderLibrary> library_;
};

/// A compiled library's file, or its bytes.
template <typename Source>
std::unique_ptr<ShaderLibrary> load([[maybe_unused]] const Source& source) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 15
  const AutoreleasePool pool;
  return std::make_unique<MetalLibrary>(
      std::make_unique<at::native::mps::PrecompiledMetalShaderLibrary>(source));
#else
  throw std::runtime_error("loadMetallib() needs PyTorch 2.15, and this is " TORCH_VERSION
                           ": use compileShader() with the source.");
#endif
}

}  // namespace

std::unique_ptr<ShaderLibrary> compileShaders(const std::string& source) {
  const AutoreleasePool pool;
  return std::make_unique<MetalLibrary>(std::make_unique<at::native::mps::DynamicMetalShaderLibrary>(source));
}

std::unique_ptr<ShaderLibrary> loadShaders(const std::string& file) { return load(file); }

std::unique_ptr<ShaderLibrary> loadShaders(const std::vector<uint8_t>& bytes) { return load(bytes); }

}  // namespace mpslab
