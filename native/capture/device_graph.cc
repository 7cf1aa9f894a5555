// Makes CUDA's graphs if the addon's CUDA library exists.
#include "capture/device_graph.h"

#include "device/cuda_library.h"

namespace mpslab::capture {

std::unique_ptr<DeviceGraph> makeDeviceGraph() {
  using Make = DeviceGraph* (*)();
  static const auto make = reinterpret_cast<Make>(findInCudaLibrary("makeCudaGraph"));
  return std::unique_ptr<DeviceGraph>(make == nullptr ? nullptr : make());
}

}  // namespace mpslab::capture
