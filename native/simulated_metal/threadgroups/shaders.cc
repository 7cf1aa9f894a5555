// Runs custom kernels on the simulated device. The host's compiler made a library of a Metal source; each
// dispatch of it is work in the queue. Groups run in parallel on the host's threads. The threads of a group
// run one after the other, or as fibers if they wait for each other.
#include "device/shaders.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>

#include <cstring>

#include "simulated_metal/profile/profiler.h"
#include "simulated_metal/queue/queue.h"
#include "simulated_metal/shading/abi.h"
#include "simulated_metal/threadgroups/threadgroup_fibers.h"

namespace mpslab {
namespace {

using mpslab_shader::Buffer;
using mpslab_shader::Exchanged;
using mpslab_shader::Group;
using mpslab_shader::Kernel;
using mpslab_shader::kSimdWidth;
using mpslab_shader::Library;
using mpslab_shader::Runtime;
using mpslab_shader::Size3;

constexpr uint64_t kMostThreadgroupBytes = 32 * 1024;

/// The kernel and the group that run on this thread of the host, for messages.
thread_local const Kernel* runningKernel = nullptr;
thread_local Group* runningGroup = nullptr;

void barrier(int line) { metal::ThreadgroupFibers::ofThread().waitForGroup(line); }
void simdBarrier(int line) { metal::ThreadgroupFibers::ofThread().waitForSimd(line); }

Exchanged exchange(const void* value, size_t bytes, int line) {
  auto& fibers = metal::ThreadgroupFibers::ofThread();
  const uint32_t group = fibers.current() / kSimdWidth;
  const uint32_t lane = fibers.current() % kSimdWidth;
  // A thread that is ahead must not overwrite the last exchange before all threads have read it.
  fibers.waitForSimd(line);
  char* room = fibers.exchangeRoom(group, bytes);
  std::memcpy(room + lane * bytes, value, bytes);
  fibers.waitForSimd(line, true);
  return {fibers.exchangeRoom(group, bytes), lane, fibers.activeLanes(group)};
}

std::string placeText(const Group& group, uint32_t thread) {
  const Size3 in{thread % group.size.x, thread / group.size.x % group.size.y,
                 thread / (group.size.x * group.size.y)};
  const auto at = [](uint32_t position, uint32_t whole, uint32_t within) {
    return std::to_string(position * whole + within);
  };
  std::string text = at(group.position.x, group.wholeSize.x, in.x);
  if (group.grid.y > 1 || group.grid.z > 1) text += ", " + at(group.position.y, group.wholeSize.y, in.y);
  if (group.grid.z > 1) text += ", " + at(group.position.z, group.wholeSize.z, in.z);
  return "[" + text + "]";
}

void outOfBounds(const void* address, const void* begin, const void* end, size_t elementBytes) {
  const Group& group = *runningGroup;
  const uint32_t thread =
      runningKernel->interleaves ? metal::ThreadgroupFibers::ofThread().current() : group.current;
  std::string name = "a buffer";
  for (uint32_t i = 0; i < runningKernel->buffers; ++i) {
    if (group.buffers[i].begin == begin && group.buffers[i].end == end)
      name = "\"" + std::string(runningKernel->bufferNames[i]) + "\"";
  }
  const auto bytes = static_cast<int64_t>(static_cast<const char*>(end) - static_cast<const char*>(begin));
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(begin);
  const auto size = static_cast<int64_t>(elementBytes);
  TORCH_CHECK_INDEX(false, "thread ", placeText(group, thread), " uses element ",
                    offset < 0 ? -((-offset + size - 1) / size) : offset / size, " of ", name,
                    ", which holds ", bytes / size, " of ", size, " bytes");
}

constexpr Runtime kRuntime{barrier, simdBarrier, exchange, outOfBounds};

uint32_t groupsOf(uint32_t threads, uint32_t size) { return (threads + size - 1) / size; }

/// One dispatch in the queue. It holds the addresses of tensors' memory, not the tensors: see queue.h.
class ShaderWork final : public metal::Work {
 public:
  ShaderWork(const Kernel& kernel, const ShaderLaunch& launch, Size3 grid, Size3 size)
      : kernel_(kernel), grid_(grid), size_(size) {
    for (const ShaderArgument& argument : launch.arguments) constants_.push_back(argument.bytes);
    for (size_t i = 0; i < launch.arguments.size(); ++i) {
      const at::TensorBase& tensor = launch.arguments[i].tensor;
      if (tensor.defined()) {
        const auto& storage = tensor.storage();
        auto* const data = static_cast<char*>(storage.mutable_data());
        buffers_.push_back(
            {data + tensor.storage_offset() * tensor.itemsize(), data, data + storage.nbytes()});
      } else {
        auto* const data = reinterpret_cast<char*>(constants_[i].data());
        buffers_.push_back({data, data, data + constants_[i].size()});
      }
    }
  }

  std::string name() const override { return kernel_.name; }

