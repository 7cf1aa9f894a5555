// Loads the library the first time that anything of it is needed.
#include "device/cuda_library.h"

#include <dlfcn.h>

#include <string>

namespace mpslab {
namespace {

void* openLibrary() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&openLibrary), &info) == 0) return nullptr;
  const std::string addon = info.dli_fname;
  return dlopen((addon.substr(0, addon.rfind('/') + 1) + "mpslab_cuda.so").c_str(), RTLD_NOW);
}

}  // namespace

void* findInCudaLibrary(const char* name) {
  static void* const library = openLibrary();
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace mpslab
