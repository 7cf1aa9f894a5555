// NCCL through PyTorch's own class, which manages the streams, the watchdog and the communicators.
#define USE_C10D_NCCL
#include <torch/csrc/cuda/nccl.h>

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "distributed/nccl.h"

namespace mpslab {
namespace {

std::string versionText(uint64_t major, uint64_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

class LibtorchNccl : public Nccl {
 public:
  std::string compiledVersion() const override { return versionText(NCCL_MAJOR, NCCL_MINOR); }

  std::string loadedVersion() const override {
    const uint64_t packed = torch::cuda::nccl::version();
    return versionText(packed >> 32, (packed >> 16) & 0xffff);
  }

  c10::intrusive_ptr<c10d::Backend> makeBackend(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                int size, std::chrono::milliseconds timeout) const override {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = timeout;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, std::move(options));
  }
};

}  // namespace
}  // namespace mpslab

extern "C" __attribute__((visibility("default"))) const mpslab::Nccl* mpslabNccl() {
  static const mpslab::LibtorchNccl library;
  return &library;
}
