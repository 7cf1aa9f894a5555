// Connects processes through NCCL, which carries tensors from GPU to GPU. `nccl_backend.cc` implements it in
// the addon's CUDA library.
#pragma once
#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace mpslab {

class Nccl {
 public:
  virtual ~Nccl() = default;
  /// The version of the header that the library was compiled with, as `2.27`.
  virtual std::string compiledVersion() const = 0;
  /// The version that libtorch uses.
  virtual std::string loadedVersion() const = 0;
  /// Makes a backend, which connects the GPUs at its first collective or with `eagerConnectSingleDevice`.
  virtual c10::intrusive_ptr<c10d::Backend> makeBackend(const c10::intrusive_ptr<c10d::Store>& store,
                                                        int rank, int size,
                                                        std::chrono::milliseconds timeout) const = 0;
};

/// Why this process cannot use NCCL, as a sentence without its period; empty where it can.
std::string whyNoNccl();

/// To be asked for where `whyNoNccl` is empty. Keeps libtorch from ending the process when an operation
/// fails.
const Nccl& nccl();

}  // namespace mpslab
