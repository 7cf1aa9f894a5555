// A device's own graph of a step; only CUDA has one. `cuda_graph.cc` implements it in a separate library,
// which is compiled if CUDA's headers are found, and loaded when a CUDA device is used.
#pragma once
#include <memory>

namespace mpslab::capture {

class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  /// Captures, from now on, what this thread queues on its current stream, which must not be the default one.
  virtual void begin() = 0;
  virtual void end() = 0;
  /// Queues the captured work on the current stream.
  virtual void replay() = 0;
};

/// Returns nullptr if the library does not exist.
std::unique_ptr<DeviceGraph> makeDeviceGraph();

}  // namespace mpslab::capture
