// Finds NCCL in the addon's CUDA library.
#include "distributed/nccl.h"

#include <ATen/Context.h>

#include <cstdlib>

#include "device/cuda_library.h"

namespace mpslab {
namespace {

const Nccl* find() {
  using Make = const Nccl* (*)();
  const auto make = reinterpret_cast<Make>(findInCudaLibrary("mpslabNccl"));
  if (make == nullptr) return nullptr;
  // Without these settings, when an operation fails, the watchdog writes a file into /tmp, gives the other
  // ranks a minute to do the same, and ends the process.
  setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "2", /*overwrite=*/0);
  setenv("TORCH_NCCL_DUMP_ON_TIMEOUT", "0", /*overwrite=*/0);
  setenv("TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC", "0", /*overwrite=*/0);
  return make();
}

const Nccl* found() {
  static const Nccl* const library = find();
  return library;
}

}  // namespace

std::string whyNoNccl() {
  if (!at::hasCUDA()) return "NCCL connects NVIDIA GPUs, and there is none here";
  const Nccl* library = found();
  if (library == nullptr)
    return "this addon was compiled without nccl.h: npx mpslab setup --compile compiles it beside a CUDA "
           "toolkit";
  // PyTorch's class contains NCCL's configuration, whose size differs between versions of NCCL.
  if (library->compiledVersion() != library->loadedVersion())
    return "this addon was compiled with NCCL " + library->compiledVersion() + ", and libtorch has " +
           library->loadedVersion() + ": npx mpslab setup --compile compiles it anew";
  return {};
}

const Nccl& nccl() { return *found(); }

}  // namespace mpslab
