// A device's own graph of a step: CUDA has one. `cuda_graph.cc` implements it in a library of its own, which
// is compiled where CUDA's headers are, and loaded where a device of CUDA is used.
#pragma once
#include <memory>

namespace mpslab::capture {

class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  /// Captures, from now on, what this thread queues on its current stream, which must not be the default one.
  virtual void begin() = 0;
  virtual void end() = 0;
  /// Queues all of it on the current stream.
  virtual void replay() = 0;
};

/// nullptr where the library is not there.
std::unique_ptr<DeviceGraph> makeDeviceGraph();

}  // namespace mpslab::capture
