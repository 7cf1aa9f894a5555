// Finds the library of CUDA's graphs beside the addon.
#include "capture/device_graph.h"

#include <dlfcn.h>

#include <string>

namespace mpslab::capture {
namespace {

using Make = DeviceGraph* (*)();

Make findMaker() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&findMaker), &info) == 0) return nullptr;
  const std::string addon = info.dli_fname;
  const std::string file = addon.substr(0, addon.rfind('/') + 1) + "mpslab_cuda.so";
  void* library = dlopen(file.c_str(), RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Make>(dlsym(library, "makeCudaGraph"));
}

}  // namespace

std::unique_ptr<DeviceGraph> makeDeviceGraph() {
  static const Make make = findMaker();
  return std::unique_ptr<DeviceGraph>(make == nullptr ? nullptr : make());
}

}  // namespace mpslab::capture