  void run() override {
    const Size3 groups{groupsOf(grid_.x, size_.x), groupsOf(grid_.y, size_.y), groupsOf(grid_.z, size_.z)};
    const int64_t count = static_cast<int64_t>(groups.x) * groups.y * groups.z;
    at::parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        const auto index = static_cast<uint64_t>(i);
        const Size3 at{static_cast<uint32_t>(index % groups.x),
                       static_cast<uint32_t>(index / groups.x % groups.y),
                       static_cast<uint32_t>(index / groups.x / groups.y)};
        const auto within = [](uint32_t grid, uint32_t size, uint32_t position) {
          return std::min(size, grid - position * size);
        };
        Group group{
            at,
            groups,
            grid_,
            {within(grid_.x, size_.x, at.x), within(grid_.y, size_.y, at.y), within(grid_.z, size_.z, at.z)},
            size_,
            buffers_.data(),
            0};
        runGroup(group);
      }
    });
  }

 private:
  void runGroup(Group& group) const {
    runningKernel = &kernel_;
    runningGroup = &group;
    if (!kernel_.interleaves) return kernel_.runGroup(group);
    metal::ThreadgroupFibers::ofThread().run(group.size.x * group.size.y * group.size.z,
                                             [&](uint32_t thread) { kernel_.runThread(group, thread); });
  }

  const Kernel& kernel_;
  Size3 grid_, size_;
  std::vector<std::vector<uint8_t>> constants_;
  std::vector<Buffer> buffers_;
};

Size3 sizeOf(const std::vector<uint64_t>& numbers) {
  Size3 size{1, 1, 1};
  uint32_t* const places[] = {&size.x, &size.y, &size.z};
  for (size_t i = 0; i < numbers.size(); ++i) *places[i] = static_cast<uint32_t>(numbers[i]);
  return size;
}

std::vector<c10::IValue> tensorsOf(const ShaderLaunch& launch) {
  std::vector<c10::IValue> tensors;
  for (const ShaderArgument& argument : launch.arguments) {
    if (argument.tensor.defined()) tensors.emplace_back(at::Tensor(argument.tensor));
  }
  return tensors;
}

class HostShader final : public ShaderKernel {
 public:
  explicit HostShader(const Kernel& kernel) : kernel_(kernel) {
    TORCH_CHECK_VALUE(staticThreadgroupMemoryLength() <= kMostThreadgroupBytes, "the kernel ", kernel.name,
                      " needs ", staticThreadgroupMemoryLength(),
                      " bytes of threadgroup memory, and there are ", kMostThreadgroupBytes);
  }

  uint64_t maxThreadsPerThreadgroup() const override { return kernel_.maxThreads; }
  uint64_t threadExecutionWidth() const override { return kSimdWidth; }
  uint64_t staticThreadgroupMemoryLength() const override { return kernel_.threadgroupBytes(); }

  void launch(const ShaderLaunch& launch) override {
    // If no group size is given, PyTorch's: for a grid of several dimensions, only the first dimension has
    // several threads.
    const uint64_t most = kernel_.maxThreads;
    const Size3 grid = sizeOf(launch.threads);
    const Size3 size = launch.groupSize
                           ? sizeOf(*launch.groupSize)
                           : sizeOf({launch.threads.size() == 1 ? std::min(most, launch.threads[0]) : most});
    auto work = std::make_unique<ShaderWork>(kernel_, launch, grid, size);
    work->execution = metal::watchOperation("aten::" + work->name(), tensorsOf(launch));
    metal::queue().launch(std::move(work));
  }

 private:
  const Kernel& kernel_;
};

class HostLibrary final : public ShaderLibrary {
 public:
  explicit HostLibrary(const std::string& file) {
    // Never closed, because kernels of the library may still be queued.
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    TORCH_CHECK(handle != nullptr, "the compiled kernels do not load: ", dlerror());
    library_ = static_cast<const Library*>(dlsym(handle, "mpslab_shader_library"));
    TORCH_CHECK(library_ != nullptr, file, " has no kernels");
    *library_->runtime = &kRuntime;
  }

  std::vector<std::string> names() override {
    std::vector<std::string> names;
    for (size_t i = 0; i < library_->count; ++i) names.emplace_back(library_->kernels[i].name);
    return names;
  }

  std::shared_ptr<ShaderKernel> kernel(const std::string& name) override {
    for (size_t i = 0; i < library_->count; ++i) {
      if (library_->kernels[i].name == name) return std::make_shared<HostShader>(library_->kernels[i]);
    }
    TORCH_CHECK_VALUE(false, "there is no kernel ", name);
  }

 private:
  const Library* library_ = nullptr;
};

}  // namespace

std::unique_ptr<ShaderLibrary> compileShaders(const std::string&) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "simulated Metal loads kernels that the host's compiler made");
}

std::unique_ptr<ShaderLibrary> loadShaders(const std::string& file) {
  return std::make_unique<HostLibrary>(file);
}

std::unique_ptr<ShaderLibrary> loadShaders(const std::vector<uint8_t>&) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "simulated Metal runs no code of Apple's GPUs");
}

}  // namespace mpslab
