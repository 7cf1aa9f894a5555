// Groups of processes that work together. JavaScript knows them by number.
#pragma once
#include <napi.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "addon/environment.h"

namespace mpslab {

/// What connects this process with the others of a group.
struct Connections {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  /// The backend for tensors of CUDA; nullptr if they are copied to the host instead.
  c10::intrusive_ptr<c10d::Backend> nccl;
  /// Whether all GPUs are connected, which the first collective does: until then a start may wait for the
  /// other ranks.
  std::atomic<bool> gpusAreConnected{false};
  std::chrono::milliseconds timeout{0};
  uint32_t number = 0;
};

/// The connections of a number of `makeGroup`. Throws Error once they are closed.
std::shared_ptr<Connections> connectionsOf(Environment& environment, Napi::Value number);

/// The group of these connections.
c10::intrusive_ptr<c10d::ProcessGroup> groupOf(Environment& environment, Napi::Value number);

/// All connections that use NCCL.
std::vector<std::shared_ptr<Connections>> connectionsWithNccl();

/// Adds the functions of groups to the addon's object `distributed`.
void defineProcessGroups(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
