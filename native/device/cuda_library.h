// Functions whose compilation needs CUDA's headers. They are in a library of their own beside the addon,
// `mpslab_cuda.so`, so that the addon also loads on a machine without CUDA.
#pragma once

namespace mpslab {

/// The function of that name; nullptr where the library is not there, or was compiled without it.
void* findInCudaLibrary(const char* name);

}  // namespace mpslab
