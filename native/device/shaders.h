// Custom kernels on the Metal device. On a Mac they are PyTorch's (device/metal_shaders.mm); on the simulated
// device they run on the host (simulated_metal/threadgroups/shaders.cc). Both throw c10::Error.
#pragma once
#include <ATen/core/TensorBase.h>
#include <napi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addon/environment.h"

namespace mpslab {

/// A tensor of the device, or the bytes of a constant.
struct ShaderArgument {
  at::TensorBase tensor;
  std::vector<uint8_t> bytes;
};

struct ShaderLaunch {
  std::vector<ShaderArgument> arguments;
  /// One to three numbers each.
  std::vector<uint64_t> threads;
  std::optional<std::vector<uint64_t>> groupSize;
  /// The index at which a kernel finds PyTorch's error buffer, which only Metal's kernels have.
  std::optional<uint32_t> errorBuffer;
};

class ShaderKernel {
 public:
  virtual ~ShaderKernel() = default;
  virtual uint64_t maxThreadsPerThreadgroup() const = 0;
  virtual uint64_t threadExecutionWidth() const = 0;
  virtual uint64_t staticThreadgroupMemoryLength() const = 0;
  /// Returns as soon as the kernel is queued.
  virtual void launch(const ShaderLaunch& launch) = 0;
};

class ShaderLibrary {
 public:
  virtual ~ShaderLibrary() = default;
  virtual std::vector<std::string> names() = 0;
  virtual std::shared_ptr<ShaderKernel> kernel(const std::string& name) = 0;
};

/// `source` is in Metal's language. The simulated device has no compiler of its own and takes only files.
std::unique_ptr<ShaderLibrary> compileShaders(const std::string& source);
/// The file is a .metallib on a Mac, and a shared library of the host on the simulated device.
std::unique_ptr<ShaderLibrary> loadShaders(const std::string& file);
std::unique_ptr<ShaderLibrary> loadShaders(const std::vector<uint8_t>& bytes);

}  // namespace mpslab
